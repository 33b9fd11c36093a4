// Creates the server: its services, its modules, and the object that serves the modules.
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

/**
 * Creates a server and opens its ledger. Call `close` at the end, even if the server never listened.
 *
 * @example
 * ```ts
 * import { completeConfig, createServer } from "koine/server";
 *
 * const server = await createServer(completeConfig({ port: 0, log: "silent" }));
 * await server.listen();
 * const reply = await fetch(`${server.url}/v1/chat/completions`, {
 *   method: "POST",
 *   headers: { "content-type": "application/json" },
 *   body: JSON.stringify({ model: "demo/koine", messages: [{ role: "user", content: "say Hello." }] }),
 * });
 * const { choices } = (await reply.json()) as { choices: { message: { content: string } }[] };
 * console.log(choices[0]?.message.content); // Hello.
 * await server.close();
 * ```
 */
export async function createServer(config: ServerConfig, options: ServerOptions = {}): Promise<KoineServer> {
  // The access settings are checked before any resource is opened, so that an error leaves nothing open.
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
