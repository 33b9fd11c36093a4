// Creates the ledger module, which serves the ledger over HTTP.
import type { Recorder } from "../record/types.ts";
import type { ServerModule, Services } from "../types.ts";
import { branchRoutes } from "./branches.ts";
import { eventRoutes } from "./thread-events.ts";
import { feedRoutes } from "./tenant-events.ts";
import { messageRoutes } from "./messages.ts";
import { regenerateRoutes } from "./regenerate.ts";
import { runRoutes } from "./runs.ts";
import { searchRoutes } from "./search.ts";
import { threadRoutes } from "./threads.ts";
import { transferRoutes } from "./transfer.ts";
import { translateRoutes } from "./translate.ts";

/**
 * Creates the routes of threads, branches, regenerated answers, runs, live events, search, transfer and translation.
 */
export function ledgerModule(services: Services, recorder: Recorder): ServerModule {
  return {
    routes: [
      ...threadRoutes(services, recorder),
      ...messageRoutes(services, recorder),
      ...branchRoutes(services, recorder),
      ...regenerateRoutes(services, recorder),
      ...runRoutes(services, recorder),
      ...eventRoutes(services, recorder),
      ...feedRoutes(services, recorder),
      ...searchRoutes(recorder),
      ...transferRoutes(services, recorder),
      ...translateRoutes(services),
    ],
  };
}
