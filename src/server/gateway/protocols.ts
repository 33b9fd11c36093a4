// Defines the client protocols of the gateway: each has a dialect, a heartbeat, an error event, an end detection and
// forwarded headers. The URL paths of the protocols are in index.ts.
import type { Dialect } from "../../dialects/index.ts";
import { dialect } from "../../dialects/index.ts";
import type { ProviderError } from "../../model/index.ts";
import { formatSse, formatSseComment } from "../../sse/index.ts";
import type { DetectStreamEnd } from "./detect-stream-end.ts";
import { detectChatEnd, detectEndByType, detectGeminiEnd } from "./detect-stream-end.ts";

export type ClientProtocolId = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export interface ClientProtocol {
  readonly id: ClientProtocolId;
  readonly dialect: Dialect;
  /** The text that keeps the connection of a stream open; the official SDKs ignore it (B87). */
  readonly heartbeat: string;
  /**
   * Formats the event that ends a stream with an error. Used for forwarded streams, which have no stream encoder that
   * could create the event.
   */
  failureEvent(error: ProviderError): string;
  /** Detects the end of a stream from one of its events. */
  readonly detectEnd: DetectStreamEnd;
  /** Client headers that are forwarded to a provider of the same dialect. */
  readonly forwardedHeaders: readonly string[];
}

/** The heartbeat of protocols without a heartbeat event: an SSE comment, which all SDKs skip. */
const COMMENT_HEARTBEAT = formatSseComment("koine");

function errorEvent(protocol: Dialect, event?: string): ClientProtocol["failureEvent"] {
  return (error) => {
    const { raw: _, ...bare } = error;
    // The cast is safe: without `raw`, every dialect encodes an error as an object.
    const data = protocol.encodeError(bare).wire as object;
    return formatSse(event === undefined ? { data } : { event, data });
  };
}

const chat = dialect("openai-chat");
const responses = dialect("openai-responses");
const anthropic = dialect("anthropic");
const gemini = dialect("gemini");

export const CLIENT_PROTOCOLS: Readonly<Record<ClientProtocolId, ClientProtocol>> = {
  "openai-chat": {
    id: "openai-chat",
    dialect: chat,
    heartbeat: COMMENT_HEARTBEAT,
    failureEvent: errorEvent(chat),
    detectEnd: detectChatEnd,
    forwardedHeaders: ["openai-beta"],
  },
  "openai-responses": {
    id: "openai-responses",
    dialect: responses,
    heartbeat: COMMENT_HEARTBEAT,
    failureEvent({ message, kind }) {
      const data = { type: "error", code: kind.replaceAll("-", "_"), message, param: null, sequence_number: 0 };
      return formatSse({ event: "error", data });
    },
    detectEnd: detectEndByType(["response.completed", "response.incomplete"], ["response.failed", "error"]),
    forwardedHeaders: ["openai-beta"],
  },
  anthropic: {
    id: "anthropic",
    dialect: anthropic,
    heartbeat: formatSse({ event: "ping", data: { type: "ping" } }),
    failureEvent: errorEvent(anthropic, "error"),
    detectEnd: detectEndByType(["message_stop"], ["error"]),
    forwardedHeaders: ["anthropic-beta", "anthropic-version"],
  },
  gemini: {
    id: "gemini",
    dialect: gemini,
    heartbeat: COMMENT_HEARTBEAT,
    failureEvent: errorEvent(gemini),
    detectEnd: detectGeminiEnd,
    forwardedHeaders: [],
  },
};
