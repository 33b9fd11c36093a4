// Converts messages to and from the OpenAI chat format that the task routes use. The dialect is loaded only for
// messages with other parts than text.
import { type Message, getText } from "koine";
import { ApiError } from "./http.ts";

/** Throws an `ApiError` if the chat format cannot represent the message, instead of dropping data. */
export async function encodeTaskMessage(message: Message): Promise<unknown> {
  const isTextOnly = message.role === "user" && message.parts.every((part) => part.type === "text");
  if (isTextOnly) return getText(message);
  const { openaiChat } = await import("koine/dialects/openai-chat");
  const { wire, losses } = openaiChat().encodeMessages([message]);
  const lost = losses.find(({ level }) => level !== "note");
  if (lost !== undefined)
    throw new ApiError(0, "untranslatable", `This message cannot be sent to a task: ${lost.message}`);
  // This dialect encodes messages as a list.
  return (wire as unknown[])[0];
}

/** Returns a message with the text of a chat message; shown until its canonical form arrives. */
export function decodeTaskText({ content }: { content?: unknown }): Message {
  return { role: "user", parts: [{ type: "text", text: readText(content) }] };
}

function readText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("");
}
