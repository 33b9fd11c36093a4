// Losses of encoding into Anthropic Messages; the rows of repairs are in repairs.rows.ts.
import { describe, expect, test } from "vitest";
import { anthropic } from "../../../src/dialects/anthropic/index.ts";
import type { Delta } from "../../../src/model/delta.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, developer, system, user } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { partRows } from "./losses.rows.ts";
import { producedCodes, repairRows } from "./repairs.rows.ts";

const dialect = anthropic();

/** Formats each loss as "code path". */
function formatLosses(losses: readonly { code: string; path: string }[]): string[] {
  for (const { code } of losses) producedCodes.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

describe("parts", () => {
  test.each(partRows)("%s", (_, part, block, losses) => {
    const encoded = dialect.encodeMessages([assistant([part])]);
    expect(formatLosses(encoded.losses).filter((loss) => !loss.startsWith("message-unsupported"))).toStrictEqual(
      losses,
    );
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
      "output beside content becomes its first block",
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
      "a tool name that no call has is reported",
      { ...result, toolName: "f" },
      wireResult,
      ["result-tool-name-dropped /0/parts/0/toolName"],
    ],
  ];
  test.each(rows)("%s", (_, part, block, losses) => {
    const encoded = dialect.encodeMessages([{ role: "tool", parts: [part] }]);
    expect(encoded.wire).toStrictEqual([{ role: "user", content: [block] }]);
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
  });
});

describe("messages", () => {
  const rows: [sentence: string, messages: Message[], wire: unknown, losses: string[]][] = [
    [
      "ids, names and metadata are reported",
      [{ ...user("x"), id: "1", name: "Ada", metadata: {} }],
      [{ role: "user", content: "x" }],
      ["metadata-dropped /0/id", "field-unsupported /0/name", "metadata-dropped /0/metadata"],
    ],
    [
      "an unknown role becomes the user's",
      // Messages from callers may have any role.
      [{ role: "critic", parts: [{ type: "text", text: "x" }] } as unknown as Message],
      [{ role: "user", content: "x" }],
      ["role-approximated /0/role"],
    ],
    [
      "a text in a tool message becomes a user's text",
      [{ role: "tool", parts: [{ type: "text", text: "x" }] }],
      [{ role: "user", content: "x" }],
      ["role-approximated /0/role"],
    ],
    [
      "B40: neighbors of one role are merged",
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
      "B37: leading system and developer messages become one string",
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
      "B7: a message without a supported part is dropped, and its neighbors are merged",
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
      ["reasoning-unsupported /1/parts/0", "message-unsupported /1/parts", "turns-merged /2/role"],
    ],
  ];
  test.each(rows)("%s", (_, messages, wire, losses) => {
    const encoded = dialect.encodeMessages(messages);
    expect(encoded.wire).toStrictEqual(wire);
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
  });

  test("a stored unknown role is dropped if the message has another role", () => {
    const [message] = dialect.decodeMessages([{ role: "critic", content: "x" }]);
    const { wire, losses } = dialect.encodeMessages(message === undefined ? [] : [{ ...message, role: "assistant" }]);
    expect(wire).toStrictEqual([{ role: "assistant", content: "x" }]);
    expect(formatLosses(losses)).toStrictEqual(["form-stale /0/extra/anthropic"]);
  });
});

describe("requests", () => {
  const rows: [sentence: string, request: Partial<ModelRequest>, wire: object, losses: string[]][] = [
    [
      "unsupported sampling settings are dropped",
      { sampling: { maxOutputTokens: 9, seed: 1, n: 2 } },
      { max_tokens: 9 },
      ["field-unsupported /sampling/seed", "field-unsupported /sampling/n"],
    ],
    [
      "metadata other than the user id is dropped",
      { metadata: { user_id: "u", team: "t" } },
      { metadata: { user_id: "u" } },
      ["field-unsupported /metadata/team"],
    ],
    ["JSON output without a schema is dropped", { output: { type: "json" } }, {}, ["field-unsupported /output"]],
    [
      "name and strictness of an output schema are dropped",
      { output: { type: "json-schema", schema: { type: "string" }, name: "n", strict: true } },
      { output_config: { format: { type: "json_schema", schema: { type: "string" } } } },
      ["field-unsupported /output/name", "field-unsupported /output/strict"],
    ],
    [
      "an effort becomes adaptive thinking",
      { reasoning: { effort: "high" } },
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
      [],
    ],
    [
      "an unsupported effort becomes the nearest one",
      { reasoning: { effort: "minimal", summary: "auto" } },
      { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } },
      ["setting-approximated /reasoning/effort", "setting-approximated /reasoning/summary"],
    ],
    [
      "a choice among several tools becomes `any`",
      {
        tools: [{ type: "function", name: "f", inputSchema: { type: "object" } }],
        toolChoice: { toolNames: ["f", "g"], mode: "required" },
      },
      { tools: [{ name: "f", input_schema: { type: "object" } }], tool_choice: { type: "any" } },
      ["tool-choice-approximated /toolChoice"],
    ],
    [
      "a tool of another provider is dropped",
      { tools: [{ type: "provider", dialect: "gemini", name: "maps", value: {} }] },
      {},
      ["tool-not-portable /tools/0"],
    ],
    [
      "B52: a tool without parameters gets an empty schema",
      { tools: [{ type: "function", name: "f" }] },
      { tools: [{ name: "f", input_schema: { type: "object" } }] },
      ["schema-synthesized /tools/0/inputSchema"],
    ],
    [
      "a reference to another provider's stored content breaks the request",
      { extra: { "openai-responses": { previous_response_id: "r", store: true } } },
      {},
      [
        "context-not-portable /extra/openai-responses/previous_response_id",
        "residue-not-portable /extra/openai-responses/store",
      ],
    ],
  ];
  test.each(rows)("%s", (_, request, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [], ...request }, { repair: false });
    expect(encoded.wire).toStrictEqual({ messages: [], ...wire });
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
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
      "B59: alternatives are dropped",
      { alternatives: [{ message: assistant("y"), finishReason: { unified: "stop" } }] },
      ["field-unsupported /alternatives"],
    ],
    ["the creation time is dropped", { createdAt: "2026-01-01T00:00:00Z" }, ["metadata-dropped /createdAt"]],
    [
      "response metadata of another dialect are dropped",
      { extra: { "openai-chat": { system_fingerprint: "f" } } },
      ["response-metadata-not-portable /extra/openai-chat/system_fingerprint"],
    ],
    [
      "B58: residue of another dialect that describes content is a loss",
      {
        extra: {
          gemini: { candidates: { finishMessage: "Too long." }, promptFeedback: {} },
          "openai-chat": { choices: { index: 3, $form: { logprobs: "absent" } }, citations: ["https://example.com"] },
        },
      },
      [
        "residue-not-portable /extra/gemini/candidates",
        "response-metadata-not-portable /extra/gemini/promptFeedback",
        "response-metadata-not-portable /extra/openai-chat/choices",
        "residue-not-portable /extra/openai-chat/citations",
      ],
    ],
    ["the cost is dropped", { usage: { ...usage, cost: 0.5 } }, ["metadata-dropped /usage/cost"]],
    [
      "a response cannot report an error",
      { finishReason: { unified: "error" }, error: { kind: "server", message: "m" } },
      ["finish-reason-approximated /finishReason/unified", "failure-unsupported /error"],
    ],
    [
      "B61: a stop reason of another dialect is dropped",
      { finishReason: { unified: "stop", raw: "STOP" } },
      ["raw-finish-reason-dropped /finishReason/raw"],
    ],
    [
      "B66: inconsistent token counts are never negative",
      { usage: { ...usage, totalTokens: 9, cacheReadTokens: 5 } },
      ["usage-inconsistent /usage/inputTokens", "usage-inconsistent /usage/totalTokens"],
    ],
    [
      "a reasoning summary of another provider is written as text",
      { message: assistant([{ type: "reasoning", text: "", summary: ["One.", "Two."] }]) },
      ["summary-as-text /message/parts/0/summary"],
    ],
  ];
  test.each(rows)("%s", (_, response, losses) => {
    expect(formatLosses(dialect.encodeResponse({ ...plain, usage, ...response }).losses)).toStrictEqual(losses);
  });

  test("a failed response is reported as a breaking loss", () => {
    const { losses } = dialect.encodeResponse({ ...plain, usage, error: { kind: "server", message: "m" } });
    expect(losses.map(({ level }) => level)).toStrictEqual(["breaks"]);
  });

  describe("missing cache counts are written as zero, because clients add them up", () => {
    const zero = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const { cacheReadTokens: _, cacheWriteTokens: __, ...bare } = usage;
    const counts: [sentence: string, usage: ModelResponse["usage"], wire: object, losses: string[]][] = [
      ["all", undefined, { input_tokens: 0, output_tokens: 0, ...zero }, ["usage-synthesized /usage"]],
      ["cache counts", bare, { input_tokens: 1, output_tokens: 2, ...zero }, ["usage-synthesized /usage"]],
      [
        "or as the sum of the known counts",
        { ...bare, inputTokens: 9, totalTokens: 11, cacheReadTokens: 1, cacheWrite5mTokens: 2, cacheWrite1hTokens: 3 },
        {
          input_tokens: 3,
          output_tokens: 2,
          cache_read_input_tokens: 1,
          cache_creation_input_tokens: 5,
          cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 },
        },
        ["usage-synthesized /usage"],
      ],
    ];
    test.each(counts)("%s", (_sentence, input, wire, losses) => {
      const response: ModelResponse = input === undefined ? plain : { ...plain, usage: input };
      const encoded = dialect.encodeResponse(response);
      expect(encoded.wire).toMatchObject({ usage: wire });
      expect(formatLosses(encoded.losses)).toStrictEqual(losses);
      const strict = dialect.encodeResponse(response, { repair: false });
      expect(strict.losses).toStrictEqual([]);
    });
  });
});

