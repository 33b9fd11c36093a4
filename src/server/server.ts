// The server as a whole: its services, its parts, and the process that serves them.
import { ledgerPart } from "./api/index.ts";
import { chatPart } from "./chat/index.ts";
import type { ServerConfig } from "./config/types.ts";
import { gatewayModule } from "./gateway/index.ts";
import { checkAccess } from "./http/guard.ts";
import { openapiPart } from "./openapi/index.ts";
import { operationsPart } from "./operations/index.ts";
import { pagePart } from "./page/index.ts";
import { createRecorder, responsesPart } from "./record/index.ts";
import type { Recorder } from "./record/types.ts";
import type { KoineServer } from "./serve-parts.ts";
import { serveParts } from "./serve-parts.ts";
import type { ServerOptions } from "./services.ts";
import { makeServices } from "./services.ts";
import { tasksModule } from "./tasks/index.ts";
import type { ServerModule, Route, Services } from "./types.ts";

export type { KoineServer } from "./serve-parts.ts";
export type { ServerOptions } from "./services.ts";

/** Makes a server. It holds the ledger open: `close` it, also where it never listened. */
export async function createServer(config: ServerConfig, options: ServerOptions = {}): Promise<KoineServer> {
  // Before anything is opened, or made.
  checkAccess(config);
  const services = await makeServices(config, options);
  try {
    const recorder = createRecorder(services);
    return serveParts(services, partsOf(services, recorder), () => recorder.close());
  } catch (error) {
    await services.close();
    throw error;
  }
}

function partsOf(services: Services, recorder: Recorder): ServerModule[] {
  const parts = [
    operationsPart(services),
    gatewayModule(services, recorder),
    responsesPart(services, recorder),
    tasksModule(services, recorder),
    ledgerPart(services, recorder),
    chatPart(services, recorder),
    pagePart(),
  ];
  const openapi: ServerModule = openapiPart(() =>
    [...parts, openapi].flatMap(({ routes }): readonly Route[] => routes),
  );
  return [...parts, openapi];
}
