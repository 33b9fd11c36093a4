// Builds the response of a recorded call from its stored message and metadata.
import type { Message, ModelResponse, StoredMessage } from "koine";

/** Returns the response of a run; undefined if the run stored no assistant message or several of them. */
export function buildRunResponse(messages: readonly StoredMessage[], runId: string): ModelResponse | undefined {
  const answers = messages.filter(({ metadata, role }) => metadata.runId === runId && role === "assistant");
  const [stored] = answers;
  if (stored === undefined || answers.length > 1) return undefined;
  const { role, parts, name, extra, metadata } = stored;
  const message: Message = { role, parts, ...(name !== undefined && { name }), ...(extra !== undefined && { extra }) };
  const { responseId, model = "", finishReason = { unified: "other" }, usage } = metadata;
  const id = typeof responseId === "string" ? responseId : "";
  return { id, model, message, finishReason, ...(usage !== undefined && { usage }) };
}
