// Scenarios of failures: error statuses, streams that fail or break off, clients that disconnect.
import type { ProviderErrorKind } from "../../../../src/index.ts";
import { text } from "../../../../src/index.ts";
import type { Client, Scenario } from "../types.ts";
import { MODES } from "../types.ts";

/** Error kinds with their status, and Anthropic's own where it differs. */
const STATUSES: readonly (readonly [kind: ProviderErrorKind, status: number, anthropic?: number])[] = [
  ["authentication", 401],
  ["permission", 403],
  ["not-found", 404],
  ["invalid-request", 400],
  ["rate-limit", 429],
  ["overloaded", 503, 529],
  ["server", 500],
];

const isAnthropic = (client: Client): boolean => client.dialect === "anthropic";

function errorOf([kind, status, anthropic = status]: (typeof STATUSES)[number]): Scenario {
  const message = `No wind today (${kind}).`;
  return {
    id: `error-${kind}`,
    title: "error statuses",
    // Before the first byte, a stream fails like a whole answer; some kinds test that.
    modes: kind === "rate-limit" || kind === "overloaded" ? MODES : ["whole"],
    task: { user: "Sail." },
    answers: () => [{ error: { kind, message } }],
    expected: ({ client }) => ({
      turns: [],
      failure: {
        status: isAnthropic(client) ? anthropic : status,
        isAbort: false,
        message: new RegExp(`No wind today \\(${kind}\\)`),
        text: "",
      },
    }),
  };
}

const TEXT = Array.from({ length: 150 }, (_, index) => `word ${index}`).join(" ");
/** An offset within the text in every dialect. */
const MIDDLE = 8000;

export const FAILURES: readonly Scenario[] = [
  ...STATUSES.map(errorOf),
  {
    id: "failed-stream",
    title: "mid-stream failure",
    modes: ["stream"],
    task: { user: "Sing." },
    answers: () => [
      {
        parts: [text("Of the man of many ways"), text("I sing no more")],
        error: { kind: "overloaded", message: "The singer is tired." },
        errorAfter: 1,
      },
    ],
    expected: () => ({
      turns: [],
      failure: { isAbort: false, message: /The singer is tired\./, text: "Of the man of many ways" },
      answered: 1,
    }),
  },
  {
    id: "broken-stream",
    title: "mid-stream failure",
    modes: ["stream"],
    task: { user: "Count." },
    answers: () => [{ parts: [text(TEXT)], reset: MIDDLE }],
    expected: () => ({
      turns: [],
      failure: { isAbort: false, text: /^word 0 word 1 (?!.*word 149)/ },
      ended: "reset",
    }),
  },
  {
    id: "abort",
    title: "abort",
    modes: MODES,
    task: { user: "Count.", abort: true },
    // An unrecorded call ends with its client.
    headers: { "x-koine-record": "off" },
    answers: () => [{ parts: [text(TEXT)], stall: MIDDLE }],
    expected: ({ mode }) => ({
      turns: [],
      failure: { status: undefined, isAbort: true, text: mode === "stream" ? /^word/ : "" },
      ended: "aborted",
    }),
  },
];
