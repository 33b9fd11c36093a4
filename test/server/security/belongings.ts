// One tenant's belongings: everything that the server keeps for somebody, made through its own doors, and the ids that
// a stranger could have got hold of.
import type { KoineServer } from "../../../src/server/server.ts";
import type { HeldModel } from "../tasks/support.ts";
import { ask, jsonOf, readUntil, type Sent, tell, textAt, type Told, within } from "./support.ts";

/** What a stranger may hold of somebody: ids, keys, places in streams, and words. */
export interface Ids {
  thread: string;
  named: string;
  imported: string;
  chat: string;
  message: string;
  answer: string;
  run: string;
  chatRun: string;
  messagesRun: string;
  geminiRun: string;
  response: string;
  item: string;
  responsesRun: string;
  task: string;
  queued: string;
  blob: string;
  key: string;
  cursor: string;
  taskCursor: string;
  word: string;
}

export type IdName = keyof Ids;

/** Stands in everything that the tenant says, and nowhere else. */
export const WORD = "Qoph";
/** Stands where no stranger could know it from. */
export const UNTOLD = "hush4711";

/** The same question in each protocol. */
export const QUESTIONS: Readonly<Record<string, (text: string) => Pick<Sent, "path" | "body">>> = {
  chatRun: (text) => ({
    path: "/v1/chat/completions",
    body: { model: "demo/koine", messages: [{ role: "user", content: text }] },
  }),
  messagesRun: (text) => ({
    path: "/v1/messages",
    body: { model: "demo/koine", max_tokens: 99, stream: true, messages: [{ role: "user", content: text }] },
  }),
  geminiRun: (text) => ({
    path: "/v1beta/models/demo/koine:generateContent",
    body: { contents: [{ role: "user", parts: [{ text }] }] },
  }),
  responsesRun: (text) => ({ path: "/v1/responses", body: { model: "demo/koine", input: text } }),
};

/** Makes all of it. The task is at work on the held model when this resolves, and a message waits for it. */
export async function settle(koine: KoineServer, token: string, held: HeldModel): Promise<Ids> {
  const ids: Partial<Ids> = { word: WORD, key: `key-of-${WORD}` };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Told> =>
    tell(koine, { method: "POST", path, body, headers }, token);
  const get = (path: string): Promise<Told> => tell(koine, { method: "GET", path }, token);

  const said = { role: "user", parts: [{ type: "text", text: `Where is the ${WORD}? ${UNTOLD}` }] };
  ids.thread = textAt(jsonOf(await post("/v1/threads", { title: `${WORD} ${UNTOLD}`, messages: [said] })), "id");
  const answered = jsonOf(await post(`/v1/threads/${ids.thread}/regenerate`, {}));
  ids.run = textAt(answered, "run", "id");
  ids.answer = textAt(answered, "messages", 0, "id");
  ids.message = textAt(jsonOf(await get(`/v1/threads/${ids.thread}/messages`)), "messages", 0, "id");

  for (const [name, question] of Object.entries(QUESTIONS)) {
    const { path, body } = question(`The ${WORD} of ${name}`);
    const headers = name === "chatRun" ? { "idempotency-key": ids.key ?? "", "x-koine-thread": `named-${WORD}` } : {};
    const told = await post(path, body, headers);
    // The names of questions are those of runs.
    ids[name as IdName] = textAt(told.headers, "x-koine-run");
    if (name !== "responsesRun") continue;
    const answered: unknown = JSON.parse(told.text);
    ids.response = textAt(answered, "id");
    ids.item = textAt(answered, "output", 0, "id");
  }
  ids.named = `named-${WORD}`;
  ids.chat = `chat-${WORD}`;
  const page = [{ id: "u", role: "user", parts: [{ type: "text", text: `A chat of ${WORD} ${UNTOLD}` }] }];
  await post("/v1/chat", { id: ids.chat, messages: page });
  ids.blob = textAt(jsonOf(await post("/v1/blobs", `The bytes of ${WORD} ${UNTOLD}`)), "blob");
  ids.imported = await importThread(koine, token);

  const made = jsonOf(
    await post("/v1/task", { model: "held/held", name: UNTOLD, message: `Look for the ${WORD} ${UNTOLD}` }),
  );
  ids.task = textAt(made, "task", "id");
  await held.asked();
  const queued = jsonOf(await post(`/v1/task/${ids.task}/message`, { message: `And its ${WORD} lid ${UNTOLD}` }));
  if (queued["queued"] !== true) throw new Error("The task does not work.");
  ids.queued = textAt(queued, "id");
  ids.cursor = cursorIn((await get(`/v1/runs/${ids.run}/events`)).text);
  const events = await ask(koine, { method: "GET", path: `/v1/task/${ids.task}/events` }, token);
  ids.taskCursor = cursorIn(await readUntil(events, "\nid: "));
  // All of them are there now.
  return ids as Ids;
}

/** A thread that came by an export. */
async function importThread(koine: KoineServer, token: string): Promise<string> {
  const messages = [{ role: "user", parts: [{ type: "text", text: `An imported ${WORD} ${UNTOLD}` }] }];
  const made = await tell(koine, { method: "POST", path: "/v1/threads", body: { messages } }, token);
  const id = textAt(jsonOf(made), "id");
  const lines = await tell(koine, { method: "GET", path: `/v1/export?thread=${id}` }, token);
  await tell(koine, { method: "DELETE", path: `/v1/threads/${id}` }, token);
  const imported = jsonOf(await tell(koine, { method: "POST", path: "/v1/import", body: lines.text }, token));
  if (within(imported, "threads") !== 1) throw new Error(`Nothing came in: ${JSON.stringify(imported)}`);
  return id;
}

/** The place of the first event that has one. */
function cursorIn(text: string): string {
  const [, id] = /^id: (.*)$/m.exec(text) ?? [];
  if (id !== undefined) return id;
  throw new Error(`No event has an id: ${text}`);
}

/** Everything that the tenant can read, in one text. */
export async function inventory(koine: KoineServer, token: string, ids: Ids): Promise<string> {
  const paths = [
    "/v1/export",
    "/v1/threads?limit=500",
    `/v1/threads/${ids.thread}/tree`,
    `/v1/threads/${ids.named}/runs`,
    `/v1/runs/${ids.run}`,
    `/v1/responses/${ids.response}`,
    `/v1/responses/${ids.response}/input_items`,
    `/v1/task/${ids.task}`,
    "/v1/queued_messages",
    `/v1/blobs/${ids.blob}`,
    `/v1/chat/${ids.chat}`,
    `/v1/search?q=${ids.word}&limit=200`,
  ];
  const told: string[] = [];
  for (const path of paths) {
    const { status, text } = await tell(koine, { method: "GET", path }, token);
    told.push(`${path} ${status} ${text}`);
  }
  return told.join("\n");
}
