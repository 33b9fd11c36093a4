// What encoding into Anthropic's words loses, row by row; repairs are in a file of their own.
import { describe, expect, test } from "vitest";
import { anthropic } from "../../src/dialects/anthropic/index.ts";
import type { Delta } from "../../src/model/delta.ts";
import type { Message } from "../../src/model/message.ts";
import { assistant, developer, system, user } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelRequest } from "../../src/model/request.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { partRows } from "./anthropic-loss-rows.ts";
import { produced, repairRows } from "./anthropic-repairs.ts";

const dialect = anthropic();

/** Each loss as "code path". */
function told(losses: readonly { code: string; path: string }[]): string[] {
  for (const { code } of losses) produced.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

describe("parts", () => {
  test.each(partRows)("%s", (_, part, block, losses) => {
    const encoded = dialect.encodeMessages([assistant([part])]);
    expect(told(encoded.losses).filter((loss) => !loss.startsWith("message-unsaid"))).toStrictEqual(losses);
    const text =
      block !== undefined && Object.keys(block).join() === "type,text" && "text" in block ? block.text : undefined;
    expect(encoded.wire).toStrictEqual(block === undefined ? [] : [{ role: "assistant", content: text ?? [block] }]);
  });
});

const result: Part = { type: "tool-result", toolCallId: "a", toolName: "", isError: false };
const wireResult = { type: "tool_result", tool_use_id: "a" };

describe("results", () => {
  const rows: [sentence: string, part: Part, block: object, losses: string[]][] = [
    [
      "JSON output is written as text",
      { ...result, output: { x: 1 } },
      { ...wireResult, content: '{"x":1}' },
      ["output-as-text /0/parts/0/output"],
    ],
    [
      "output beside parts is the first of them",
      { ...result, output: "1", content: [{ type: "text", text: "2" }] },
      {
        ...wireResult,
        content: [
          { type: "text", text: "1" },
          { type: "text", text: "2" },
        ],
      },
      ["output-in-content /0/parts/0/output"],
    ],
    [
      "a name that no call gives is reported",
      { ...result, toolName: "f" },
      wireResult,
      ["tool-name /0/parts/0/toolName"],
    ],
  ];
  test.each(rows)("%s", (_, part, block, losses) => {
    const encoded = dialect.encodeMessages([{ role: "tool", parts: [part] }]);
    expect(encoded.wire).toStrictEqual([{ role: "user", content: [block] }]);
    expect(told(encoded.losses)).toStrictEqual(losses);
  });
});

describe("messages", () => {
  const rows: [sentence: string, messages: Message[], wire: unknown, losses: string[]][] = [
    [
      "ids, names and metadata are reported",
      [{ ...user("x"), id: "1", name: "Ada", metadata: {} }],
      [{ role: "user", content: "x" }],
      ["bookkeeping /0/id", "field-unsaid /0/name", "bookkeeping /0/metadata"],
    ],
    [
      "a role that nobody knows is the user's",
      // Messages from outside may say anything.
      [{ role: "critic", parts: [{ type: "text", text: "x" }] } as unknown as Message],
      [{ role: "user", content: "x" }],
      ["role-approximated /0/role"],
    ],
    [
      "a text among results is the user's",
      [{ role: "tool", parts: [{ type: "text", text: "x" }] }],
      [{ role: "user", content: "x" }],
      ["role-approximated /0/role"],
    ],
    [
      "B40: neighbours go out as one turn",
      [user("a"), user("b"), assistant("c"), assistant("d")],
      [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "c" },
            { type: "text", text: "d" },
          ],
        },
      ],
      ["turns-merged /1/role", "turns-merged /3/role"],
    ],
    [
      "B37: leading system and developer text is one string",
      [system("a"), developer("b"), user("c"), developer("d")],
      {
        system: "a\n\nb",
        messages: [
          { role: "user", content: "c" },
          { role: "system", content: "d" },
        ],
      },
      [
        "developer-as-system /1/role",
        "system-joined /0/parts",
        "system-joined /1/parts",
        "developer-as-system /3/role",
      ],
    ],
    [
      "B7: a message of which nothing can be said leaves no gap",
      [user("a"), assistant([{ type: "reasoning", text: "Hm." }]), user("b")],
      [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
      ["reasoning-unsaid /1/parts/0", "message-unsaid /1/parts", "turns-merged /2/role"],
    ],
  ];
  test.each(rows)("%s", (_, messages, wire, losses) => {
    const encoded = dialect.encodeMessages(messages);
    expect(encoded.wire).toStrictEqual(wire);
    expect(told(encoded.losses)).toStrictEqual(losses);
  });

  test("an unknown role that was given a known one", () => {
    const [message] = dialect.decodeMessages([{ role: "critic", content: "x" }]);
    const { wire, losses } = dialect.encodeMessages(message === undefined ? [] : [{ ...message, role: "assistant" }]);
    expect(wire).toStrictEqual([{ role: "assistant", content: "x" }]);
    expect(told(losses)).toStrictEqual(["form-stale /0/extra/anthropic"]);
  });
});

