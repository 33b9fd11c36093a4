// A gateway for tests: the part alone, with a recorder of the test's own or none, and what the four protocols send.
import type { ConfigInput } from "../../../src/server/config/defaults.ts";
import { completeConfig } from "../../../src/server/config/defaults.ts";
import { gatewayModule } from "../../../src/server/gateway/index.ts";
import type { Recorder } from "../../../src/server/record/types.ts";
import type { KoineServer } from "../../../src/server/serve-parts.ts";
import { serveParts } from "../../../src/server/serve-parts.ts";
import { makeServices } from "../../../src/server/services.ts";

const NOBODY: Recorder = {
  open: async () => undefined,
  cancel: async () => false,
  reveal: async () => {},
  close: async () => {},
};

/** Nothing is recorded where no recorder is given. */
export async function startGateway(input: ConfigInput = {}, recorder: Recorder = NOBODY): Promise<KoineServer> {
  const quiet = { level: "silent", format: "json" } as const;
  const services = await makeServices(completeConfig({ port: 0, drainMs: 500, log: quiet, ...input }), {});
  const server = serveParts(services, [gatewayModule(services, recorder)]);
  await server.listen();
  return server;
}

export type ClientDialect = "openai-chat" | "openai-responses" | "anthropic" | "gemini";
export const CLIENTS: readonly ClientDialect[] = ["openai-chat", "openai-responses", "anthropic", "gemini"];

export interface Plain {
  path: string;
  body: Record<string, unknown>;
}

/** The same question in every protocol. */
export function question(client: ClientDialect, model: string, stream: boolean, text = "Hello?"): Plain {
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

export interface Heard {
  status: number;
  headers: Headers;
  text: string;
  json: unknown;
}

/** Asks, and reads the reply to its end. */
export async function post(
  { url }: Pick<KoineServer, "url">,
  { path, body }: { path: string; body: unknown },
  headers: Record<string, string> = {},
): Promise<Heard> {
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

/** The events of a body: names and data, comments apart. */
export function eventsOf(text: string): { event: string | undefined; data: string }[] {
  return text.split("\n\n").flatMap((block) => {
    const lines = block.split("\n");
    const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
    const event = lines.find((line) => line.startsWith("event: "))?.slice(7);
    return data === undefined ? [] : [{ event, data }];
  });
}
