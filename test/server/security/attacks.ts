// Attacks with ids of another tenant: every route, with every id in every position. The routes are the server's own;
// only the bodies are listed here.
import type { Route } from "../../../src/server/types.ts";
import type { IdName, TenantIds } from "./tenant-data.ts";
import { TENANT_REQUESTS } from "./tenant-data.ts";
import type { SentRequest } from "./support.ts";

/** Data of the attacker itself. */
export interface AttackerData {
  thread: string;
  message: string;
  run: string;
  response: string;
  task: string;
  chat: string;
}

export interface Attack extends SentRequest {
  /** A description for messages. */
  what: string;
  /** For endless streams: a request that makes the stream contain the marker. */
  marker?: (marker: string) => SentRequest;
}

const uiMessage = (text: string): object => ({ id: "u", role: "user", parts: [{ type: "text", text }] });
const canonical = (text: string, more: object = {}): object => ({
  role: "user",
  parts: [{ type: "text", text }, more].filter((part) => "type" in part),
});
const picture = (blob: string): object => ({ type: "image", mimeType: "image/png", blob });
const bodyOf = (name: string, text: string): unknown => TENANT_REQUESTS[name]?.(text).body;

/**
 * The bodies of each operation that has one: with an id in every possible position, and with texts of its owner. A
 * missing or unknown route fails the test.
 */
export const BODIES: Readonly<Record<string, (id: string, ids: TenantIds, own: AttackerData) => unknown[]>> = {
  createChatCompletion: (_id, { tenantText }) => [bodyOf("chatRun", `The ${tenantText} of chatRun`)],
  createResponse: (id, { tenantText }) => [
    bodyOf("responsesRun", `The ${tenantText} of responsesRun`),
    { model: "demo/koine", input: "history", previous_response_id: id },
    { model: "demo/koine", input: [{ type: "item_reference", id }] },
    { model: "demo/koine", input: "history", conversation: id },
  ],
  createMessage: (_id, { tenantText }) => [bodyOf("messagesRun", `The ${tenantText} of messagesRun`)],
  generateContent: (id, { tenantText }) => [
    bodyOf("geminiRun", `The ${tenantText} of geminiRun`),
    { contents: [{ role: "user", parts: [{ text: "history" }] }], cachedContent: id },
  ],
  streamGenerateContent: (_id, { tenantText }) => [bodyOf("geminiRun", `The ${tenantText} of geminiRun`)],
  countMessageTokens: () => [bodyOf("messagesRun", "history")],
  countTokens: () => [bodyOf("geminiRun", "history")],
  cancelResponse: () => [{}],
  cancelRun: () => [{}],
  createTask: (id, { tenantText }) => [{ name: tenantText }, { message: "history", model: id }],
  postTaskMessage: (id) => [{ message: "history", mode: "steer" }, { message: { role: "tool", tool_call_id: id } }],
  cancelTask: () => [{}],
  approveToolCall: (id) => [{ toolCallId: id, approve: true }],
  createThread: (id, { blob, tenantText }) => [
    { id, title: tenantText },
    { messages: [canonical("seen", picture(blob))] },
    { messages: [{ ...canonical("twice"), id }] },
  ],
  updateThread: () => [{ title: "mine", metadata: { mine: true } }],
  appendMessages: (id, { blob }) => [
    { messages: [canonical("under")], parentMessageId: id },
    { messages: [canonical("after")], expectedLeaf: id },
    { messages: [canonical("seen", picture(blob))] },
  ],
  forkThread: (id, _ids, { message }) => [{ messageId: id }, { messageId: message, id }],
  editMessage: (id, _ids, { message }) => [
    { messageId: id, text: "mine" },
    { messageId: message, text: "mine", expectedLeaf: id },
  ],
  selectMessage: (id) => [{ messageId: id }],
  regenerate: (id) => [{ messageId: id }],
  importThreads: (id) => [
    `{"format":"koine-ledger","version":1,"kind":"thread","id":${JSON.stringify(id)},"title":"t","scope":null,"createdAt":"2026-01-01T00:00:00.000Z","activeLeafId":null}\n{"kind":"end","messages":0,"runs":0,"states":0}\n`,
  ],
  putBlob: () => ["bytes of my own"],
  translate: () => [{ from: "anthropic", to: "gemini", kind: "request", payload: bodyOf("messagesRun", "history") }],
  chat: (id, { tenantText }) => [{ id, messages: [uiMessage(`A chat of ${tenantText}`)] }],
};

