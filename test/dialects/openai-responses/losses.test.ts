// Tests the losses and repairs of encoding into Responses, row by row.
import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../../src/dialects/openai-responses/index.ts";
import type { Loss } from "../../../src/model/loss.ts";
import { assistant, developer, system, toolResult, user } from "../../../src/model/message.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import { responseRows } from "./response-losses.rows.ts";
import { assistantRows, call, result, userPartRows, wireCall, wireResult } from "./item-losses.rows.ts";
import { resultRows, structuredOutputRows } from "./result-losses.rows.ts";
import { repairRows, requestRows } from "./request-losses.rows.ts";

const dialect = openaiResponses({ provider: "openai" });
const occurredCodes = new Set<string>();

/** Returns each loss as "code path". */
function formatLosses(losses: readonly Loss[]): string[] {
  for (const { code } of losses) occurredCodes.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

describe("user messages", () => {
  test.each(userPartRows)("%s", (_, part, block, losses) => {
    const beside: Part = { type: "text", text: "beside" };
    const { wire, losses: actualLosses } = dialect.encodeRequest({ messages: [user([part, beside])] });
    const content = [...(block === undefined ? [] : [block]), { type: "input_text", text: "beside" }];
    expect({ wire, losses: formatLosses(actualLosses) }).toStrictEqual({
      wire: { input: [{ role: "user", content }] },
      losses,
    });
  });
});

describe("assistant messages", () => {
  test.each(assistantRows)("%s", (_, parts, items, losses) => {
    const { wire, losses: actualLosses } = dialect.encodeMessages([assistant(parts)]);
    expect({ wire, losses: formatLosses(actualLosses) }).toStrictEqual({ wire: items, losses });
  });
});

describe("tool results", () => {
  test.each(resultRows)("%s", (_, change, item, losses) => {
    const messages: Message[] = [assistant([call]), { role: "tool", parts: [{ ...result, ...change }] }];
    const { wire, losses: actualLosses } = dialect.encodeMessages(messages);
    expect({ wire, losses: formatLosses(actualLosses) }).toStrictEqual({ wire: [wireCall, item], losses });
  });

  const none = { type: "tool-result", toolCallId: "a", toolName: "f", isError: false } as const;
  test("B27: a result without output is an empty text", () => {
    const { wire, losses } = dialect.encodeMessages([assistant([call]), { role: "tool", parts: [none] }]);
    expect({ wire, losses: formatLosses(losses) }).toStrictEqual({
      wire: [wireCall, { ...wireResult, output: "" }],
      losses: ["result-empty /1/parts/0/output"],
    });
  });

  test.each(structuredOutputRows)("%s", (_, callItem, options, item, losses) => {
    const { wire, losses: actualLosses } = dialect.encodeMessages([
      assistant([callItem]),
      toolResult(callItem, "x", options),
    ]);
    expect({ items: (wire as object[]).slice(1), losses: formatLosses(actualLosses) }).toStrictEqual({
      items: item === undefined ? [] : [item],
      losses,
    });
  });
});

describe("messages", () => {
  test("ids, metadata and names are reported", () => {
    const message: Message = { ...user("x"), id: "1", name: "Ada", metadata: {} };
    expect(formatLosses(dialect.encodeMessages([message]).losses)).toStrictEqual([
      "metadata-dropped /0/id",
      "field-unsupported /0/name",
      "metadata-dropped /0/metadata",
    ]);
  });

  test("B37, B38: leading system texts are joined, blocks stay blocks, later system messages keep their positions", () => {
    const blocks = [
      { type: "text", text: "3a" },
      { type: "text", text: "3b" },
    ] as const;
    const messages = [system("1"), system("2"), system(blocks), developer("4"), user("5"), system("6")];
    const { wire, losses } = dialect.encodeMessages(messages);
    expect(wire).toStrictEqual({
      instructions: "1\n\n2",
      input: [
        { role: "system", content: blocks.map(({ text }) => ({ type: "input_text", text })) },
        { role: "developer", content: "4" },
        { role: "user", content: "5" },
        { role: "system", content: "6" },
      ],
    });
    expect(formatLosses(losses)).toStrictEqual(["system-joined /0/parts", "system-joined /1/parts"]);
  });

  test("B26, B40: adjacent messages of one role become separate items, and their boundary is reported", () => {
    const { wire, losses } = dialect.encodeMessages([assistant("1"), assistant("2"), assistant([])]);
    expect(wire).toStrictEqual([
      { role: "assistant", content: "1" },
      { role: "assistant", content: "2" },
    ]);
    expect(formatLosses(losses)).toStrictEqual([
      "turns-merged /1/role",
      "turns-merged /2/role",
      "message-unsupported /2",
    ]);
  });

  test("a message of an unknown role becomes a user message", () => {
    // Messages of a caller can have any role.
    const unknownRole = { role: "critic", parts: [{ type: "text", text: "x" }] } as unknown as Message;
    const { wire, losses } = dialect.encodeMessages([unknownRole]);
    expect({ wire, losses: formatLosses(losses) }).toStrictEqual({
      wire: [{ role: "user", content: "x" }],
      losses: ["role-approximated /0/role"],
    });
  });
});

describe("requests", () => {
  test.each(requestRows)("%s", (_, request, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [user("x")], ...request });
    const [name = ""] = Object.keys(encoded.names?.toolNames ?? {});
    // Other tests check the new name; this one checks that it is the same everywhere.
    const named = JSON.parse(JSON.stringify(wire).replaceAll("RENAMED", name)) as object;
    expect(encoded.wire).toStrictEqual({ input: [{ role: "user", content: "x" }], ...named });
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
  });
});

