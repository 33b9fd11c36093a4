// Tests B11 through every client dialect: with the ledger, a client that echoes only standard fields is as good as one
// that echoes everything. The provider's seals are restored, and results refer to its own call ids.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Message, ModelResponse } from "../../../src/index.ts";
import { dialect, user } from "../../../src/index.ts";
import { toHistory } from "../../../src/ledger/identity/history-turns.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json/index.ts";
import { response as anyResponse } from "../../support/arbitrary.ts";
import { CLIENTS, type EchoingClient, ECHO_MODES, copyJson } from "../support/stateless-clients.ts";
import { exchange, receiveRequest } from "../support/resend-history.ts";
import { type OpenLedger, STORES } from "../support/stores.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

/** A provider, a sealed answer, and the position of that answer in a request. */
interface Provider {
  dialect: string;
  response: JsonObject;
  /** The data that the provider must receive again. */
  answer: JsonValue[];
  /** The same position in a request of two messages and a result. */
  answerIn(request: JsonObject): unknown;
  /** The id of the call, and its position in the result. */
  id: string;
  idIn(request: JsonObject): unknown;
}

/** Returns a nested value by keys and indexes. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  // A missing key returns undefined.
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

const claude = [
  { type: "thinking", thinking: "Paris it is.", signature: "EqQBCkYIBRgCKkD0" },
  { type: "redacted_thinking", data: "EmwKAhgBEgy3va3p" },
  { type: "text", text: "Let me look." },
  { type: "tool_use", id: "toolu_01A09q90qw90lq917835lq9", name: "get_weather", input: { city: "Paris" } },
];
const geminis = [
  { text: "Paris it is.", thought: true },
  { text: "Let me look." },
  {
    functionCall: { id: "fc-7731", name: "get_weather", args: { city: "Paris" } },
    thoughtSignature: "CuwBAVSoXO5xQk1l",
  },
];
const items = [
  { type: "reasoning", id: "rs_68d1", summary: [], encrypted_content: "gAAAAABo0f3kX2" },
  {
    type: "message",
    id: "msg_68d2",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "Let me look.", annotations: [] }],
  },
  {
    type: "function_call",
    id: "fc_68d3",
    call_id: "call_TqX8mFh1",
    name: "get_weather",
    arguments: '{"city": "Paris"}',
    status: "completed",
  },
];
const blocks = [
  { reasoningContent: { reasoningText: { text: "Paris it is.", signature: "ErcBCkgIARABGAIi" } } },
  { text: "Let me look." },
  { toolUse: { toolUseId: "tooluse_kZJMlvQm", name: "get_weather", input: { city: "Paris" } } },
];

const PROVIDERS: readonly Provider[] = [
  {
    dialect: "anthropic",
    response: {
      id: "msg_01",
      type: "message",
      role: "assistant",
      model: "claude-opus",
      content: claude,
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 20 },
    },
    answer: claude,
    answerIn: (request) => at(request, "messages", 1, "content"),
    id: "toolu_01A09q90qw90lq917835lq9",
    idIn: (request) => at(request, "messages", 2, "content", 0, "tool_use_id"),
  },
  {
    dialect: "gemini",
    response: {
      candidates: [{ content: { role: "model", parts: geminis }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
      modelVersion: "gemini-3-pro",
      responseId: "resp-1",
    },
    answer: geminis,
    answerIn: (request) => at(request, "contents", 1, "parts"),
    id: "fc-7731",
    idIn: (request) => at(request, "contents", 2, "parts", 0, "functionResponse", "id"),
  },
  {
    dialect: "openai-responses",
    response: {
      id: "resp_68d0",
      object: "response",
      created_at: 1_770_000_000,
      status: "completed",
      model: "gpt-5",
      output: items,
      usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
    },
    answer: items,
    answerIn: ({ input }) => (Array.isArray(input) ? input.slice(1, 4) : input),
    id: "call_TqX8mFh1",
    idIn: (request) => at(request, "input", 4, "call_id"),
  },
  {
    dialect: "bedrock",
    response: {
      output: { message: { role: "assistant", content: blocks } },
      stopReason: "tool_use",
      usage: { inputTokens: 10, outputTokens: 20, totalTokens: 30 },
      metrics: { latencyMs: 100 },
    },
    answer: blocks,
    answerIn: (request) => at(request, "messages", 1, "content"),
    id: "tooluse_kZJMlvQm",
    idIn: (request) => at(request, "messages", 2, "content", 0, "toolResult", "toolUseId"),
  },
];

const PAIRS = CLIENTS.flatMap((client) =>
  PROVIDERS.map((provider) => [client.dialect, provider.dialect, client, provider] as const),
);

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  beforeEach(async () => {
    opened = await store.open();
    ledger = opened.ledger;
  });
  afterEach(() => opened.close());

  test.each(PAIRS)("B11: a client of %s gets the seals of %s back", async (_, __, client, provider) => {
    const upstream = dialect(provider.dialect);
    const response = upstream.decodeResponse(provider.response);
    const history = [client.user("What is the weather in Paris?")];
    await exchange(ledger, client.read(history), response.message);
    history.push(...client.answer(response, "standard fields"));
    const results = client.calls(history).flatMap((call) => client.result(call, "18 degrees"));
    history.push(...results);

    const { messages, known, written } = await receiveRequest(ledger, client.read(history));
    expect([known, written.length]).toStrictEqual([2, 1]);
    const request = copyJson(upstream.encodeRequest({ model: "m", messages }).wire) as JsonObject;
    expect(provider.answerIn(request)).toStrictEqual(provider.answer);
    expect(provider.idIn(request)).toBe(provider.id);

    // The round continues, and all of it is known.
    const answer: ModelResponse = {
      id: "r2",
      model: "m",
      message: { role: "assistant", parts: [{ type: "text", text: "18 degrees." }] },
      finishReason: { unified: "stop" },
    };
    await exchange(ledger, client.read(history), answer.message);
    history.push(...client.answer(answer, "standard fields"), client.user("Thanks!"));
    const last = await receiveRequest(ledger, client.read(history));
    expect([last.known, last.written.length]).toStrictEqual([4, 1]);
    expect(await ledger.transcript(last.threadId)).toHaveLength(5);
    expect(last.messages.slice(0, 3)).toStrictEqual(messages);
  });
});

/** Chat has refusals in a separate field after the text: one before the text is not restored there. */
function isInChatOrder({ parts }: Message): boolean {
  const first = parts.findIndex(({ type }) => type === "refusal");
  return first === -1 || !parts.slice(first + 1).some(({ type }) => type === "refusal" || type === "text");
}

const digestOf = (messages: readonly Message[]): string => toHistory(messages).turns.at(-1)?.digest ?? "";
const NOTHING = digestOf([user("Hi."), { role: "assistant", parts: [] }]);

function isDigestPreserved(
  client: EchoingClient,
  response: ModelResponse,
  manner: (typeof ECHO_MODES)[number],
): boolean {
  const digest = digestOf([user("Hi."), response.message]);
  const echoed = client.read([client.user("Hi."), ...client.answer(response, manner)]);
  // Blank content may leave no turn.
  return digestOf(echoed) === digest || (digest === NOTHING && echoed.length === 1);
}

describe("any answer", () => {
  test.each(CLIENTS.flatMap((client) => ECHO_MODES.map((manner) => [client.dialect, manner, client] as const)))(
    "B11: echoed by a client of %s, %s, keeps its digest",
    (id, manner, client) => {
      const answers = anyResponse.filter(({ message }) => id !== "openai-chat" || isInChatOrder(message));
      fc.assert(
        fc.property(answers, (response) => {
          expect(isDigestPreserved(client, response, manner)).toBe(true);
        }),
        { numRuns: scaleRunCount(120) },
      );
    },
  );
});
