// The flat interchange shape: one message type for every provider, with provider data under `extra`.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { FLAT_LOSSES } from "./losses.ts";
import { FLAT } from "./wire-names.ts";

export type {
  FlatContentPart,
  FlatExtra,
  FlatMedia,
  FlatMessage,
  FlatText,
  FlatThinkingBlock,
  FlatToolCall,
} from "./types.ts";

/** The dialect of flat messages: one content field, with thinking and signature beside it. */
export const flat = defineDialect({
  id: FLAT,
  title: "Flat messages",
  losses: FLAT_LOSSES,
  messages: { decode: decodeMessages, encode: encodeMessages },
});
