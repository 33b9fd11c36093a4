// Defines the dialect of stored messages in the canonical model: it decodes every schema version, and encodes the
// current one or version 1.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { CANONICAL_LOSSES } from "./losses.ts";

export type {
  FilePartV1,
  MessageV1,
  PartV1,
  ReasoningPartV1,
  TextPartV1,
  ToolCallPartV1,
  ToolResultPartV1,
  VERSION_1_ROLES,
} from "./types.ts";

/** The dialect of stored canonical messages, in every schema version. */
export const canonical = defineDialect({
  id: "canonical",
  title: "The canonical shape",
  losses: CANONICAL_LOSSES,
  messages: { decode: decodeMessages, encode: encodeMessages },
});
