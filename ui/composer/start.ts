// Begins a conversation: a thread with its first words and an answer asked for, or a task.
import { type Message, system, textOf } from "koine";
import type { Api } from "../data/api.ts";
import { messageForTask } from "./attachments.ts";
import type { Settings } from "./settings.ts";

export interface Beginning {
  model: string;
  message: Message;
}

export interface ChatBeginning extends Beginning {
  /** What the model is told before anything else; "" where there is nothing. */
  instructions: string;
  settings: Settings | undefined;
}

type ChatApi = Pick<Api, "newId" | "newKey" | "createThread" | "regenerate" | "removeThread">;

/** Gives the thread's id, once an answer is on its way. */
export async function startChat(api: ChatApi, beginning: ChatBeginning): Promise<string> {
  const { model, message, instructions, settings } = beginning;
  const id = api.newId();
  const title = titleOf(message);
  const messages = instructions.trim() === "" ? [message] : [system(instructions.trim()), message];
  const ask = { model, ...(settings && { settings }) };
  // The thread remembers how it is asked.
  const thread = { id, messages, metadata: { page: ask }, ...(title !== undefined && { title }) };
  const { activeLeafId } = await api.createThread(thread);
  if (activeLeafId === null) throw new Error("The server has kept no message.");
  try {
    await api.regenerate(id, { messageId: activeLeafId, ...ask }, api.newKey());
  } catch (error) {
    // Nobody was asked: what was written is still in its field, and is not to stand in a second thread as well.
    await api.removeThread(id).catch(() => undefined);
    throw error;
  }
  return id;
}

export interface TaskBeginning extends Beginning {
  approval: "ask" | "never";
}

export async function startTask(
  api: Pick<Api, "newKey" | "createTask">,
  { model, message, approval }: TaskBeginning,
): Promise<string> {
  const asks = approval === "ask" ? { approval } : {};
  return (await api.createTask({ model, message: messageForTask(message), ...asks }, api.newKey())).id;
}

const LONGEST_TITLE = 80;

/** The first words, on one line. */
export function titleOf(message: Pick<Message, "parts">): string | undefined {
  const text = textOf(message).trim().replaceAll(/\s+/g, " ");
  if (text.length <= LONGEST_TITLE) return text === "" ? undefined : text;
  // Never half of a character.
  return `${text.slice(0, LONGEST_TITLE - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
