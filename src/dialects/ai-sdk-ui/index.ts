// Defines the dialect of the AI SDK's UI messages and of the UI message stream that `useChat` reads.
import { defineDialect } from "../define.ts";
import { decodeMessages } from "./decode.ts";
import { encodeMessages } from "./encode.ts";
import { UI_MESSAGE_LOSSES } from "./losses.ts";
import { detectKind } from "./detect-kind.ts";
import { createStreamDecoder } from "./decode-stream.ts";
import { createStreamEncoder } from "./encode-stream.ts";

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

/** The dialect of the AI SDK's UI messages and of the stream that `useChat` reads. */
export const aiSdkUi = defineDialect({
  id: "ai-sdk-ui",
  title: "AI SDK UI messages",
  losses: UI_MESSAGE_LOSSES,
  detectKind,
  messages: { decode: decodeMessages, encode: encodeMessages },
  streams: { decoder: createStreamDecoder, encoder: createStreamEncoder },
});
