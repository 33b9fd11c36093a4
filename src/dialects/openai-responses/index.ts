// OpenAI's Responses.
import { defineDialect } from "../define.ts";
import { LOSSES } from "./losses.ts";

export const openaiResponses = defineDialect({
  id: "openai-responses",
  title: "OpenAI Responses",
  losses: LOSSES,
  messages: {
    decode: () => [],
    encode: () => [],
  },
});
