// What encoding into OpenAI's Responses loses or mends, row by row.
import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../src/dialects/openai-responses/index.ts";
import type { Loss } from "../../src/model/loss.ts";
import { assistant, developer, system, toolResult, user } from "../../src/model/message.ts";
import type { Message } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import type { Response } from "../../src/model/response.ts";
import { assistantRows, call, resultRows, result, shapedRows, userRows, wireCall, wireResult } from "./openai-responses-loss-rows.ts";
import { repairRows, requestRows, responseRows } from "./openai-responses-request-rows.ts";

const dialect = openaiResponses({ provider: "openai" });
const produced = new Set<string>();

/** Each loss as "code path". */
function told(losses: readonly Loss[]): string[] {
  for (const { code } of losses) produced.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}


describe("what a user says", () => {
  test.each(rows)("%s", (_, part, block, losses) => {
    const beside: Part = { type: "text", text: "beside" };
    const { wire, losses: lost } = dialect.encodeRequest({ messages: [user([part, beside])] });
    const content = [...(block === undefined ? [] : [block]), { type: "input_text", text: "beside" }];
    expect({ wire, losses: told(lost) }).toStrictEqual({ wire: { input: [{ role: "user", content }] }, losses });
  });
});

describe("what the assistant says, thinks and asks", () => {
  test.each(rows)("%s", (_, parts, items, losses) => {
    const { wire, losses: lost } = dialect.encodeMessages([assistant(parts)]);
    expect({ wire, losses: told(lost) }).toStrictEqual({ wire: items, losses });
  });
});

describe("what came back from tools", () => {
  test.each(rows)("%s", (_, change, item, losses) => {
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

  test.each(shaped)("%s", (_, asked, options, item, losses) => {
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
    expect(told(losses)).toStrictEqual(["turns-merged /1/role", "turns-merged /2/role", "message-empty /2"]);
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
  const schema = { type: "object", properties: { a: { type: "string" } } };
  test.each(rows)("%s", (_, request, wire, losses) => {
    const encoded = dialect.encodeRequest({ messages: [user("x")], ...request });
    const names = Object.keys(encoded.names?.toolNames ?? {});
    const named: unknown = JSON.parse(JSON.stringify(wire).replaceAll("a_b_n3pxv1m2s4g", names[0] ?? ""));
    expect(encoded.wire).toStrictEqual({ input: [{ role: "user", content: "x" }], ...(named as object) });
    expect(told(encoded.losses)).toStrictEqual(losses);
  });
});
