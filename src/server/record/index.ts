// Recording: calls on their way into the ledger, and the state of Responses that is answered from it.
export { createRecorder, type RecorderOptions } from "./recorder.ts";
export { responsesPart } from "./responses/index.ts";
export { requestOf } from "./stored-request.ts";
export type { RecordedCall, Recorder, Recording } from "./types.ts";
