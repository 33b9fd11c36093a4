// Defines the dialect of runs: messages of `{ kind, payload }` parts that belong to a run, and the deltas of their
// streams.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { RUN_LOSSES } from "./losses.ts";
import { createDeltaDecoder, createDeltaEncoder } from "./streams.ts";

export type {
  RUN_ROLES,
  RunDelta,
  RunMessage,
  RunPart,
  RunPartKind,
  RunPayloads,
  RunRole,
  RunToolCall,
  RunToolResult,
} from "./types.ts";

/** The dialect of run messages, and of deltas that have a run id, a sequence number and a time. */
export const run = defineDialect({
  id: "run",
  title: "The run shape",
  losses: RUN_LOSSES,
  messages: { decode: decodeMessages, encode: encodeMessages },
  streams: { decoder: createDeltaDecoder, encoder: createDeltaEncoder },
});
