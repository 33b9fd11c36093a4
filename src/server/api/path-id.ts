// Reads the thread or run id of a URL path. Pending runs with this id are written to the ledger first, because a client
// may know the id of a run that is not stored yet.
import type { Recorder } from "../record/types.ts";
import type { Caller, ServerRequest } from "../types.ts";
import { readPathParam } from "./read-request.ts";

/** Returns the thread or run id of the URL path after the pending runs with this id have been written. */
export type ReadPathId = (request: ServerRequest, caller: Caller) => Promise<string>;

export function createPathIdReader(recorder: Recorder): ReadPathId {
  return async (request, caller) => {
    const id = readPathParam(request, "id");
    await recorder.writePendingRuns(caller, id);
    return id;
  };
}
