// Begins a conversation: a thread with its first words and an answer asked for, or a task. A beginning has its ids before it
// is sent, and the same ones at every try: what was begun is not begun again.
import { type Message, sameJson, system, textOf } from "koine";
import type { Api } from "../data/api.ts";
import { mayHaveArrived } from "../data/http.ts";
import { messageForTask } from "./attachments.ts";
import type { Settings } from "./settings.ts";
import { onForgotten, type Shelf, tabShelf } from "./shelf.ts";

/** What is to be begun. */
export interface Wish {
  kind: "chat" | "task";
  model: string;
  message: Message;
  /** What the model of a chat is told before anything else; "" where there is nothing. */
  instructions: string;
  settings?: Settings;
  /** Of a task's tools. */
  approval: "ask" | "never";
}

export interface Beginning {
  /** Of the thread. */
  id: string;
  key: string;
  wish: Wish;
  /** "left": the page was left while it was being sent. */
  stage: "sending" | "failed" | "left";
}

/** The beginning that is on its way, or of which nobody knows whether it has arrived. */
export class Beginnings {
  readonly #shelf: Shelf;
  #current: Beginning | undefined;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
    // Written by `set` alone.
    const stored = shelf.get("start") as Beginning | undefined;
    this.#current = stored?.stage === "sending" ? { ...stored, stage: "left" } : stored;
  }

  get(): Beginning | undefined {
    return this.#current;
  }

  set(beginning: Beginning | undefined): void {
    this.#current = beginning;
    // Too large for it: what stands there is another one.
    if (!this.#shelf.set("start", beginning)) this.#shelf.set("start", undefined);
  }
}

export const beginnings = new Beginnings(tabShelf);
onForgotten(() => beginnings.set(undefined));

type StartApi = Pick<Api, "newId" | "newKey" | "createThread" | "regenerate" | "removeThread" | "runs" | "createTask">;

/** Begins what is wished, or goes on with it where it was tried before. Gives the thread's id. */
export async function start(api: StartApi, wish: Wish, pending: Beginnings = beginnings): Promise<string> {
  const former = pending.get();
  const isAgain = former !== undefined && sameJson(former.wish, wish);
  const beginning: Beginning = isAgain ? former : { id: api.newId(), key: api.newKey(), wish, stage: "sending" };
  pending.set({ ...beginning, stage: "sending" });
  try {
    if (former !== undefined && !isAgain) await dropUnasked(api, former);
    const id = wish.kind === "task" ? await startTask(api, beginning) : await startChat(api, beginning, isAgain);
    pending.set(undefined);
    return id;
  } catch (error) {
    pending.set(mayHaveArrived(error) ? { ...beginning, stage: "failed" } : undefined);
    throw error;
  }
}

async function startChat(api: StartApi, { id, key, wish }: Beginning, isAgain: boolean): Promise<string> {
  const { model, message, instructions, settings } = wish;
  const title = titleOf(message);
  const messages = instructions.trim() === "" ? [message] : [system(instructions), message];
  const ask = { model, ...(settings && { settings }) };
  // The thread remembers how it is asked.
  const thread = { id, messages, metadata: { page: ask }, ...(title !== undefined && { title }) };
  const { activeLeafId } = await api.createThread(thread);
  if (activeLeafId === null) throw new Error("The server has kept no message.");
  // An earlier try may have come so far.
  if (isAgain && (await api.runs(id, { last: 1 })).length > 0) return id;
  try {
    await api.regenerate(id, { messageId: activeLeafId, ...ask }, key, true);
  } catch (error) {
    // Nobody was asked: what was written is still in its field, and is not to stand in a second thread as well.
    if (!mayHaveArrived(error)) await api.removeThread(id).catch(() => undefined);
    throw error;
  }
  return id;
}

async function startTask(api: StartApi, { key, wish }: Beginning): Promise<string> {
  const { model, message, approval } = wish;
  const asks = approval === "ask" ? { approval } : {};
  return (await api.createTask({ model, message: messageForTask(message), ...asks }, key)).id;
}

/** Other words are sent now: a thread in which nobody was asked for an answer is not left behind. */
async function dropUnasked(api: StartApi, { id, wish }: Beginning): Promise<void> {
  if (wish.kind === "task") return;
  const runs = await api.runs(id, { last: 1 }).catch(() => undefined);
  if (runs?.length === 0) await api.removeThread(id).catch(() => undefined);
}

const LONGEST_TITLE = 80;

/** The first words, on one line. */
export function titleOf(message: Pick<Message, "parts">): string | undefined {
  const text = textOf(message).trim().replaceAll(/\s+/g, " ");
  if (text.length <= LONGEST_TITLE) return text === "" ? undefined : text;
  // Never half of a character.
  return `${text.slice(0, LONGEST_TITLE - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
