// Converts messages to and from the OpenAI Chat Completions format, which the task routes use. The code of that dialect
// is loaded only for messages that have parts other than text.
import { type Message, getText } from "koine";
import { ApiError } from "./http.ts";

/**
 * Encodes a message in the Chat Completions format. Throws an `ApiError` if that format cannot represent all data of
 * the message.
 */
export async function encodeTaskMessage(message: Message): Promise<unknown> {
  const isTextOnly = message.role === "user" && message.parts.every((part) => part.type === "text");
  if (isTextOnly) return getText(message);
  const { openaiChat } = await import("koine/dialects/openai-chat");
  const { wire, losses } = openaiChat().encodeMessages([message]);
  const lost = losses.find(({ level }) => level !== "note");
  if (lost !== undefined)
    throw new ApiError(0, "untranslatable", `This message cannot be sent to a task: ${lost.message}`);
  // The cast is safe, because the dialect openai-chat encodes messages as a list.
  return (wire as unknown[])[0];
}

/**
 * Returns a canonical message with only the text of a Chat Completions message; the page shows it until the complete
 * canonical message arrives.
 */
export function decodeTaskText({ content }: { content?: unknown }): Message {
  return { role: "user", parts: [{ type: "text", text: readText(content) }] };
}

function readText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("");
}
