// What encoding into OpenAI's Responses loses or mends, row by row.
import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../src/dialects/openai-responses/index.ts";
import type { Loss } from "../../src/model/loss.ts";
import { assistant, developer, system, toolResult, user } from "../../src/model/message.ts";
import type { Message } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelRequest } from "../../src/model/request.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import { responseRows } from "./openai-responses-answer-rows.ts";
import {
  assistantRows,
  call,
  resultRows,
  result,
  shapedRows,
  userRows,
  wireCall,
  wireResult,
} from "./openai-responses-loss-rows.ts";
import { repairRows, requestRows } from "./openai-responses-request-rows.ts";

const dialect = openaiResponses({ provider: "openai" });
const produced = new Set<string>();

/** Each loss as "code path". */
function told(losses: readonly Loss[]): string[] {
  for (const { code } of losses) produced.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

describe("what a user says", () => {
  test.each(userRows)("%s", (_, part, block, losses) => {
    const beside: Part = { type: "text", text: "beside" };
    const { wire, losses: lost } = dialect.encodeRequest({ messages: [user([part, beside])] });
    const content = [...(block === undefined ? [] : [block]), { type: "input_text", text: "beside" }];
    expect({ wire, losses: told(lost) }).toStrictEqual({ wire: { input: [{ role: "user", content }] }, losses });
  });
});

describe("what the assistant says, thinks and asks", () => {
  test.each(assistantRows)("%s", (_, parts, items, losses) => {
    const { wire, losses: lost } = dialect.encodeMessages([assistant(parts)]);
    expect({ wire, losses: told(lost) }).toStrictEqual({ wire: items, losses });
  });
});

describe("what came back from tools", () => {
  test.each(resultRows)("%s", (_, change, item, losses) => {
    const messages: Message[] = [assistant([call]), { role: "tool", parts: [{ ...result, ...change }] }];
    const { wire, losses: lost } = dialect.encodeMessages(messages);
    expect({ wire, losses: told(lost) }).toStrictEqual({ wire: [wireCall, item], losses });
  });

  const none = { type: "tool-result", toolCallId: "a", toolName: "f", isError: false } as const;
  test("B27: no output at all is an empty text", () => {
    const { wire, losses } = dialect.encodeMessages([assistant([call]), { role: "tool", parts: [none] }]);
    expect({ wire, losses: told(losses) }).toStrictEqual({
      wire: [wireCall, { ...wireResult, output: "" }],
      losses: ["result-empty /1/parts/0/output"],
    });
  });

  test.each(shapedRows)("%s", (_, asked, options, item, losses) => {
    const { wire, losses: lost } = dialect.encodeMessages([assistant([asked]), toolResult(asked, "x", options)]);
    expect({ items: (wire as object[]).slice(1), losses: told(lost) }).toStrictEqual({
      items: item === undefined ? [] : [item],
      losses,
    });
  });
});

describe("messages", () => {
  test("ids, metadata and names are reported", () => {
    const message: Message = { ...user("x"), id: "1", name: "Ada", metadata: {} };
    expect(told(dialect.encodeMessages([message]).losses)).toStrictEqual([
      "bookkeeping /0/id",
      "field-unsaid /0/name",
      "bookkeeping /0/metadata",
    ]);
  });

  test("B37, B38: leading system texts are joined, blocks stay blocks, later ones stay in place", () => {
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
    expect(told(losses)).toStrictEqual(["system-joined /0/parts", "system-joined /1/parts"]);
  });

  test("B26, B40: neighbours of one voice are items of their own, and their boundary is reported", () => {
    const { wire, losses } = dialect.encodeMessages([assistant("1"), assistant("2"), assistant([])]);
    expect(wire).toStrictEqual([
      { role: "assistant", content: "1" },
      { role: "assistant", content: "2" },
    ]);
    expect(told(losses)).toStrictEqual(["turns-merged /1/role", "turns-merged /2/role", "message-unsaid /2"]);
  });

  test("a role that nobody knows is a user's", () => {
    // Messages from outside may say anything.
    const odd = { role: "critic", parts: [{ type: "text", text: "x" }] } as unknown as Message;
    const { wire, losses } = dialect.encodeMessages([odd]);
    expect({ wire, losses: told(losses) }).toStrictEqual({
      wire: [{ role: "user", content: "x" }],
      losses: ["role-approximated /0/role"],
    });
  });
});

describe("requests", () => {
  test.each(requestRows)("%s", (_, request, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [user("x")], ...request });
    const [name = ""] = Object.keys(encoded.names?.toolNames ?? {});
    // What a name becomes is the book's business; that it is the same everywhere is ours.
    const named = JSON.parse(JSON.stringify(wire).replaceAll("RENAMED", name)) as object;
    expect(encoded.wire).toStrictEqual({ input: [{ role: "user", content: "x" }], ...named });
    expect(told(encoded.losses)).toStrictEqual(losses);
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
    expect(told(encoded.losses)).toStrictEqual(losses);
    expect(id.length).toBeLessThanOrEqual(64);
  });

  test("without repairs, none of this happens", () => {
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
  test("what a client expects is filled in", () => {
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
    expect(told(losses)).toStrictEqual(["field-filled /extra/openai-responses"]);
  });

  test.each(responseRows)("%s", (_, response, wire, losses) => {
    const encoded = dialect.encodeResponse({ ...answer, ...response });
    expect(encoded.wire).toMatchObject(wire);
    expect(told(encoded.losses).filter((loss) => !loss.startsWith("field-filled"))).toStrictEqual(losses);
  });

  test("reasoning of any provider is shown to a client, without its seals", () => {
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
    expect(told(losses)).toContain("seal-foreign /message/parts/0/seals/0");
  });
});

test("a client's result between two answers of a run is no event of a stream", () => {
  const encoder = dialect.streamEncoder();
  const result = { type: "tool-result", toolCallId: "a", toolName: "f", isError: false, output: "x" } as const;
  const start = { modelId: "m", requestId: "r" };
  encoder.push({ kind: "start", payload: start });
  encoder.push({ kind: "part", payload: { value: { type: "tool-call", toolCallId: "a", toolName: "f", input: {} } } });
  encoder.push({ kind: "done", payload: { finishReason: "tool-calls" } });
  expect(encoder.push({ kind: "part", payload: { value: result, role: "tool" } })).toStrictEqual([]);
  expect(told(encoder.losses)).toContain("result-between ");
});

test("more of a text whose item is done stands in another item", () => {
  const encoder = dialect.streamEncoder();
  encoder.push({ kind: "start", payload: { modelId: "m", requestId: "r" } });
  for (const part of [0, 1, 0]) encoder.push({ kind: "text", payload: { textDelta: "a", part } });
  encoder.push({ kind: "done", payload: { finishReason: "stop" } });
  expect(told(encoder.losses)).toContain("part-split /message/parts/0");
});

test("an id that comes when its text has gone on in the message before it is left out", () => {
  const encoder = dialect.streamEncoder();
  const seal = { dialect: "openai-responses", kind: "id", value: "msg_1" } as const;
  encoder.push({ kind: "start", payload: { modelId: "m", requestId: "r" } });
  for (const part of [0, 1]) encoder.push({ kind: "text", payload: { textDelta: "a", part } });
  encoder.push({ kind: "seal", payload: { seal, part: 1 } });
  const [end] = encoder.push({ kind: "done", payload: { finishReason: "stop" } }).slice(-1);
  expect(end?.data).toHaveProperty(["response", "output", "length"], 1);
  expect(told(encoder.losses)).toContain("late-unsaid /message/parts/1/seals");
});

test("every declared loss is produced by some row above", () => {
  // Results may stand anywhere after their calls, so that none is moved.
  const never = ["result-moved", "results-reordered"];
  expect([...produced, ...never].toSorted()).toStrictEqual(Object.keys(dialect.losses).toSorted());
});
