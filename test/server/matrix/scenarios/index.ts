// All scenarios of the matrix, in the order of the table.
import type { Scenario } from "../types.ts";
import { ANSWERS } from "./answers.rows.ts";
import { FAILURES } from "./failures.rows.ts";

export const SCENARIOS: readonly Scenario[] = [...ANSWERS, ...FAILURES];
