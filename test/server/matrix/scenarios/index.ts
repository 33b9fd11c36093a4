// Every scenario of the matrix, in the order of the table.
import type { Scenario } from "../types.ts";
import { ANSWERS } from "./answers.ts";
import { FAILURES } from "./failures.ts";

export const SCENARIOS: readonly Scenario[] = [...ANSWERS, ...FAILURES];
