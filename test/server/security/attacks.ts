// What a stranger who holds somebody's ids can do with them: every route there is, with every id in every place that
// the route has. The routes are the server's own; only what their bodies look like is written down here.
import type { Route } from "../../../src/server/types.ts";
import type { IdName, Ids } from "./belongings.ts";
import { QUESTIONS } from "./belongings.ts";
import type { Sent } from "./support.ts";

/** What the stranger has itself. */
export interface Own {
  thread: string;
  message: string;
  run: string;
  response: string;
  task: string;
  chat: string;
}

export interface Attack extends Sent {
  /** For people. */
  what: string;
  /** A stream that does not end by itself: what makes it say these words. */
  marker?: (words: string) => Sent;
}

const uiMessage = (text: string): object => ({ id: "u", role: "user", parts: [{ type: "text", text }] });
const canonical = (text: string, more: object = {}): object => ({
  role: "user",
  parts: [{ type: "text", text }, more].filter((part) => "type" in part),
});
const picture = (blob: string): object => ({ type: "image", mimeType: "image/png", blob });
const bodyOf = (name: string, text: string): unknown => QUESTIONS[name]?.(text).body;

/**
 * The bodies of each operation that has one: with an id wherever one can stand, and with the words of whoever owns it.
 * A route that is not here, or no longer there, fails the test.
 */
export const BODIES: Readonly<Record<string, (id: string, ids: Ids, own: Own) => unknown[]>> = {
  createChatCompletion: (_id, { word }) => [bodyOf("chatRun", `The ${word} of chatRun`)],
  createResponse: (id, { word }) => [
    bodyOf("responsesRun", `The ${word} of responsesRun`),
    { model: "demo/koine", input: "history", previous_response_id: id },
    { model: "demo/koine", input: [{ type: "item_reference", id }] },
    { model: "demo/koine", input: "history", conversation: id },
  ],
  createMessage: (_id, { word }) => [bodyOf("messagesRun", `The ${word} of messagesRun`)],
  generateContent: (id, { word }) => [
    bodyOf("geminiRun", `The ${word} of geminiRun`),
    { contents: [{ role: "user", parts: [{ text: "history" }] }], cachedContent: id },
  ],
  streamGenerateContent: (_id, { word }) => [bodyOf("geminiRun", `The ${word} of geminiRun`)],
  countMessageTokens: () => [bodyOf("messagesRun", "history")],
  countTokens: () => [bodyOf("geminiRun", "history")],
  cancelResponse: () => [{}],
  cancelRun: () => [{}],
  createTask: (id, { word }) => [{ name: word }, { message: "history", model: id }],
  sayToTask: (id) => [{ message: "history", mode: "steer" }, { message: { role: "tool", tool_call_id: id } }],
  cancelTask: () => [{}],
  approveToolCall: (id) => [{ toolCallId: id, approve: true }],
  createThread: (id, { blob, word }) => [
    { id, title: word },
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
  chat: (id, { word }) => [{ id, messages: [uiMessage(`A chat of ${word}`)] }],
};

const PARAM = /(?<=\/):(\w+)/;
/** Things that are made under an id which its maker names: from then on it is theirs. */
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

/** The path of a route with this id in it; what names a model names one. */
function filled(path: string, id: string): string {
  return path.replace(PARAM, encodeURIComponent(id)).replace("*model", "demo/koine");
}

function ownIdOf(path: string, own: Own): string {
  const kind = path.split("/").find((segment) => /^(threads|runs|responses|task|chat|blobs)$/.test(segment));
  const ids: Record<string, string> = { ...own, threads: own.thread, runs: own.run, responses: own.response };
  return ids[kind ?? ""] ?? "none";
}

/** Every attack on one route. */
export function attacksOn(route: Route, ids: Ids, own: Own): Attack[] {
  const { method, paths, operation } = route;
  const [first] = paths;
  const bodies = BODIES[operation.id];
  const made: Attack[] = [];
  const add = (place: string, name: string, sent: Partial<Sent> & { path: string }): void => {
    const what = `${operation.id}: the ${name} as ${place}`;
    made.push({ what, method, ...sent, ...(sent.body === undefined && bodies && { body: bodies("-", ids, own)[0] }) });
  };
  const ownPath = filled(first, ownIdOf(first, own));
  // The ids' own names.
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
  // Bodies in which no id stands are the same for all of them.
  const distinct = new Map(made.map((attack) => [JSON.stringify({ ...attack, what: "" }), attack]));
  return [...distinct.values()].map((attack) => withMarker(operation.id, attack, own));
}

/** Streams of a thread, of all of them or of a task go on for ever: something of the stranger's own ends the reading. */
function withMarker(id: string, attack: Attack, { thread, task }: Own): Attack {
  const isOf = (own: string): boolean => attack.path.includes(`/${own}/events`);
  if (id === "followThread" && isOf(thread)) {
    const path = `/v1/threads/${thread}/messages`;
    attack.marker = (words) => ({ method: "POST", path, body: { messages: [canonical(words)] } });
  } else if (id === "followThreads") {
    attack.marker = (words) => ({ method: "POST", path: "/v1/threads", body: { id: words } });
  } else if (id === "followTask" && isOf(task)) {
    const path = `/v1/task/${task}/message`;
    attack.marker = (message) => ({ method: "POST", path, body: { message } });
  }
  return attack;
}
