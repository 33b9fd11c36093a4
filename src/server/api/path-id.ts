// Reads the thread or run id of a path. Pending runs of the thread are written first, because a client may know the id
// before the run is in the ledger.
import type { Recorder } from "../record/types.ts";
import type { Caller, ServerRequest } from "../types.ts";
import { readPathParam } from "./read-request.ts";

/** Returns the thread or run id of the path, after the pending runs with this id are written. */
export type ReadPathId = (request: ServerRequest, caller: Caller) => Promise<string>;

export function createPathIdReader(recorder: Recorder): ReadPathId {
  return async (request, caller) => {
    const id = readPathParam(request, "id");
    await recorder.writePendingRuns(caller, id);
    return id;
  };
}
