// Gemini's generateContent.
import { defineDialect } from "../define.ts";
import { LOSSES } from "./losses.ts";

export const gemini = defineDialect({
  id: "gemini",
  title: "Gemini generateContent",
  losses: LOSSES,
  messages: {
    decode: () => [],
    encode: () => [],
  },
});