describe("requests", () => {
  const rows: [sentence: string, request: Partial<ModelRequest>, wire: object, losses: string[]][] = [
    [
      "a field that there is none for",
      { sampling: { maxOutputTokens: 9, seed: 1, n: 2 } },
      { max_tokens: 9 },
      ["field-unsaid /sampling/seed", "field-unsaid /sampling/n"],
    ],
    [
      "metadata but the user",
      { metadata: { user_id: "u", team: "t" } },
      { metadata: { user_id: "u" } },
      ["field-unsaid /metadata/team"],
    ],
    ["JSON without a schema", { output: { type: "json" } }, {}, ["field-unsaid /output"]],
    [
      "what a schema is called",
      { output: { type: "json-schema", schema: { type: "string" }, name: "n", strict: true } },
      { output_config: { format: { type: "json_schema", schema: { type: "string" } } } },
      ["field-unsaid /output/name", "field-unsaid /output/strict"],
    ],
    [
      "an effort is adaptive thinking",
      { reasoning: { effort: "high" } },
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
      [],
    ],
    [
      "an effort without a word of its own",
      { reasoning: { effort: "minimal", summary: "auto" } },
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } },
      ["setting-approximated /reasoning/effort", "setting-approximated /reasoning/summary"],
    ],
    [
      "a choice among several tools",
      {
        tools: [{ type: "function", name: "f", inputSchema: { type: "object" } }],
        toolChoice: { toolNames: ["f", "g"], mode: "required" },
      },
      { tools: [{ name: "f", input_schema: { type: "object" } }], tool_choice: { type: "any" } },
      ["choice-approximated /toolChoice"],
    ],
    [
      "a tool that only another provider has",
      { tools: [{ type: "provider", dialect: "gemini", name: "maps", value: {} }] },
      {},
      ["tool-foreign /tools/0"],
    ],
    [
      "B52: a tool without parameters is kept",
      { tools: [{ type: "function", name: "f" }] },
      { tools: [{ name: "f", input_schema: { type: "object" } }] },
      ["schema-made /tools/0/inputSchema"],
    ],
    [
      "what another provider has stored would be missing",
      { extra: { "openai-responses": { previous_response_id: "r", store: true } } },
      {},
      ["context-foreign /extra/openai-responses/previous_response_id", "residue-foreign /extra/openai-responses/store"],
    ],
  ];
  test.each(rows)("%s", (_, request, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [], ...request }, { repair: false });
    expect(encoded.wire).toStrictEqual({ messages: [], ...wire });
    expect(told(encoded.losses)).toStrictEqual(losses);
  });
});

describe("responses", () => {
  const plain: ModelResponse = {
    id: "r",
    model: "m",
    message: assistant("x"),
    finishReason: { unified: "stop" },
  };
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const rows: [sentence: string, response: Partial<ModelResponse>, losses: string[]][] = [
    [
      "B59: one choice can be said",
      { alternatives: [{ message: assistant("y"), finishReason: { unified: "stop" } }] },
      ["field-unsaid /alternatives"],
    ],
    ["times are bookkeeping", { createdAt: "2026-01-01T00:00:00Z" }, ["bookkeeping /createdAt"]],
    [
      "what another dialect says of itself",
      { extra: { "openai-chat": { system_fingerprint: "f" } } },
      ["echo-foreign /extra/openai-chat/system_fingerprint"],
    ],
    [
      "B58: what another dialect says of what it says",
      {
        extra: {
          gemini: { candidates: { finishMessage: "Too long." }, promptFeedback: {} },
          "openai-chat": { choices: { index: 3, $form: { logprobs: "absent" } }, citations: ["https://example.com"] },
        },
      },
      [
        "residue-foreign /extra/gemini/candidates",
        "echo-foreign /extra/gemini/promptFeedback",
        "echo-foreign /extra/openai-chat/choices",
        "residue-foreign /extra/openai-chat/citations",
      ],
    ],
    ["what it cost is bookkeeping", { usage: { ...usage, cost: 0.5 } }, ["bookkeeping /usage/cost"]],
    [
      "an answer cannot say that it failed",
      { finishReason: { unified: "error" }, error: { kind: "server", message: "m" } },
      ["finish-approximated /finishReason/unified", "failure-unsaid /error"],
    ],
    [
      "B61: another dialect's word for the end",
      { finishReason: { unified: "stop", raw: "STOP" } },
      ["finish-raw /finishReason/raw"],
    ],
    [
      "B66: counts that contradict each other are never below zero",
      { usage: { ...usage, totalTokens: 9, cacheReadTokens: 5 } },
      ["usage-odd /usage/inputTokens", "usage-odd /usage/totalTokens"],
    ],
    [
      "a summary of what another model thought is shown as its text",
      { message: assistant([{ type: "reasoning", text: "", summary: ["One.", "Two."] }]) },
      ["summary-as-text /message/parts/0/summary"],
    ],
  ];
  test.each(rows)("%s", (_, response, losses) => {
    expect(told(dialect.encodeResponse({ ...plain, usage, ...response }).losses)).toStrictEqual(losses);
  });

  test("a failed answer must not pass for one that ended", () => {
    const { losses } = dialect.encodeResponse({ ...plain, usage, error: { kind: "server", message: "m" } });
    expect(losses.map(({ level }) => level)).toStrictEqual(["breaks"]);
  });

  describe("counts that nobody made are zero, for clients add them up", () => {
    const zero = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const { cacheReadTokens: _, cacheWriteTokens: __, ...bare } = usage;
    const counts: [sentence: string, usage: ModelResponse["usage"], wire: object, losses: string[]][] = [
      ["all", undefined, { input_tokens: 0, output_tokens: 0, ...zero }, ["usage-made /usage"]],
      ["those of the cache", bare, { input_tokens: 1, output_tokens: 2, ...zero }, ["usage-made /usage"]],
      [
        "or the sum of what is known",
        { ...bare, inputTokens: 9, totalTokens: 11, cacheReadTokens: 1, cacheWrite5mTokens: 2, cacheWrite1hTokens: 3 },
        {
          input_tokens: 3,
          output_tokens: 2,
          cache_read_input_tokens: 1,
          cache_creation_input_tokens: 5,
          cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
        },
        ["usage-made /usage"],
      ],
    ];
    test.each(counts)("%s", (_sentence, given, wire, losses) => {
      const response: ModelResponse = given === undefined ? plain : { ...plain, usage: given };
      const encoded = dialect.encodeResponse(response);
      expect(encoded.wire).toMatchObject({ usage: wire });
      expect(told(encoded.losses)).toStrictEqual(losses);
      const strict = dialect.encodeResponse(response, { repair: false });
      expect(strict.losses).toStrictEqual([]);
    });
  });
});

