// The thread, or run, that a path names. Streams are written a moment after their client was told of it: what is under way here is
// written first, so that nobody is told that there is no such thing.
import type { Recorder } from "../record/types.ts";
import type { Caller, ServerRequest } from "../types.ts";
import { param } from "./reading.ts";

/** Gives the id that a request is about; whoever reads the ledger next finds it. */
export type NamedId = (request: ServerRequest, caller: Caller) => Promise<string>;

export function namedId(recorder: Recorder): NamedId {
  return async (request, caller) => {
    const id = param(request, "id");
    await recorder.reveal(caller, id);
    return id;
  };
}
