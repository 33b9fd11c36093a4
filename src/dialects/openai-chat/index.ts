// OpenAI's Chat Completions, and what speaks like it.
import { defineDialect } from "../define.ts";
import { LOSSES } from "./losses.ts";

export const openaiChat = defineDialect({
  id: "openai-chat",
  title: "OpenAI Chat Completions",
  losses: LOSSES,
  messages: {
    decode: () => [],
    encode: () => [],
  },
});
