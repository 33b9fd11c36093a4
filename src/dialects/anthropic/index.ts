// Anthropic's Messages.
import { defineDialect } from "../define.ts";
import { LOSSES } from "./losses.ts";

export const anthropic = defineDialect({
  id: "anthropic",
  title: "Anthropic Messages",
  losses: LOSSES,
  messages: {
    decode: () => [],
    encode: () => [],
  },
});
