// Messages to tasks, which speak OpenAI's chat shape. Plain words need no dialect; for all else one is loaded.
import { type Message, textOf } from "koine";
import { ApiError } from "./http.ts";

/** Throws an `ApiError` for what a task cannot be told, instead of leaving it out. */
export async function wireMessageOf(message: Message): Promise<unknown> {
  const isPlain = message.role === "user" && message.parts.every((part) => part.type === "text");
  if (isPlain) return textOf(message);
  const { openaiChat } = await import("koine/dialects/openai-chat");
  const { wire, losses } = openaiChat().encodeMessages([message]);
  const lost = losses.find(({ level }) => level !== "note");
  if (lost !== undefined) throw new ApiError(0, "untranslatable", `A task cannot be told this: ${lost.message}`);
  // The wire of this dialect is a list of messages.
  return (wire as unknown[])[0];
}

/** The words of a message in that shape: enough to show it until its canonical form arrives. */
export function plainMessageOf({ content }: { content?: unknown }): Message {
  return { role: "user", parts: [{ type: "text", text: wordsOf(content) }] };
}

function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("");
}
