// Losses of encoding into Gemini, one row each; every declared loss code is produced by a row.
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import { GEMINI_LOSSES } from "../../../src/dialects/gemini/losses.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, developer, system, toolResult, user } from "../../../src/model/message.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import type { Delta } from "../../../src/model/delta.ts";
import { delta, DONE, result as answered } from "../../support/deltas.ts";
import { call, extra, image, partRows, result } from "./losses.rows.ts";

const dialect = gemini();
const produced = new Set<string>();

/** Returns each loss as "code path". */
function toLossLines({ losses }: { losses: { code: string; path: string }[] }): string[] {
  for (const { code } of losses) produced.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

describe("parts", () => {
  test.each(partRows)("%s", (_, part, wire, losses) => {
    const encoded = dialect.encodeMessages([{ role: "assistant", parts: [part] }]);
    expect(encoded.wire).toStrictEqual([{ role: "model", parts: wire === undefined ? [] : [wire] }]);
    expect(toLossLines(encoded).toSorted()).toStrictEqual(losses.toSorted());
  });
});

describe("messages", () => {
  const hi = user("Hi.");
  const rows: [sentence: string, messages: Message[], losses: string[]][] = [
    [
      "ids, metadata and a name",
      [{ ...hi, id: "m", name: "Ann", metadata: { runId: "r" } }],
      ["metadata-dropped /0/id", "field-unsupported /0/name", "metadata-dropped /0/metadata"],
    ],
    ["results in a row", [toolResult(call, 1), toolResult({ ...call, toolCallId: "b" }, 2)], ["turns-merged /1/role"]],
    [
      "a stored join without a turn before it",
      [{ ...hi, ...extra({ $form: { turn: "joined" } }) }],
      ["form-stale /0/extra/gemini/$form/turn"],
    ],
    ["later system text", [hi, system("A")], ["system-moved /1/parts"]],
    [
      "several instructions",
      [system("A"), developer("B")],
      ["system-joined /0/parts", "developer-as-system /1/role", "system-joined /1/parts"],
    ],
    [
      "a stored form of system text that is no longer alone",
      [system("A"), { ...system("B"), ...extra({ $form: { role: "user" } }) }],
      ["turns-merged /1/role", "form-stale /1/extra/gemini"],
    ],
  ];
  test.each(rows)("%s", (_, messages, losses) => {
    expect(toLossLines(dialect.encodeMessages(messages))).toStrictEqual(losses);
  });
});

describe("requests", () => {
  const hi = user("Hi.");
  const tool = { type: "function", name: "f" } as const;
  const rows: [sentence: string, request: Partial<ModelRequest>, losses: string[]][] = [
    [
      "B53: strict and parallel calls",
      { tools: [{ ...tool, strict: true }], parallelToolCalls: false },
      ["field-unsupported /tools/0/strict", "field-unsupported /parallelToolCalls"],
    ],
    [
      "a tool of another provider",
      { tools: [{ type: "provider", dialect: "anthropic", name: "x", value: {} }] },
      ["opaque-not-portable /tools/0"],
    ],
    [
      "a free-form tool",
      { tools: [{ ...tool, format: "text", grammar: { syntax: "regex" }, cache: {} }] },
      [
        "schema-synthesized /tools/0/inputSchema",
        "field-unsupported /tools/0/format",
        "field-unsupported /tools/0/grammar",
        "metadata-dropped /tools/0/cache",
      ],
    ],
    ["metadata", { metadata: { user_id: "u" } }, ["field-unsupported /metadata"]],
    [
      "references to another provider's stored context",
      { extra: { "openai-responses": { previous_response_id: "r" } } },
      ["context-not-portable /extra/openai-responses/previous_response_id"],
    ],
    [
      "the name of a schema",
      { output: { type: "json-schema", schema: { type: "string" }, name: "n" } },
      ["field-unsupported /output/name"],
    ],
    ["a level and a budget", { reasoning: { effort: "high", budget: 9 } }, ["field-unsupported /reasoning/budget"]],
    ["a detailed summary", { reasoning: { summary: "detailed" } }, ["setting-approximated /reasoning/summary"]],
    ["an unknown effort", { reasoning: { effort: "heroic" } }, ["field-unsupported /reasoning/effort"]],
    [
      "a stored mode that disagrees with the choice",
      { tools: [tool], toolChoice: "required", ...extra({ $form: { mode: "VALIDATED" } }) },
      ["form-stale /extra/gemini/$form/mode"],
    ],
    [
      "an effort for an old model",
      { model: "gemini-2.5-pro", reasoning: { effort: "low" } },
      ["effort-as-budget /reasoning/effort"],
    ],
    ["a choice without functions", { toolChoice: "required" }, ["tool-choice-dropped /toolChoice"]],
    [
      "B52: no tools",
      { tools: [], toolChoice: "none" },
      ["tool-settings-dropped /tools", "tool-settings-dropped /toolChoice"],
    ],
    [
      "stop sequences and log probabilities",
      { sampling: { stop: ["a", "b", "c", "d", "e", "f"], topLogprobs: 2 } },
      ["stop-sequence-limit /sampling/stop/5", "logprobs-enabled /sampling/logprobs"],
    ],
    [
      "B52: empty parameters",
      { tools: [{ ...tool, inputSchema: { type: "object" } }] },
      ["parameters-empty /tools/0/inputSchema"],
    ],
    ["B30: a name", { tools: [{ ...tool, name: "a b" }] }, ["tool-renamed /tools/0/name"]],
    [
      "B47: a missing MIME type is guessed from the data or from the URL",
      {
        messages: [
          user([
            { type: "audio", data: "UklGRg==" },
            { type: "image", url: "https://example.com/a.PNG?b" },
          ]),
        ],
      },
      ["mime-type-guessed /messages/0/parts/0/mimeType", "mime-type-from-url /messages/0/parts/1/mimeType"],
    ],
    [
      "a repeated call id",
      { messages: [hi, assistant([call]), toolResult(call, 1), assistant([call]), toolResult(call, 2)] },
      ["call-id-repeated /messages/3/parts/0/toolCallId", "call-id-repeated /messages/4/parts/0/toolCallId"],
    ],
    ["an empty message", { messages: [hi, assistant([]), hi] }, ["message-empty /messages/1"]],
    [
      "B24: results that are missing, late, repeated or without a call",
      {
        messages: [
          hi,
          assistant([call, { ...call, toolCallId: "b" }]),
          hi,
          toolResult(call, 1),
          toolResult(call, 2),
          toolResult({ ...call, toolCallId: "z" }, 3),
        ],
      },
      [
        "result-moved /messages/3/parts/0",
        "result-synthesized /messages/1/parts/1",
        "result-duplicate /messages/4/parts/0",
        "result-orphan /messages/5/parts/0",
        "turns-merged /messages/1/role",
      ],
    ],
    [
      "B25: results out of order",
      {
        messages: [
          hi,
          assistant([call, { ...call, toolCallId: "b" }]),
          {
            role: "tool",
            parts: [
              { ...result, toolCallId: "b", output: 2 },
              { ...result, output: 1 },
            ],
          },
        ],
      },
      ["results-reordered /messages/2/parts/0"],
    ],
    ["B41: calls first", { messages: [assistant([call]), toolResult(call, 1)] }, ["user-turn-synthesized /messages/0"]],
    ["B50: a lone surrogate", { messages: [user("\ud83c")] }, ["lone-surrogate-replaced /messages/0/parts/0/text"]],
    ["B36: a prefill", { messages: [hi, assistant("It is")] }, ["prefill-unsupported /messages/1/role"]],
    [
      "B10: a signature",
      { model: "gemini-3-pro", messages: [hi, assistant([call]), toolResult(call, 1)] },
      ["signature-placeholder /messages/1/parts/0"],
    ],
    [
      "B45: media in a result for an old model",
      {
        model: "gemini-2.5-pro",
        messages: [hi, assistant([call]), toolResult(call, 1, { content: [{ ...image, data: "aGk=" }] })],
      },
      ["media-moved /messages/2/parts/0/content/0"],
    ],
  ];
  test.each(rows)("%s", (_, request, losses) => {
    expect(toLossLines(dialect.encodeRequest({ messages: [hi], ...request }))).toStrictEqual(losses);
  });

  test("B51: a schema for a vendor without JSON Schema support", () => {
    const tools = [{ ...tool, inputSchema: { type: "object", properties: { x: { type: "string", $comment: "c" } } } }];
    const encoded = gemini({ vendor: "openapi-schema" }).encodeRequest({ messages: [hi], tools });
    expect(toLossLines(encoded)).toStrictEqual(["schema-changed /tools/0/inputSchema/properties/x/$comment"]);
  });
});

describe("responses", () => {
  const plain: ModelResponse = { id: "r", model: "m", message: assistant("Hi."), finishReason: { unified: "stop" } };
  const rows: [sentence: string, response: Partial<ModelResponse>, losses: string[]][] = [
    [
      "B61: a raw finish reason of another dialect",
      { finishReason: { unified: "stop", raw: "end_turn" } },
      ["raw-finish-reason-dropped /finishReason/raw"],
    ],
    [
      "B62: a finish reason that Gemini does not have",
      { finishReason: { unified: "refusal" } },
      ["finish-reason-approximated /finishReason/unified"],
    ],
    [
      "response fields of another dialect",
      { extra: { "openai-chat": { system_fingerprint: "x" } } },
      ["response-metadata-not-portable /extra/openai-chat/system_fingerprint"],
    ],
    [
      "B58: residue of another dialect on responses and alternatives",
      {
        extra: { "openai-chat": { choices: { logprobs: { text: [] } } }, anthropic: { stop_details: { type: "x" } } },
        alternatives: [
          {
            message: assistant("Ho."),
            finishReason: { unified: "stop" },
            extra: { "openai-chat": { native_finish_reason: "eos", annotations: [], audio: null } },
          },
        ],
      },
      [
        "residue-not-portable /extra/openai-chat/choices",
        "residue-not-portable /extra/anthropic/stop_details",
        "response-metadata-not-portable /alternatives/0/extra/openai-chat/native_finish_reason",
        "residue-not-portable /alternatives/0/extra/openai-chat/annotations",
        "response-metadata-not-portable /alternatives/0/extra/openai-chat/audio",
      ],
    ],
    [
      "B5: the seal of an annotation",
      {
        message: assistant([
          {
            type: "text",
            text: "x",
            annotations: [{ kind: "url", url: "u", seals: [{ dialect: "anthropic", kind: "encrypted", value: "e" }] }],
          },
        ]),
      },
      ["seal-not-portable /message/parts/0/annotations/0/seals/0"],
    ],
    [
      "B31: a call that is invalid although the answer did not break off",
      { message: assistant([{ ...call, invalid: true }]), finishReason: { unified: "tool-calls" } },
      ["invalid-call-unsupported /message/parts/0/invalid"],
    ],
    [
      "counts that Gemini has no field for",
      { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cacheWrite5mTokens: 1, cost: 0.5 } },
      ["metadata-dropped /usage/cacheWrite5mTokens", "metadata-dropped /usage/cost"],
    ],
    [
      "a summary",
      { message: assistant([{ type: "reasoning", text: "", summary: ["S"] }]) },
      ["summary-as-thought /message/parts/0/summary"],
    ],
    [
      "parts in a response that came without candidates",
      extra({ $form: { candidates: "none" } }),
      ["form-stale /extra/gemini/$form/candidates"],
    ],
    [
      "B60: bytes of a token",
      { message: assistant([{ type: "text", text: "x", logprobs: [{ token: "x", logprob: 0, bytes: [120] }] }]) },
      ["field-unsupported /message/parts/0/logprobs/0/bytes"],
    ],
  ];
  test.each(rows)("%s", (_, response, losses) => {
    expect(toLossLines(dialect.encodeResponse({ ...plain, ...response }))).toStrictEqual(losses);
  });
});

