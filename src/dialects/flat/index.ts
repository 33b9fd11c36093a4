// Defines the dialect of flat messages: one message type for every provider, with provider data under `extra`.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { FLAT_LOSSES } from "./losses.ts";
import { FLAT } from "./field-names.ts";

export type {
  FlatContentPart,
  FlatExtra,
  FlatMedia,
  FlatMessage,
  FlatText,
  FlatThinkingBlock,
  FlatToolCall,
} from "./types.ts";

/**
 * The dialect of flat messages: text, reasoning and tool calls in separate fields of one message type, and provider
 * data in `extra`.
 */
export const flat = defineDialect({
  id: FLAT,
  title: "Flat messages",
  losses: FLAT_LOSSES,
  messages: { decode: decodeMessages, encode: encodeMessages },
});
