// What a call answered, as a response: the record keeps it as a message with the facts in its metadata.
import type { Message, Response, StoredMessage } from "koine";

/** The answer of a run, out of the messages of its branch; undefined where it said nothing, or more than one thing. */
export function answerOf(messages: readonly StoredMessage[], runId: string): Response | undefined {
  const said = messages.filter(({ metadata, role }) => metadata.runId === runId && role === "assistant");
  const [stored] = said;
  if (stored === undefined || said.length > 1) return undefined;
  const { role, parts, name, extra, metadata } = stored;
  const message: Message = { role, parts, ...(name !== undefined && { name }), ...(extra !== undefined && { extra }) };
  const { responseId, model = "", finishReason = { unified: "other" }, usage } = metadata;
  const id = typeof responseId === "string" ? responseId : "";
  return { id, model, message, finishReason, ...(usage !== undefined && { usage }) };
}
