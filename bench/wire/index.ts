// The four wire formats by dialect name.
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { DialectName, Wire } from "./wire.ts";

export const WIRES: Readonly<Record<DialectName, Wire>> = {
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  anthropic,
  gemini,
};
