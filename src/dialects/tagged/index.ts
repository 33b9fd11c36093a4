// Defines the dialect of tagged messages: lists of parts, each tagged with its kind.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { TAGGED_LOSSES } from "./losses.ts";

export type {
  MediaData,
  TaggedAudio,
  TaggedDocument,
  TaggedImage,
  TaggedMessage,
  TaggedPart,
  TaggedRedactedThinking,
  TaggedRole,
  TaggedText,
  TaggedThinking,
  TaggedToolCall,
  TaggedToolResult,
} from "./types.ts";

/** The dialect of tagged messages: content parts with a `kind` and its data. */
export const tagged = defineDialect({
  id: "tagged",
  title: "Tagged messages",
  losses: TAGGED_LOSSES,
  messages: { decode: decodeMessages, encode: encodeMessages },
});
