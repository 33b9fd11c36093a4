// The ledger: durable, branching transcripts, their runs and their streams.
export { assertStorableMessages as checkMessages } from "./check.ts";
export type { LedgerErrorCode, LedgerErrorDetails } from "./errors.ts";
export { LEDGER_ERRORS, LedgerError } from "./errors.ts";
export { createLedger as ledgerOn, openLedger } from "./open.ts";
export { THREAD_CHANGES } from "./overview/types.ts";
export type * from "./rows.ts";
export { RUN_STATES } from "./rows.ts";
export { messageFromResponse as answerMessage } from "./runs/turn.ts";
export type { Awaitable, Steps } from "./steps.ts";
export { got, runLater, runNow } from "./steps.ts";
export type * from "./store.ts";
export type * from "./types.ts";
