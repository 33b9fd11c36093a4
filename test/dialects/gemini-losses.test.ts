// What encoding into Gemini loses, row by row: every declared code is produced by one of them.
import { describe, expect, test } from "vitest";
import { gemini } from "../../src/dialects/gemini/index.ts";
import { LOSSES } from "../../src/dialects/gemini/losses.ts";
import type { Message } from "../../src/model/message.ts";
import { assistant, developer, system, toolResult, user } from "../../src/model/message.ts";
import type { ModelRequest } from "../../src/model/request.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import type { Delta } from "../../src/model/delta.ts";
import { delta, DONE, result as answered } from "../support/deltas.ts";
import { call, extra, image, partRows, result } from "./gemini-loss-rows.ts";

const dialect = gemini();
const produced = new Set<string>();

/** Each loss as "code path". */
function told({ losses }: { losses: { code: string; path: string }[] }): string[] {
  for (const { code } of losses) produced.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

describe("parts", () => {
  test.each(partRows)("%s", (_, part, wire, losses) => {
    const encoded = dialect.encodeMessages([{ role: "assistant", parts: [part] }]);
    expect(encoded.wire).toStrictEqual([{ role: "model", parts: wire === undefined ? [] : [wire] }]);
    expect(told(encoded).toSorted()).toStrictEqual(losses.toSorted());
  });
});

describe("messages", () => {
  const hi = user("Hi.");
  const rows: [sentence: string, messages: Message[], losses: string[]][] = [
    [
      "bookkeeping and a name",
      [{ ...hi, id: "m", name: "Ann", metadata: { runId: "r" } }],
      ["bookkeeping /0/id", "field-unsaid /0/name", "bookkeeping /0/metadata"],
    ],
    ["results in a row", [toolResult(call, 1), toolResult({ ...call, toolCallId: "b" }, 2)], ["turns-merged /1/role"]],
    [
      "a turn that joins nothing",
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
      "instructions that are no longer alone",
      [system("A"), { ...system("B"), ...extra({ $form: { role: "user" } }) }],
      ["turns-merged /1/role", "form-stale /1/extra/gemini"],
    ],
  ];
  test.each(rows)("%s", (_, messages, losses) => {
    expect(told(dialect.encodeMessages(messages))).toStrictEqual(losses);
  });
});

describe("requests", () => {
  const hi = user("Hi.");
  const tool = { type: "function", name: "f" } as const;
  const rows: [sentence: string, request: Partial<ModelRequest>, losses: string[]][] = [
    [
      "B53: strict and parallel calls",
      { tools: [{ ...tool, strict: true }], parallelToolCalls: false },
      ["field-unsaid /tools/0/strict", "field-unsaid /parallelToolCalls"],
    ],
    [
      "a tool of another provider",
      { tools: [{ type: "provider", dialect: "anthropic", name: "x", value: {} }] },
      ["opaque-foreign /tools/0"],
    ],
    [
      "a free-form tool",
      { tools: [{ ...tool, format: "text", grammar: { syntax: "regex" }, cache: {} }] },
      [
        "schema-made /tools/0/inputSchema",
        "field-unsaid /tools/0/format",
        "field-unsaid /tools/0/grammar",
        "bookkeeping /tools/0/cache",
      ],
    ],
    ["metadata", { metadata: { user_id: "u" } }, ["field-unsaid /metadata"]],
    [
      "what another provider has stored",
      { extra: { "openai-responses": { previous_response_id: "r" } } },
      ["context-foreign /extra/openai-responses/previous_response_id"],
    ],
    [
      "the name of a schema",
      { output: { type: "json-schema", schema: { type: "string" }, name: "n" } },
      ["field-unsaid /output/name"],
    ],
    ["a level and a budget", { reasoning: { effort: "high", budget: 9 } }, ["field-unsaid /reasoning/budget"]],
    ["a detailed summary", { reasoning: { summary: "detailed" } }, ["setting-nearest /reasoning/summary"]],
    ["an effort that nobody knows", { reasoning: { effort: "heroic" } }, ["field-unsaid /reasoning/effort"]],
    [
      "a mode that no longer fits",
      { tools: [tool], toolChoice: "required", ...extra({ $form: { mode: "VALIDATED" } }) },
      ["form-stale /extra/gemini/$form/mode"],
    ],
    [
      "an effort for an old model",
      { model: "gemini-2.5-pro", reasoning: { effort: "low" } },
      ["effort-as-budget /reasoning/effort"],
    ],
    ["a choice without functions", { toolChoice: "required" }, ["choice-lost /toolChoice"]],
    ["B52: no tools", { tools: [], toolChoice: "none" }, ["tools-empty /tools", "tools-empty /toolChoice"]],
    [
      "stop sequences and log probabilities",
      { sampling: { stop: ["a", "b", "c", "d", "e", "f"], topLogprobs: 2 } },
      ["stop-surplus /sampling/stop/5", "logprobs-made /sampling/logprobs"],
    ],
    [
      "B52: empty parameters",
      { tools: [{ ...tool, inputSchema: { type: "object" } }] },
      ["parameters-empty /tools/0/inputSchema"],
    ],
    ["B30: a name", { tools: [{ ...tool, name: "a b" }] }, ["tool-renamed /tools/0/name"]],
    [
      "B47: a mime type, by its beginning or by the ending of its address",
      {
        messages: [
          user([
            { type: "audio", data: "UklGRg==" },
            { type: "image", url: "https://example.com/a.PNG?b" },
          ]),
        ],
      },
      ["mime-guessed /messages/0/parts/0/mimeType", "mime-told /messages/0/parts/1/mimeType"],
    ],
    [
      "an id that was used before",
      { messages: [hi, assistant([call]), toolResult(call, 1), assistant([call]), toolResult(call, 2)] },
      ["call-id-repeated /messages/3/parts/0/toolCallId", "call-id-repeated /messages/4/parts/0/toolCallId"],
    ],
    ["nothing to say", { messages: [hi, assistant([]), hi] }, ["message-empty /messages/1"]],
    [
      "B24: a history that does not fit together",
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
    ["B41: calls first", { messages: [assistant([call]), toolResult(call, 1)] }, ["user-first /messages/0"]],
    ["B50: half a character", { messages: [user("\ud83c")] }, ["surrogates /messages/0/parts/0/text"]],
    ["B36: a prefill", { messages: [hi, assistant("It is")] }, ["prefill /messages/1/role"]],
    [
      "B10: a signature",
      { model: "gemini-3-pro", messages: [hi, assistant([call]), toolResult(call, 1)] },
      ["signature-sentinel /messages/1/parts/0"],
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
    expect(told(dialect.encodeRequest({ messages: [hi], ...request }))).toStrictEqual(losses);
  });

  test("B51: a schema for a host that takes no native one", () => {
    const tools = [{ ...tool, inputSchema: { type: "object", properties: { x: { type: "string", $comment: "c" } } } }];
    const encoded = gemini({ vendor: "openapi-schema" }).encodeRequest({ messages: [hi], tools });
    expect(told(encoded)).toStrictEqual(["schema-changed /tools/0/inputSchema/properties/x/$comment"]);
  });
});

describe("responses", () => {
  const plain: ModelResponse = { id: "r", model: "m", message: assistant("Hi."), finishReason: { unified: "stop" } };
  const rows: [sentence: string, response: Partial<ModelResponse>, losses: string[]][] = [
    [
      "B61: a foreign word for the end",
      { finishReason: { unified: "stop", raw: "end_turn" } },
      ["finish-raw /finishReason/raw"],
    ],
    [
      "B62: an end that Gemini has no word for",
      { finishReason: { unified: "refusal" } },
      ["finish-approximated /finishReason/unified"],
    ],
    [
      "what another answer says of itself",
      { extra: { "openai-chat": { system_fingerprint: "x" } } },
      ["echo-foreign /extra/openai-chat/system_fingerprint"],
    ],
    [
      "B58: what another answer says of what it says",
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
        "residue-foreign /extra/openai-chat/choices",
        "residue-foreign /extra/anthropic/stop_details",
        "echo-foreign /alternatives/0/extra/openai-chat/native_finish_reason",
        "residue-foreign /alternatives/0/extra/openai-chat/annotations",
        "echo-foreign /alternatives/0/extra/openai-chat/audio",
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
      ["seal-foreign /message/parts/0/annotations/0/seals/0"],
    ],
    [
      "B31: a call that is invalid although the answer did not break off",
      { message: assistant([{ ...call, invalid: true }]), finishReason: { unified: "tool-calls" } },
      ["call-invalid /message/parts/0/invalid"],
    ],
    [
      "counts that Gemini has no field for",
      { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cacheWrite5mTokens: 1, cost: 0.5 } },
      ["bookkeeping /usage/cacheWrite5mTokens", "bookkeeping /usage/cost"],
    ],
    [
      "a summary",
      { message: assistant([{ type: "reasoning", text: "", summary: ["S"] }]) },
      ["summary-as-thought /message/parts/0/summary"],
    ],
    [
      "candidates where there were none",
      extra({ $form: { candidates: "none" } }),
      ["form-stale /extra/gemini/$form/candidates"],
    ],
    [
      "B60: bytes of a token",
      { message: assistant([{ type: "text", text: "x", logprobs: [{ token: "x", logprob: 0, bytes: [120] }] }]) },
      ["field-unsaid /message/parts/0/logprobs/0/bytes"],
    ],
  ];
  test.each(rows)("%s", (_, response, losses) => {
    expect(told(dialect.encodeResponse({ ...plain, ...response }))).toStrictEqual(losses);
  });
});

describe("streams", () => {
  const start = delta("start", { modelId: "m", requestId: "r" });
  const says = (textDelta: string, part: number): Delta => delta("text", { textDelta, part });
  const seal = { dialect: "gemini", kind: "signature", value: "x" };
  const calls = { toolCallId: "a", toolName: "f" };
  const rows: [sentence: string, deltas: Delta[], losses: string[]][] = [
    ["texts side by side", [says("a", 0), says("b", 1), DONE], ["texts-joined /message/parts/1"]],
    [
      "what comes too late",
      [
        says("a", 0),
        delta("thinking", { textDelta: "b", part: 1 }),
        says("c", 0),
        delta("seal", { seal, part: 0 }),
        DONE,
      ],
      ["part-split /message/parts/0", "late-unsaid /message/parts/0/seals"],
    ],
    [
      "results of a client",
      [delta("tool_call_start", calls), delta("tool_call_end", calls), DONE, answered("a")],
      ["result-between "],
    ],
  ];
  test.each(rows)("%s", (_, deltas, losses) => {
    const encoder = dialect.streamEncoder();
    for (const each of [start, ...deltas]) encoder.push(each);
    expect(told(encoder)).toStrictEqual(losses);
  });
});

test("every declared loss is produced above", () => {
  expect(Object.keys(LOSSES).filter((code) => !produced.has(code))).toStrictEqual([]);
});
