// Creates the server: its services, its modules, and the process that serves them.
import { ledgerModule } from "./api/index.ts";
import { chatModule } from "./chat/index.ts";
import type { ServerConfig } from "./config/types.ts";
import { gatewayModule } from "./gateway/index.ts";
import { checkAccess } from "./http/access-guard.ts";
import { openapiModule } from "./openapi/index.ts";
import { operationsModule } from "./operations/index.ts";
import { pageModule } from "./page/index.ts";
import { createRecorder, responsesModule } from "./record/index.ts";
import type { Recorder } from "./record/types.ts";
import type { KoineServer } from "./serve-modules.ts";
import { serveModules } from "./serve-modules.ts";
import type { ServerOptions } from "./services.ts";
import { createServices } from "./services.ts";
import { tasksModule } from "./tasks/index.ts";
import type { ServerModule, Route, Services } from "./types.ts";

export type { KoineServer } from "./serve-modules.ts";
export type { ServerOptions } from "./services.ts";

/** Creates a server. The ledger is open from here on: call `close`, even if the server never listened. */
export async function createServer(config: ServerConfig, options: ServerOptions = {}): Promise<KoineServer> {
  // Checked first, before the ledger or any other resource is opened.
  checkAccess(config);
  const services = await createServices(config, options);
  try {
    const recorder = createRecorder(services);
    return serveModules(services, createModules(services, recorder), () => recorder.close());
  } catch (error) {
    await services.close();
    throw error;
  }
}

function createModules(services: Services, recorder: Recorder): ServerModule[] {
  const modules = [
    operationsModule(services),
    gatewayModule(services, recorder),
    responsesModule(services, recorder),
    tasksModule(services, recorder),
    ledgerModule(services, recorder),
    chatModule(services, recorder),
    pageModule(),
  ];
  const openapi: ServerModule = openapiModule(() =>
    [...modules, openapi].flatMap(({ routes }): readonly Route[] => routes),
  );
  return [...modules, openapi];
}