test("B36: a prefill is reported where the model does not continue it", () => {
  const losses = (model: string): string[] =>
    told(
      dialect.encodeRequest({
        model,
        messages: [user("Hello."), assistant("Once upon")],
        sampling: { maxOutputTokens: 9 },
      }).losses,
    );
  expect(losses("claude-opus-4-7")).toStrictEqual(["prefill /messages/1/role"]);
  expect(losses("claude-3-haiku-20240307")).toStrictEqual([]);
});

describe("repairs", () => {
  test.each(repairRows)("%s", (_, request, wire, losses) => {
    const given = { messages: [user("Hello.")], sampling: { maxOutputTokens: 4096 }, ...request };
    const encoded = dialect.encodeRequest(given);
    expect(encoded.wire).toMatchObject(wire);
    expect(told(encoded.losses)).toStrictEqual(losses);
    const unrepaired = dialect.encodeRequest(given, { repair: false }).losses;
    expect(unrepaired.filter(({ action }) => action === "repaired")).toStrictEqual([]);
  });
});

describe("streams", () => {
  const said = (part: number, textDelta: string): Delta => ({ kind: "text", payload: { textDelta, part } });
  const extra = { anthropic: { tone: "warm" } };
  const rows: [sentence: string, deltas: Delta[], losses: string[]][] = [
    ["more of a text that was closed", [said(0, "a"), said(1, "b"), said(0, "c")], ["part-split /message/parts/0"]],
    [
      "residue of a text that was closed",
      [said(0, "a"), said(1, "b"), { kind: "text", payload: { textDelta: "", part: 0, extra } }],
      ["late-unsaid /message/parts/0/extra/anthropic"],
    ],
  ];
  const usage: Delta = { kind: "usage", payload: { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 } };
  const start: Delta = { kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } };
  const done: Delta = { kind: "done", payload: { finishReason: "stop" } };
  const write = (deltas: readonly Delta[]): string[] => {
    const encoder = dialect.streamEncoder();
    for (const delta of deltas) encoder.push(delta);
    return told(encoder.losses);
  };

  test.each(rows)("%s", (_, deltas, losses) => {
    expect(write([start, usage, ...deltas, done])).toStrictEqual(losses);
  });

  test("a client's result between two answers", () => {
    const input = { toolCallId: "a", toolName: "f" };
    const value = { type: "tool-result", ...input, isError: false, output: "x" } as const;
    const calls: Delta[] = [
      { kind: "tool_call_start", payload: input },
      { kind: "tool_call_end", payload: { toolCallId: "a" } },
    ];
    const between: Delta = { kind: "part", payload: { role: "tool", value } };
    expect(write([start, usage, ...calls, done, between])).toStrictEqual(["result-between "]);
  });
});

test("every declared loss is produced by some row above", () => {
  expect(Object.keys(dialect.losses).filter((code) => !produced.has(code))).toStrictEqual([]);
});