test("B36: a prefill is reported for models that do not support it", () => {
  const losses = (model: string): string[] =>
    formatLosses(
      dialect.encodeRequest({
        model,
        messages: [user("Hello."), assistant("Once upon")],
        sampling: { maxOutputTokens: 9 },
      }).losses,
    );
  expect(losses("claude-opus-4-7")).toStrictEqual(["prefill-unsupported /messages/1/role"]);
  expect(losses("claude-3-haiku-20240307")).toStrictEqual([]);
});

describe("repairs", () => {
  test.each(repairRows)("%s", (_, request, wire, losses) => {
    const input = { messages: [user("Hello.")], sampling: { maxOutputTokens: 4096 }, ...request };
    const encoded = dialect.encodeRequest(input);
    expect(encoded.wire).toMatchObject(wire);
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
    const unrepaired = dialect.encodeRequest(input, { repair: false }).losses;
    expect(unrepaired.filter(({ action }) => action === "repaired")).toStrictEqual([]);
  });
});

describe("streams", () => {
  const textDelta = (part: number, textDelta: string): Delta => ({
    kind: "text",
    payload: { textDelta, partKey: part },
  });
  const extra = { anthropic: { tone: "warm" } };
  const rows: [sentence: string, deltas: Delta[], losses: string[]][] = [
    [
      "text for a closed part",
      [textDelta(0, "a"), textDelta(1, "b"), textDelta(0, "c")],
      ["part-split /message/parts/0"],
    ],
    [
      "residue for a closed text",
      [textDelta(0, "a"), textDelta(1, "b"), { kind: "text", payload: { textDelta: "", partKey: 0, extra } }],
      ["late-dropped /message/parts/0/extra/anthropic"],
    ],
  ];
  const usage: Delta = { kind: "usage", payload: { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 } };
  const start: Delta = { kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } };
  const done: Delta = { kind: "done", payload: { finishReason: "stop" } };
  const encodeLosses = (deltas: readonly Delta[]): string[] => {
    const encoder = dialect.streamEncoder();
    for (const delta of deltas) encoder.push(delta);
    return formatLosses(encoder.losses);
  };

  test.each(rows)("%s", (_, deltas, losses) => {
    expect(encodeLosses([start, usage, ...deltas, done])).toStrictEqual(losses);
  });

  test("a client's result between two answers is dropped", () => {
    const input = { toolCallId: "a", toolName: "f" };
    const value = { type: "tool-result", ...input, isError: false, output: "x" } as const;
    const calls: Delta[] = [
      { kind: "tool_call_start", payload: input },
      { kind: "tool_call_end", payload: { toolCallId: "a" } },
    ];
    const between: Delta = { kind: "part", payload: { role: "tool", value } };
    expect(encodeLosses([start, usage, ...calls, done, between])).toStrictEqual(["stream-result-dropped "]);
  });
});

test("every declared loss has a row", () => {
  expect(Object.keys(dialect.losses).filter((code) => !producedCodes.has(code))).toStrictEqual([]);
});