const PARAM = /(?<=\/):(\w+)/;
/** Operations that create something under an id of the client's choice, which then belongs to it. */
export const MAKES: ReadonlySet<string> = new Set([
  "createThread",
  "forkThread",
  "importThreads",
  "chat",
  "createChatCompletion",
  "createResponse",
  "createMessage",
  "generateContent",
  "streamGenerateContent",
]);
const HEADER_IDS: ReadonlySet<IdName> = new Set(["thread", "named", "chat", "task", "key", "cursor"]);
const SPELLED_IDS: ReadonlySet<IdName> = new Set(["thread", "response", "task", "chat"]);

/** Returns the path of a route with the id; model parameters get a model. */
function filled(path: string, id: string): string {
  return path.replace(PARAM, encodeURIComponent(id)).replace("*model", "demo/koine");
}

function ownIdOf(path: string, own: AttackerData): string {
  const kind = path.split("/").find((segment) => /^(threads|runs|responses|task|chat|blobs)$/.test(segment));
  const ids: Record<string, string> = { ...own, threads: own.thread, runs: own.run, responses: own.response };
  return ids[kind ?? ""] ?? "none";
}

/** Returns all attacks on one route. */
export function attacksOn(route: Route, ids: TenantIds, own: AttackerData): Attack[] {
  const { method, paths, operation } = route;
  const [first] = paths;
  const bodies = BODIES[operation.id];
  const attacks: Attack[] = [];
  const add = (position: string, name: string, sent: Partial<SentRequest> & { path: string }): void => {
    const what = `${operation.id}: the ${name} as ${position}`;
    attacks.push({
      what,
      method,
      ...sent,
      ...(sent.body === undefined && bodies && { body: bodies("-", ids, own)[0] }),
    });
  };
  const ownPath = filled(first, ownIdOf(first, own));
  // The names of the ids.
  const all = Object.entries(ids) as [IdName, string][];
  if (!PARAM.test(first)) for (const path of paths) add("nothing", "path", { path: filled(path, "") });
  for (const [name, id] of all) {
    const spelled = PARAM.test(first) ? (SPELLED_IDS.has(name) ? paths : [first]) : [];
    for (const path of spelled) add(`part of ${path}`, name, { path: filled(path, id) });
    for (const field of Object.keys(operation.query ?? {})) {
      add(`the query's ${field}`, name, { path: `${ownPath}?${field}=${encodeURIComponent(id)}` });
    }
    for (const header of HEADER_IDS.has(name) ? Object.keys(operation.headers ?? {}) : []) {
      add(header, name, { path: ownPath, headers: { [header]: id } });
    }
    for (const body of bodies?.(id, ids, own) ?? [])
      add(`a field of ${JSON.stringify(body)}`, name, { path: ownPath, body });
  }
  // Bodies without an id are equal for all ids.
  const distinct = new Map(attacks.map((attack) => [JSON.stringify({ ...attack, what: "" }), attack]));
  return [...distinct.values()].map((attack) => withMarker(operation.id, attack, own));
}

/** Streams of threads and tasks are endless: a marker of the attacker ends the reading. */
function withMarker(id: string, attack: Attack, { thread, task }: AttackerData): Attack {
  const isOf = (own: string): boolean => attack.path.includes(`/${own}/events`);
  if (id === "followThread" && isOf(thread)) {
    const path = `/v1/threads/${thread}/messages`;
    attack.marker = (marker) => ({ method: "POST", path, body: { messages: [canonical(marker)] } });
  } else if (id === "followThreads") {
    attack.marker = (marker) => ({ method: "POST", path: "/v1/threads", body: { id: marker } });
  } else if (id === "followTask" && isOf(task)) {
    const path = `/v1/task/${task}/message`;
    attack.marker = (message) => ({ method: "POST", path, body: { message } });
  }
  return attack;
}