describe("repairs", () => {
  const first = { role: "user", content: "First." };
  const last = { role: "user", content: "Last." };

  test.each(repairRows)("%s", (_, messages, items, losses, extra) => {
    const request: ModelRequest = { messages: [user("First."), ...messages, user("Last.")] };
    if (extra !== undefined) request.extra = { "openai-responses": { ...extra } };
    const encoded = dialect.encodeRequest(request);
    const [id = ""] = Object.keys(encoded.names?.toolCallIds ?? {});
    const renamed = JSON.parse(JSON.stringify(items).replaceAll("RENAMED", id)) as object[];
    expect(encoded.wire).toStrictEqual({ input: [first, ...renamed, last], ...extra });
    expect(formatLosses(encoded.losses)).toStrictEqual(losses);
    expect(id.length).toBeLessThanOrEqual(64);
  });

  test("without repairs, the request is unchanged", () => {
    for (const [, messages] of repairRows) {
      const { losses } = dialect.encodeRequest({ messages }, { repair: false });
      expect(losses.filter(({ action }) => action === "repaired")).toStrictEqual([]);
    }
  });
});

describe("answers", () => {
  const answer: ModelResponse = {
    id: "resp_1",
    model: "m",
    message: assistant("Vega."),
    finishReason: { unified: "stop" },
    createdAt: "2025-03-08T23:29:02.000Z",
  };
  test("fields that a client expects are filled in", () => {
    const { wire, losses } = dialect.encodeResponse(answer);
    expect(wire).toStrictEqual({
      id: "resp_1",
      object: "response",
      created_at: 1741476542,
      status: "completed",
      model: "m",
      output: [
        {
          type: "message",
          id: expect.stringMatching(/^msg_koine_[a-z0-9]+_0$/) as string,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Vega.", annotations: [], logprobs: [] }],
        },
      ],
      error: null,
      incomplete_details: null,
      access_programs: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      temperature: null,
      tool_choice: "auto",
      tools: [],
      top_p: null,
    });
    expect(formatLosses(losses)).toStrictEqual(["field-synthesized /extra/openai-responses"]);
  });

  test.each(responseRows)("%s", (_, response, wire, losses) => {
    const encoded = dialect.encodeResponse({ ...answer, ...response });
    expect(encoded.wire).toMatchObject(wire);
    expect(formatLosses(encoded.losses).filter((loss) => !loss.startsWith("field-synthesized"))).toStrictEqual(losses);
  });

  test("reasoning of any provider is sent to a client without its seals", () => {
    const seals = [{ dialect: "anthropic", kind: "signature", value: "s" }];
    const message = assistant([{ type: "reasoning", text: "Hm.", summary: ["H."], seals }]);
    const { wire, losses } = dialect.encodeResponse({ ...answer, message });
    expect(wire).toMatchObject({
      output: [
        {
          type: "reasoning",
          summary: [{ type: "summary_text", text: "H." }],
          content: [{ type: "reasoning_text", text: "Hm." }],
        },
      ],
    });
    expect(formatLosses(losses)).toContain("seal-not-portable /message/parts/0/seals/0");
  });
});

test("a tool result between two answers of a stream is dropped", () => {
  const encoder = dialect.streamEncoder();
  const result = { type: "tool-result", toolCallId: "a", toolName: "f", isError: false, output: "x" } as const;
  const start = { modelId: "m", requestId: "r" };
  encoder.push({ kind: "start", payload: start });
  encoder.push({ kind: "part", payload: { value: { type: "tool-call", toolCallId: "a", toolName: "f", input: {} } } });
  encoder.push({ kind: "done", payload: { finishReason: "tool-calls" } });
  expect(encoder.push({ kind: "part", payload: { value: result, role: "tool" } })).toStrictEqual([]);
  expect(formatLosses(encoder.losses)).toContain("stream-result-dropped ");
});

test("more text after the end of its item is sent in another item", () => {
  const encoder = dialect.streamEncoder();
  encoder.push({ kind: "start", payload: { modelId: "m", requestId: "r" } });
  for (const part of [0, 1, 0]) encoder.push({ kind: "text", payload: { textDelta: "a", partKey: part } });
  encoder.push({ kind: "done", payload: { finishReason: "stop" } });
  expect(formatLosses(encoder.losses)).toContain("part-split /message/parts/0");
});

test("an id that arrives after its text has continued a message is dropped", () => {
  const encoder = dialect.streamEncoder();
  const seal = { dialect: "openai-responses", kind: "id", value: "msg_1" } as const;
  encoder.push({ kind: "start", payload: { modelId: "m", requestId: "r" } });
  for (const part of [0, 1]) encoder.push({ kind: "text", payload: { textDelta: "a", partKey: part } });
  encoder.push({ kind: "seal", payload: { seal, partKey: 1 } });
  const [end] = encoder.push({ kind: "done", payload: { finishReason: "stop" } }).slice(-1);
  expect(end?.data).toHaveProperty(["response", "output", "length"], 1);
  expect(formatLosses(encoder.losses)).toContain("late-dropped /message/parts/1/seals");
});

test("every declared loss code occurs in a row", () => {
  // Responses accepts results anywhere after their calls, so none is moved.
  const never = ["result-moved", "results-reordered"];
  expect([...occurredCodes, ...never].toSorted()).toStrictEqual(Object.keys(dialect.losses).toSorted());
});