describe("streams", () => {
  const start = delta("start", { modelId: "m", requestId: "r" });
  const textDelta = (textDelta: string, part: number): Delta => delta("text", { textDelta, partKey: part });
  const seal = { dialect: "gemini", kind: "signature", value: "x" };
  const calls = { toolCallId: "a", toolName: "f" };
  const rows: [sentence: string, deltas: Delta[], losses: string[]][] = [
    ["texts side by side", [textDelta("a", 0), textDelta("b", 1), DONE], ["texts-joined /message/parts/1"]],
    [
      "deltas for a closed part",
      [
        textDelta("a", 0),
        delta("thinking", { textDelta: "b", partKey: 1 }),
        textDelta("c", 0),
        delta("seal", { seal, partKey: 0 }),
        DONE,
      ],
      ["part-split /message/parts/0", "late-dropped /message/parts/0/seals"],
    ],
    [
      "results of client tools between answers",
      [delta("tool_call_start", calls), delta("tool_call_end", calls), DONE, answered("a")],
      ["stream-result-dropped "],
    ],
  ];
  test.each(rows)("%s", (_, deltas, losses) => {
    const encoder = dialect.streamEncoder();
    for (const each of [start, ...deltas]) encoder.push(each);
    expect(toLossLines(encoder)).toStrictEqual(losses);
  });
});

test("every declared loss is produced above", () => {
  expect(Object.keys(GEMINI_LOSSES).filter((code) => !produced.has(code))).toStrictEqual([]);
});
