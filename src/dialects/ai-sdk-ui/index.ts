// The AI SDK's UI messages, and the stream of them that `useChat` reads.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { LOSSES } from "./losses.ts";
import { recognise } from "./recognise.ts";
import { streamDecoder } from "./stream-decode.ts";
import { streamEncoder } from "./stream-encode.ts";

export type {
  UiCitation,
  UiFile,
  UiMessage,
  UiPart,
  UiReasoning,
  UiSourceDocument,
  UiSourceUrl,
  UiStepStart,
  UiText,
  UiTool,
} from "./types.ts";

export const aiSdkUi = defineDialect({
  id: "ai-sdk-ui",
  title: "AI SDK UI messages",
  losses: LOSSES,
  detectKind: recognise,
  messages: { decode: decodeMessages, encode: encodeMessages },
  streams: { decoder: streamDecoder, encoder: streamEncoder },
});
