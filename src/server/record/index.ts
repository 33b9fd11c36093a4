// Exports the recorder, which records gateway calls in the ledger, and the module that serves stored responses from the
// ledger.
export { createRecorder, type RecorderOptions } from "./recorder.ts";
export { responsesModule } from "./responses/index.ts";
export { readStoredRequest } from "./stored-request.ts";
export type { RecordedCall, Recorder, Recording } from "./types.ts";
