// The ledger over HTTP: its routes as one part of the server.
import type { Recorder } from "../record/types.ts";
import type { Part, Services } from "../types.ts";

/** Threads, branches, runs, live events, search, transfer and translation, and the OpenAPI document. */
export function ledgerPart(_services: Services, _recorder: Recorder): Part {
  return { routes: [] };
}
