// Creates one tenant's data through the server's API: everything the server stores, and the ids that an attacker could
// know.
import type { KoineServer } from "../../../src/server/server.ts";
import type { ManualModel } from "../tasks/support.ts";
import { send, jsonOf, readUntil, type SentRequest, sendAndRead, textAt, type ReadReply, valueAt } from "./support.ts";

/** Data of a tenant that an attacker may know: ids, keys, cursors and texts. */
export interface TenantIds {
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
  tenantText: string;
}

export type IdName = keyof TenantIds;

/** Contained in every text of the tenant, and nowhere else. */
export const TENANT_TEXT = "Qoph";
/** Contained only where an attacker cannot know it from. */
export const SECRET_TEXT = "hush4711";

/** The same request in each protocol. */
export const TENANT_REQUESTS: Readonly<Record<string, (text: string) => Pick<SentRequest, "path" | "body">>> = {
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

/** Creates all data. At the end, the task runs on the manual model, with a queued message. */
export async function createTenantData(
  koine: KoineServer,
  token: string,
  manualModel: ManualModel,
): Promise<TenantIds> {
  const ids: Partial<TenantIds> = { tenantText: TENANT_TEXT, key: `key-of-${TENANT_TEXT}` };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<ReadReply> =>
    sendAndRead(koine, { method: "POST", path, body, headers }, token);
  const get = (path: string): Promise<ReadReply> => sendAndRead(koine, { method: "GET", path }, token);

  const userMessage = { role: "user", parts: [{ type: "text", text: `Where is the ${TENANT_TEXT}? ${SECRET_TEXT}` }] };
  ids.thread = textAt(
    jsonOf(await post("/v1/threads", { title: `${TENANT_TEXT} ${SECRET_TEXT}`, messages: [userMessage] })),
    "id",
  );
  const answered = jsonOf(await post(`/v1/threads/${ids.thread}/regenerate`, {}));
  ids.run = textAt(answered, "run", "id");
  ids.answer = textAt(answered, "messages", 0, "id");
  ids.message = textAt(jsonOf(await get(`/v1/threads/${ids.thread}/messages`)), "messages", 0, "id");

  for (const [name, question] of Object.entries(TENANT_REQUESTS)) {
    const { path, body } = question(`The ${TENANT_TEXT} of ${name}`);
    const headers =
      name === "chatRun" ? { "idempotency-key": ids.key ?? "", "x-koine-thread": `named-${TENANT_TEXT}` } : {};
    const texts = await post(path, body, headers);
    // The names of requests are those of runs.
    ids[name as IdName] = textAt(texts.headers, "x-koine-run");
    if (name !== "responsesRun") continue;
    const answered: unknown = JSON.parse(texts.text);
    ids.response = textAt(answered, "id");
    ids.item = textAt(answered, "output", 0, "id");
  }
  ids.named = `named-${TENANT_TEXT}`;
  ids.chat = `chat-${TENANT_TEXT}`;
  const page = [{ id: "u", role: "user", parts: [{ type: "text", text: `A chat of ${TENANT_TEXT} ${SECRET_TEXT}` }] }];
  await post("/v1/chat", { id: ids.chat, messages: page });
  ids.blob = textAt(jsonOf(await post("/v1/blobs", `The bytes of ${TENANT_TEXT} ${SECRET_TEXT}`)), "blob");
  ids.imported = await importThread(koine, token);

  const created = jsonOf(
    await post("/v1/task", {
      model: "manual/manual",
      name: SECRET_TEXT,
      message: `Look for the ${TENANT_TEXT} ${SECRET_TEXT}`,
    }),
  );
  ids.task = textAt(created, "task", "id");
  await manualModel.nextCall();
  const queued = jsonOf(
    await post(`/v1/task/${ids.task}/message`, { message: `And its ${TENANT_TEXT} lid ${SECRET_TEXT}` }),
  );
  if (queued["queued"] !== true) throw new Error("The task does not work.");
  ids.queued = textAt(queued, "id");
  ids.cursor = cursorIn((await get(`/v1/runs/${ids.run}/events`)).text);
  const events = await send(koine, { method: "GET", path: `/v1/task/${ids.task}/events` }, token);
  ids.taskCursor = cursorIn(await readUntil(events, "\nid: "));
  // All ids are set here.
  return ids as TenantIds;
}

/** Imports a thread. */
async function importThread(koine: KoineServer, token: string): Promise<string> {
  const messages = [{ role: "user", parts: [{ type: "text", text: `An imported ${TENANT_TEXT} ${SECRET_TEXT}` }] }];
  const created = await sendAndRead(koine, { method: "POST", path: "/v1/threads", body: { messages } }, token);
  const id = textAt(jsonOf(created), "id");
  const lines = await sendAndRead(koine, { method: "GET", path: `/v1/export?thread=${id}` }, token);
  await sendAndRead(koine, { method: "DELETE", path: `/v1/threads/${id}` }, token);
  const imported = jsonOf(await sendAndRead(koine, { method: "POST", path: "/v1/import", body: lines.text }, token));
  if (valueAt(imported, "threads") !== 1) throw new Error(`Nothing came in: ${JSON.stringify(imported)}`);
  return id;
}

/** Returns the id of the first event that has one. */
function cursorIn(text: string): string {
  const [, id] = /^id: (.*)$/m.exec(text) ?? [];
  if (id !== undefined) return id;
  throw new Error(`No event has an id: ${text}`);
}

/** Returns everything that the tenant can read, as one text. */
export async function readEverything(koine: KoineServer, token: string, ids: TenantIds): Promise<string> {
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
    `/v1/search?q=${ids.tenantText}&limit=200`,
  ];
  const texts: string[] = [];
  for (const path of paths) {
    const { status, text } = await sendAndRead(koine, { method: "GET", path }, token);
    texts.push(`${path} ${status} ${text}`);
  }
  return texts.join("\n");
}
