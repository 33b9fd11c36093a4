// What a store of conversations has to offer to be measured: messages go in one turn at a time, and come out again.
import type { Message } from "../../src/model/index.ts";

export type Sync = "full" | "normal";

/** One conversation in a file of its own. */
export interface Session {
  append(message: Message): Promise<unknown> | void;
  /** The number of messages read, each parsed. */
  load(): Promise<number> | number;
  close(): Promise<void> | void;
}

export interface Keeper {
  name: string;
  /** Why there is nothing to measure, if so. */
  gap?: string;
  /** The most messages that are worth waiting for. */
  most?: number;
  open(path: string, sync: Sync): Promise<Session> | Session;
}

/** A text that looks like language, 1,000 characters long, another for every number. */
function textOf(number: number): string {
  const words = ["ledger", "branch", "answer", "thread", "signature", "delta", "reason", "tool", "result", "cursor"];
  let text = `Message ${number}:`;
  for (let i = number; text.length < 1000; i += 7) text += ` ${words[i % words.length] ?? ""}${i % 89}`;
  return text.slice(0, 1000);
}

export function messageOf(number: number): Message {
  return { role: number % 2 === 0 ? "user" : "assistant", parts: [{ type: "text", text: textOf(number) }] };
}
