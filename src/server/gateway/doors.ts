// The protocols that clients speak, one row each: the dialect, how a stream is kept alive, how it fails and how one can
// tell that it was whole. Paths are index.ts.
import type { Dialect } from "../../dialects/index.ts";
import { dialect } from "../../dialects/index.ts";
import type { ProviderError } from "../../model/index.ts";
import { formatSse, formatSseComment } from "../../sse/index.ts";
import type { EndOf } from "./stream-ends.ts";
import { chatEnd, endsByType, geminiEnd } from "./stream-ends.ts";

export type DoorId = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export interface ClientProtocol {
  readonly id: DoorId;
  readonly dialect: Dialect;
  /** What says nothing, and keeps a stream alive, in a form that the official SDKs take (B87). */
  readonly heartbeat: string;
  /** What ends a stream that cannot go on, where its own encoder cannot say it. */
  failureEvent(error: ProviderError): string;
  /** What an event says about the end of its stream. */
  readonly detectEnd: EndOf;
  /** Headers of a client that mean something to a provider of the same dialect. */
  readonly forwardedHeaders: readonly string[];
}

/** The SDKs skip comments, Anthropic's as well as the others; its pings are what its readers know. */
const COMMENT = formatSseComment("koine");

function errorEvent(door: Dialect, event?: string): ClientProtocol["failureEvent"] {
  return (error) => {
    const { raw: _, ...bare } = error;
    // Every dialect's error is an object.
    const data = door.encodeError(bare).wire as object;
    return formatSse(event === undefined ? { data } : { event, data });
  };
}

const chat = dialect("openai-chat");
const responses = dialect("openai-responses");
const anthropic = dialect("anthropic");
const gemini = dialect("gemini");

export const DOORS: Readonly<Record<DoorId, ClientProtocol>> = {
  "openai-chat": {
    id: "openai-chat",
    dialect: chat,
    heartbeat: COMMENT,
    failureEvent: errorEvent(chat),
    detectEnd: chatEnd,
    forwardedHeaders: ["openai-beta"],
  },
  "openai-responses": {
    id: "openai-responses",
    dialect: responses,
    heartbeat: COMMENT,
    failureEvent({ message, kind }) {
      const data = { type: "error", code: kind.replaceAll("-", "_"), message, param: null, sequence_number: 0 };
      return formatSse({ event: "error", data });
    },
    detectEnd: endsByType(["response.completed", "response.incomplete"], ["response.failed", "error"]),
    forwardedHeaders: ["openai-beta"],
  },
  anthropic: {
    id: "anthropic",
    dialect: anthropic,
    heartbeat: formatSse({ event: "ping", data: { type: "ping" } }),
    failureEvent: errorEvent(anthropic, "error"),
    detectEnd: endsByType(["message_stop"], ["error"]),
    forwardedHeaders: ["anthropic-beta", "anthropic-version"],
  },
  gemini: {
    id: "gemini",
    dialect: gemini,
    heartbeat: COMMENT,
    failureEvent: errorEvent(gemini),
    detectEnd: geminiEnd,
    forwardedHeaders: [],
  },
};
