// Tenants never see each other: every route there is, called with another tenant's ids and words. The list of routes is
// the server's own, so that a new one is held to it, too.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Route } from "../../../src/server/types.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { createServer } from "../../../src/server/server.ts";
import { completeConfig } from "../../../src/server/config/defaults.ts";
import { startKoine } from "../support/koine.ts";

const SECRET = "amphora4711";
const tenantOf = (token: string): { tokens: { hash: string; name: string }[] } => ({
  tokens: [{ hash: createHash("sha256").update(token).digest("hex"), name: token }],
});

/** The routes, from a server that does nothing else: tests are made before the real one runs. */
const describing = await createServer(completeConfig({ log: { level: "silent", format: "json" } }));
const ROUTES = describing.routes;
await describing.close();

let koine: KoineServer;
/** By the first segment of a path: what the first tenant has there. */
const ids: Record<string, string> = {};
let messageId = "";

/** What is made of a tenant's own: of each reply the fields that lead back to it. */
interface Made {
  id: string;
  run: { id: string };
  task: { id: string };
  blob: string;
  messages: { id: string }[];
}

interface Told {
  status: number;
  text: string;
}

async function call(token: string, method: string, path: string, body?: unknown): Promise<Told> {
  const init: RequestInit = {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  };
  if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
  const reply = await fetch(koine.url + path, init);
  const isEndless = reply.headers.get("content-type")?.startsWith("text/event-stream") === true && method === "GET";
  if (!isEndless) return { status: reply.status, text: await reply.text() };
  const reader = reply.body?.getReader();
  let text = "";
  while (!text.includes("data:")) {
    const read = await reader?.read();
    text += Buffer.from(read?.value ?? []).toString();
    if (read?.done !== false) break;
  }
  await reader?.cancel();
  return { status: reply.status, text };
}

beforeAll(async () => {
  koine = await startKoine({
    tenants: new Map([
      ["aye", tenantOf("aye")],
      ["bee", tenantOf("bee")],
    ]),
  });
  const say = `say ${SECRET}`;
  const made = async (path: string, body: unknown): Promise<Made> =>
    JSON.parse((await call("aye", "POST", path, body)).text);
  const thread = await made("/v1/threads", {
    title: SECRET,
    messages: [{ role: "user", parts: [{ type: "text", text: say }] }],
  });
  const answered = await made(`/v1/threads/${thread.id}/regenerate`, {});
  const response = await made("/v1/responses", { model: "demo/koine", input: say });
  const task = await made("/v1/task", { message: say, name: SECRET });
  const chat = { id: "their-chat", messages: [{ id: "u", role: "user", parts: [{ type: "text", text: say }] }] };
  await call("aye", "POST", "/v1/chat", chat);
  ids["threads"] = thread.id;
  ids["runs"] = answered.run.id;
  ids["responses"] = response.id;
  ids["task"] = task.task.id;
  ids["chat"] = chat.id;
  ids["blobs"] = (await made("/v1/blobs", SECRET)).blob;
  messageId = answered.messages[0]?.id ?? "";
});
afterAll(() => koine.close());

/** What is sent where a body is looked at before anything is looked for. */
const BODIES: Record<string, () => unknown> = {
  appendMessages: () => ({ messages: [{ role: "user", parts: [] }], parentMessageId: messageId }),
  forkThread: () => ({ messageId }),
  editMessage: () => ({ messageId, text: "mine" }),
  selectMessage: () => ({ messageId }),
  regenerate: () => ({ messageId }),
  sayToTask: () => ({ message: "mine" }),
  approveToolCall: () => ({ toolCallId: "call_1", approve: true }),
  createResponse: () => ({ model: "demo/koine", input: "history", previous_response_id: ids["responses"] }),
  createChatCompletion: () => ({ model: "demo/koine", messages: [{ role: "user", content: "history" }] }),
  createMessage: () => ({ model: "demo/koine", max_tokens: 9, messages: [{ role: "user", content: "history" }] }),
  chat: () => ({ id: ids["chat"], messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "history" }] }] }),
  createTask: () => ({ message: "history" }),
};
const QUERIES: Record<string, string> = { search: `?q=${SECRET.slice(0, 4)}*`, listThreads: "?limit=500" };

function pathOf({ paths: [path], operation }: Route): string {
  const filled = path
    .replace("*model", "demo/koine")
    .replace(/:(id|ref)\b/, () => ids[path.split("/")[2] ?? ""] ?? "nothing-known");
  return filled + (QUERIES[operation.id] ?? "");
}

const bodyOf = ({ method, operation }: Route): unknown =>
  method === "GET" || method === "DELETE" ? undefined : (BODIES[operation.id]?.() ?? {});
const titled = (routes: readonly Route[]): [string, Route][] =>
  routes.map((route) => [`${route.method} ${route.paths[0]}`, route]);
const OWNED = ROUTES.filter(({ paths }) => /:(id|ref)\b/.test(paths[0]));
const OTHERS = ROUTES.filter((route) => !OWNED.includes(route));

describe("what belongs to a tenant is there for it", () => {
  const readable = OWNED.filter(({ method, operation }) => method === "GET" && operation.id !== "resumeChat");

  test.each(titled(readable))("%s", async (_, route) => {
    const { status, text } = await call("aye", "GET", pathOf(route));
    expect(status, text).toBe(200);
  });
});

describe("and is not there for another", () => {
  test.each(titled(OWNED))("%s", async (_, route) => {
    const { status, text } = await call("bee", route.method, pathOf(route), bodyOf(route));
    // Nothing is being written of a chat that nobody knows.
    expect(status, text).toBe(route.operation.id === "resumeChat" ? 204 : 404);
    expect(text).not.toContain(SECRET);
  });

  test.each(titled(OTHERS.filter(({ open }) => open !== true)))("%s", async (_, route) => {
    const { status, text } = await call("bee", route.method, pathOf(route), bodyOf(route));
    expect(status, text).toBeLessThan(500);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(ids["threads"]);
  });

  test("nor has the other one changed anything by then", async () => {
    const { text } = await call("aye", "GET", `/v1/threads/${ids["threads"]}/tree`);
    expect(JSON.parse(text).messages).toHaveLength(2);
    expect((await call("aye", "GET", `/v1/chat/${ids["chat"]}`)).text).toContain(SECRET);
    expect((await call("aye", "GET", `/v1/responses/${ids["responses"]}`)).status).toBe(200);
  });
});

describe("without a token", () => {
  test.each(titled(ROUTES.filter(({ open }) => open !== true)))("%s is refused", async (_, route) => {
    const { status, text } = await call("nobody", route.method, pathOf(route), bodyOf(route));
    expect(status).toBe(401);
    expect(text).not.toContain(SECRET);
  });
});
