// A server with every kind of secret, and providers and MCP servers that repeat what they receive: everything that
// could leak.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "../../../src/client/index.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import type { ClientProtocolId } from "../../../src/server/gateway/protocols.ts";
import { startKoine } from "../support/start-koine.ts";
import {
  httpReply,
  PROTOCOLS,
  rawUpstream,
  type RawQuestion,
  type RawReply,
  type RawUpstream,
} from "./raw-upstream.ts";
import { tenantsOf, tokenOf } from "./support.ts";
import { replySeeds } from "./wire-seeds.ts";

/** Only in settings and requests. None of them has the form of a known key. */
export const SECRETS = {
  "openai-chat": "provider+key/of==openai-chat",
  "openai-responses": "providerkeyofopenairesponses1",
  anthropic: "provider.key.of.anthropic",
  gemini: "provider~key~of~gemini",
  header: "header-secret-of-a-provider",
  query: "query-secret-of-a-provider",
  fetched: "fetched-secret-of-a-provider",
  token: tokenOf("ann"),
  wrongToken: "an-unknown-token",
  telemetry: "telemetry-header-secret",
  mcpHeader: "mcp-header-secret-value",
  mcpEnv: "mcp-env-secret-value",
  toolHeader: "header-of-a-tool-server-in-a-request",
  toolToken: "token-of-a-tool-server-in-a-request",
} as const;

export interface World extends AsyncDisposable {
  koine: KoineServer;
  upstream: RawUpstream;
  log(): string;
  /** The spans that collectors received, without headers. */
  spans(): string;
  /** Closes the server and returns the bytes of all its files. */
  files(): Promise<[name: string, bytes: Buffer][]>;
}

/** Returns the key of a request, wherever it is. */
function keyIn({ head, path }: RawQuestion): string {
  const header = /^(?:authorization: Bearer|x-api-key:|x-goog-api-key:|x-secret:) *(.*?)\r?$/im.exec(head)?.[1];
  const query = new URLSearchParams(path.split("?")[1]).get("sig");
  return [header, query].filter(Boolean).join(" ");
}

const REPLIES = new Map(PROTOCOLS.map((dialect) => [dialect, replySeeds(dialect)[0]]));

/** A stream that starts well and ends with an error that contains the key. */
function lateComplaint(dialect: ClientProtocolId, complaint: string): string {
  const events = (REPLIES.get(dialect)?.stream ?? "").split("\n\n");
  const [, message = ""] = /"message":"([^"]*)"/.exec(complaint) ?? [];
  const failed = JSON.stringify({ type: "error", code: "server_error", message, param: null, sequence_number: 9 });
  const last = dialect === "openai-responses" ? failed : complaint;
  return `${events.slice(0, 3).join("\n\n")}\n\nevent: error\ndata: ${last}\n\n`;
}

/** The model name selects an answer or an error that contains the key. */
function answer(question: RawQuestion): RawReply {
  const { path, body } = question;
  const dialect = PROTOCOLS.find((each) => path.startsWith(`/${each}/`)) ?? "anthropic";
  const key = keyIn(question);
  const complaint = JSON.stringify({
    type: "error",
    error: {
      type: "authentication_error",
      code: 401,
      status: "UNAUTHENTICATED",
      param: null,
      message: `Incorrect API key provided: ${key}`,
    },
  });
  const json = { "content-type": "application/json", "request-id": `req-${key}`, "x-request-id": `req-${key}` };
  const [, behavior] = /wish-(\w+)/.exec(path + body) ?? [];
  const seed = REPLIES.get(dialect);
  const isStream = path.includes("streamGenerateContent") || /"stream":\s*true/.test(body);
  switch (behavior) {
    case "refused":
      return { bytes: httpReply(401, json, complaint) };
    case "page":
      return { bytes: httpReply(500, { "content-type": "text/html" }, `<h1>Sorry, ${key}</h1>`) };
    case "garbled":
      return { bytes: httpReply(200, json, `{"key": "${key}", oops`) };
    case "torn":
      return { bytes: httpReply(200, { ...json, "content-length": "9999" }, complaint), afterwards: "tear" };
    case "late":
      return { bytes: httpReply(200, { "content-type": "text/event-stream" }, lateComplaint(dialect, complaint)) };
    case "moved":
      return { bytes: httpReply(307, { location: `http://127.0.0.1:1/?key=${key}` }, "") };
    default:
      if (isStream) return { bytes: httpReply(200, { "content-type": "text/event-stream" }, seed?.stream ?? "") };
      return { bytes: httpReply(200, { "content-type": "application/json" }, JSON.stringify(seed?.whole)) };
  }
}

/** A server that stores bodies and replies with the received headers. */
async function startEcho(): Promise<{ server: Server; url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (more: string) => (text += more));
    request.on("end", () => {
      bodies.push(text);
      response.writeHead(401, { "content-type": "text/plain" }).end(`No: ${JSON.stringify(request.headers)}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { server, url: `http://127.0.0.1:${port}`, bodies };
}

export async function startWorld(format: "json" | "text"): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "koine-secrets-"));
  const upstream = await rawUpstream(answer);
  const echo = await startEcho();
  let log = "";
  const providers = Object.fromEntries(PROTOCOLS.map((id) => [id, upstream.provider(id, { apiKey: SECRETS[id] })]));
  const koine = await startKoine(
    {
      data: folder,
      ledger: { url: `sqlite:${join(folder, "koine.db")}`, sync: "normal", flushMs: 1 },
      providers: {
        demo: demo(),
        ...providers,
        headed: upstream.provider("openai-chat", { headers: { "x-secret": SECRETS.header } }),
        queried: upstream.provider("anthropic", { query: { sig: SECRETS.query } }),
        fetched: upstream.provider("anthropic", { apiKey: async () => SECRETS.fetched }),
      },
      tenants: tenantsOf({ acme: ["ann"] }),
      log: { level: "debug", format },
      telemetry: { url: echo.url, headers: { "x-collector": SECRETS.telemetry }, serviceName: "koine" },
      tasks: { mcpServers: format === "json" ? {} : toolServers(echo.url) },
      drainMs: 1000,
    },
    { write: (lines) => (log += lines), stopMs: 1000 },
  );
  return {
    koine,
    upstream,
    log: () => log,
    spans: () => echo.bodies.join("\n"),
    async files() {
      // The database files before and after closing.
      const before = filesIn(folder);
      await koine.close();
      return [...before, ...filesIn(folder)];
    },
    async [Symbol.asyncDispose]() {
      await koine.close();
      await upstream[Symbol.asyncDispose]();
      echo.server.closeAllConnections();
      await new Promise((resolve) => echo.server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

/** MCP servers that fail and repeat their input. */
function toolServers(url: string): NonNullable<NonNullable<ConfigInput["tasks"]>["mcpServers"]> {
  const args = ["-e", "console.error('no', process.env.DATABASE_PASS); process.exit(1)"];
  return {
    refusing: { url: `${url}/mcp`, headers: { "x-tools": SECRETS.mcpHeader }, timeouts: { connectMs: 2000 } },
    failing: { command: process.execPath, args, env: { DATABASE_PASS: SECRETS.mcpEnv } },
  };
}

function filesIn(folder: string): [string, Buffer][] {
  return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]);
}
