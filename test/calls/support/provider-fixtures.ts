// Providers for call tests: one answer in every dialect, complete and streamed, and a client of a server that sends it.
import { createClient } from "../../../src/client/index.ts";
import type { ClientOptions, HttpDialect, HttpProvider } from "../../../src/client/index.ts";
import { HTTP_DIALECTS } from "../../../src/calls/providers/check-provider.ts";
import type { Client } from "../../../src/client/index.ts";
import type { Delta, Dialect, ProviderError, ModelRequest, ModelResponse } from "../../../src/index.ts";
import { assistant, dialect, disassemble, user } from "../../../src/index.ts";
import type { ReplayServer, Reply } from "../../../src/testkit/index.ts";

export const DIALECTS: readonly HttpDialect[] = HTTP_DIALECTS;
export const MODEL = "model-1";
/** Long enough to be searched for in texts. */
export const KEY = "key-of-the-caller";

export const QUESTION: ModelRequest = { model: `there/${MODEL}`, messages: [user("What is the way to the harbour?")] };

/** Text, then a call: enough content to be cut anywhere. */
export const ANSWER: ModelResponse = {
  id: "answer_1",
  model: MODEL,
  message: assistant([
    { type: "text", text: "Down the hill, and then left — 🏛️ past the old stoa." },
    {
      type: "tool-call",
      toolCallId: "call_1",
      toolName: "show_map",
      input: { place: "harbour", zoom: 3 },
    },
  ]),
  finishReason: { unified: "tool-calls" },
  usage: { inputTokens: 11, outputTokens: 23, totalTokens: 34 },
  createdAt: "2026-01-02T03:04:05.000Z",
};

/** The dialect as the client decodes replies of the provider "there". */
export function theirs(id: HttpDialect): Dialect {
  return dialect(id, { provider: "there" });
}

export function wholeBody(id: HttpDialect, response: ModelResponse = ANSWER): object {
  return theirs(id).encodeResponse(response).wire as object;
}

/** The bytes of each event of a stream. */
export function streamPieces(id: HttpDialect, deltas: readonly Delta[] = disassemble(ANSWER)): Uint8Array[] {
  const wire = theirs(id);
  const encoder = wire.streamEncoder({ includeUsage: true });
  const events = [...deltas.flatMap((delta) => encoder.push(delta)), ...encoder.end()];
  return events.map((event) => {
    const piece = wire.formatEvent(event);
    return typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
  });
}

const FRAMES = "application/vnd.amazon.eventstream";

export function streamReply(id: HttpDialect, deltas?: readonly Delta[]): Reply {
  const chunks = streamPieces(id, deltas);
  return id === "bedrock" ? { chunks, headers: { "content-type": FRAMES } } : { chunks };
}

export function refusal(id: HttpDialect, error: ProviderError): Reply {
  const { status, wire } = theirs(id).encodeError(error);
  return { status: error.status ?? status, body: wire as object };
}

export function providerAt(server: Pick<ReplayServer, "url">, id: HttpDialect): HttpProvider {
  return { dialect: id, baseUrl: server.url, apiKey: KEY };
}

/** Creates a client of one provider, "there". It does not wait between attempts by default. */
export function clientAt(
  server: Pick<ReplayServer, "url">,
  id: HttpDialect = "openai-chat",
  options: Partial<ClientOptions> = {},
): Client {
  return createClient({
    providers: { there: providerAt(server, id) },
    retry: { baseMs: 0 },
    ...options,
  });
}
