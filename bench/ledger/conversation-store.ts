// The interface of a measured conversation store: messages are appended one turn at a time and loaded again.
import type { Message } from "../../src/model/index.ts";

export type Sync = "full" | "normal";

/** An open conversation, stored in its own file. */
export interface StoreSession {
  append(message: Message): Promise<unknown> | void;
  /** Loads and parses all messages and returns their number. */
  load(): Promise<number> | number;
  close(): Promise<void> | void;
}

export interface ConversationStore {
  name: string;
  /** The reason why the store cannot be measured; undefined if it can. */
  gap?: string;
  /** The maximum number of messages; undefined unless the store is slow. */
  maxMessages?: number;
  open(path: string, sync: Sync): Promise<StoreSession> | StoreSession;
}

/** Returns a text of 1,000 characters, different for every number. */
function createText(number: number): string {
  const words = ["ledger", "branch", "answer", "thread", "signature", "delta", "reason", "tool", "result", "cursor"];
  let text = `Message ${number}:`;
  for (let i = number; text.length < 1000; i += 7) text += ` ${words[i % words.length] ?? ""}${i % 89}`;
  return text.slice(0, 1000);
}

export function createMessage(number: number): Message {
  return { role: number % 2 === 0 ? "user" : "assistant", parts: [{ type: "text", text: createText(number) }] };
}
