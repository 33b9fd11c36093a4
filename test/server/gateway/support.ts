// A gateway for tests: only its module, with the test's recorder or none, and requests of the four protocols.
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import { gatewayModule } from "../../../src/server/gateway/index.ts";
import type { Recorder } from "../../../src/server/record/types.ts";
import type { KoineServer } from "../../../src/server/serve-modules.ts";
import { serveModules } from "../../../src/server/serve-modules.ts";
import { createServices, type ServerOptions } from "../../../src/server/services.ts";

const NO_RECORDER: Recorder = {
  open: async () => undefined,
  cancel: async () => false,
  writePendingRuns: async () => {},
  close: async () => {},
};

/** Without a recorder, no call is recorded. */
export async function startGateway(
  input: ConfigInput = {},
  recorder: Recorder = NO_RECORDER,
  options: ServerOptions = {},
): Promise<KoineServer> {
  const quiet = { level: "silent", format: "json" } as const;
  const services = await createServices(completeConfig({ port: 0, drainMs: 500, log: quiet, ...input }), options);
  const server = serveModules(services, [gatewayModule(services, recorder)]);
  await server.listen();
  return server;
}

export type ClientDialect = "openai-chat" | "openai-responses" | "anthropic" | "gemini";
export const CLIENTS: readonly ClientDialect[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

export interface ProtocolRequest {
  path: string;
  body: Record<string, unknown>;
}

/** Returns the same request in every protocol. */
export function createRequest(client: ClientDialect, model: string, stream: boolean, text = "Hello?"): ProtocolRequest {
  const streamed = stream ? { stream } : {};
  switch (client) {
    case "openai-chat":
      return {
        path: "/v1/chat/completions",
        body: { model, messages: [{ role: "user", content: text }], ...streamed },
      };
    case "openai-responses":
      return { path: "/v1/responses", body: { model, input: text, ...streamed } };
    case "anthropic":
      return {
        path: "/v1/messages",
        body: { model, max_tokens: 100, messages: [{ role: "user", content: text }], ...streamed },
      };
    case "gemini": {
      const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      return { path: `/v1beta/models/${model}:${verb}`, body: { contents: [{ role: "user", parts: [{ text }] }] } };
    }
  }
}

export interface ReadReply {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

/** Posts a request and reads the whole reply. */
export async function post(
  { url }: Pick<KoineServer, "url">,
  { path, body }: { path: string; body: unknown },
  headers: Record<string, string> = {},
): Promise<ReadReply> {
  const reply = await fetch(url + path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, json: looseJson(text) };
}

function looseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the events of a body, without comments. */
export function eventsOf(text: string): { event: string | undefined; data: string }[] {
  return text.split("\n\n").flatMap((block) => {
    const lines = block.split("\n");
    const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
    const event = lines.find((line) => line.startsWith("event: "))?.slice(7);
    return data === undefined ? [] : [{ event, data }];
  });
}
