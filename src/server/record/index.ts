// Records gateway calls in the ledger, and serves stored Responses from it.
export { createRecorder, type RecorderOptions } from "./recorder.ts";
export { responsesModule } from "./responses/index.ts";
export { readStoredRequest } from "./stored-request.ts";
export type { RecordedCall, Recorder, Recording } from "./types.ts";
