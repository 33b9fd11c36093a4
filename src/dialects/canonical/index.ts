// The canonical shape: the model itself as stored messages, in any version in, in the current or the first one out.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { CANONICAL_LOSSES } from "./losses.ts";

export type * from "./types.ts";

export const canonical = defineDialect({
  id: "canonical",
  title: "The canonical shape",
  losses: CANONICAL_LOSSES,
  messages: { decode: decodeMessages, encode: encodeMessages },
});
