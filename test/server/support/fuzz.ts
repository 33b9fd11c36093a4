// Requests that nobody means, to every route there is: what comes back must be a reply in words, never a fault inside.
import fc from "fast-check";
import type { KoineServer } from "../../../src/server/server.ts";
import type { Route } from "../../../src/server/types.ts";

/** A request as it is sent, and enough to send it again. */
export interface Nonsense {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Bodies that mean something, to be broken: each route finds one among them that it would take. */
const SENSE: readonly object[] = [
  { model: "demo/koine", messages: [{ role: "user", content: "hello" }], stream: false, max_tokens: 5 },
  { model: "demo/koine", messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }], stream: true },
  {
    model: "demo/koine",
    messages: [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{" } }],
      },
      { role: "tool", tool_call_id: "c", content: "x" },
    ],
    tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }],
  },
  { model: "demo/koine", input: "hello", previous_response_id: "resp_1", store: true },
  {
    model: "demo/koine",
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }],
    stream: true,
  },
  { contents: [{ role: "user", parts: [{ text: "hello" }] }], generationConfig: { maxOutputTokens: 5 } },
  { message: "hello", model: "demo/koine", name: "n" },
  { message: { role: "user", content: "hello" }, mode: "steer" },
  {
    title: "t",
    metadata: { a: 1 },
    messageId: "m",
    message: { role: "user", parts: [{ type: "text", text: "hello" }] },
  },
  { messages: [{ role: "user", parts: [{ type: "text", text: "hello" }] }], parentMessageId: null },
  {
    id: "chat-1",
    messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "hello" }] }],
    trigger: "submit-message",
  },
  { from: "openai-chat", to: "anthropic", kind: "request", payload: { model: "m", messages: [] } },
  { toolCallId: "c", approve: true },
];

const strange = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1e308, "", "x", "\u0000", "__proto__", "\ud800", [], {}, [[]], [null], {
    a: null,
  }),
  fc.jsonValue({ maxDepth: 3 }),
);
const SEGMENTS = ["x", "01M7J7NT54MC3TKQ7JCNNSH695", "demo%2Fkoine", "%00", "..", "null", "a".repeat(300)];

/** One request to one of the routes; `ids` name what there is. */
export function arbitraryNonsense(routes: readonly Route[], ids: readonly string[]): fc.Arbitrary<Nonsense> {
  const segment = fc.oneof(fc.constantFrom(...ids), fc.constantFrom(...SEGMENTS));
  return fc.constantFrom(...routes).chain((route) =>
    fc.record({
      method: fc.constant(route.method),
      path: fc
        .tuple(fc.constantFrom(...route.paths), segment, query)
        .map(([path, name, search]) => filled(path, name) + search),
      headers,
      body: route.method === "GET" ? fc.constant(undefined) : body,
    }),
  );
}

const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  fc
    .tuple(
      fc.constantFrom(
        "limit",
        "after",
        "before",
        "branch",
        "dialect",
        "stream",
        "order",
        "alt",
        "q",
        "namespace",
        "thread",
        "kind",
      ),
      fc.constantFrom("", "0", "-1", "1e9", "x", "true", "sse", "anthropic", "\u0000", "ö"),
    )
    .map(([name, value]) => `?${new URLSearchParams({ [name]: value }).toString()}`),
);
const headers = fc.dictionary(
  fc.constantFrom(
    "x-koine-thread",
    "x-koine-record",
    "x-koine-on-breaks",
    "idempotency-key",
    "last-event-id",
    "anthropic-version",
  ),
  fc.constantFrom("", "off", "send", "x", "01M7J7NT54MC3TKQ7JCNNSH695", "a".repeat(300)),
  { maxKeys: 2, noNullPrototype: true },
);
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom(...SENSE), fc.array(fc.tuple(fc.nat(), strange), { maxLength: 3 })).map(broken),
  },
  { weight: 1, arbitrary: strange.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.constantFrom(...SENSE).chain((value) => cut(JSON.stringify(value))) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);

function cut(text: string): fc.Arbitrary<string> {
  return fc.nat(text.length).map((at) => text.slice(0, at));
}

function filled(path: string, name: string): string {
  return path.replace(/[:*]\w+(?=\/|$|:)/g, (found) =>
    found.startsWith(":") && !/^:(id|\w+Id|ref|name)$/.test(found) ? found : name,
  );
}

/** The value with some places in it replaced. */
function broken([value, changes]: [object, [number, unknown][]]): string {
  const copy = structuredClone(value);
  for (const [pick, change] of changes) {
    const places: [Record<string, unknown>, string][] = [];
    collect(copy, places);
    const [container, key] = places[pick % places.length] ?? [];
    if (container !== undefined && key !== undefined) container[key] = structuredClone(change);
  }
  return JSON.stringify(copy);
}

function collect(value: unknown, places: [Record<string, unknown>, string][]): void {
  if (typeof value !== "object" || value === null) return;
  // Arrays have keys, too.
  const container = value as Record<string, unknown>;
  for (const key of Object.keys(container)) {
    places.push([container, key]);
    collect(container[key], places);
  }
}

/** Sends it, and reads the reply to its end, or the beginning of one that has none. */
export async function send(
  server: KoineServer,
  { method, path, headers: given, body: text }: Nonsense,
): Promise<{ status: number; text: string }> {
  const leave = new AbortController();
  const init = { method, headers: { "content-type": "application/json", ...given }, signal: leave.signal };
  const request = new Request(`http://localhost${path}`, text === undefined ? init : { ...init, body: text });
  const reply = await server.fetch(request);
  const isFollowed = /event-stream/.test(reply.headers.get("content-type") ?? "") && method === "GET";
  if (isFollowed) {
    leave.abort();
    return { status: reply.status, text: "" };
  }
  return { status: reply.status, text: await reply.text() };
}
