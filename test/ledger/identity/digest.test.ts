// Tests the normal form of a turn and its digest: equal turns, different turns, and chains.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../../src/index.ts";
import {
  assistant,
  developer,
  file,
  image,
  parseJson,
  reasoning,
  refusal,
  system,
  text,
  toolCall,
  toolResult,
  user,
} from "../../../src/index.ts";
import { encodeForHash } from "../../../src/ledger/identity/hash-encoding.ts";
import { computeDigest } from "../../../src/ledger/identity/digest.ts";
import { toHistory } from "../../../src/ledger/identity/history-turns.ts";
import { sameValue } from "../../../src/model/json/index.ts";
import { json, response } from "../../support/arbitrary.ts";
import { request } from "../../support/arbitrary-request.ts";

/** Any conversation, ending with any answer. */
const conversation: fc.Arbitrary<Message[]> = fc
  .tuple(request, response)
  .map(([{ messages }, { message }]) => [...messages, message]);

const PIXEL = "iVBORw0KGgo=";
const digest = (turn: readonly Message[], before?: readonly Message[]): string => computeDigest("", turn, before);
const endOf = (messages: readonly Message[]): string => toHistory(messages).turns.at(-1)?.digest ?? "";

function call(input: unknown, beside: Partial<ToolCallPart> = {}): Message {
  return assistant([toolCall("call_1", "look", input, beside)]);
}
function result(fields: Partial<ToolResultPart>): Message {
  return {
    role: "tool",
    parts: [{ type: "tool-result", toolCallId: "call_1", toolName: "look", isError: false, ...fields }],
  };
}
const signed: Part = reasoning("Hm.", { seals: [{ dialect: "anthropic", kind: "signature", value: "EqQ" }] });
const searched = toolCall("srv_1", "web_search", { query: "x" }, { executor: "provider" });

const SAME: readonly [sentence: string, one: readonly Message[], other: readonly Message[]][] = [
  ["text in one part or in several", [assistant("Hello!")], [assistant([text("Hel"), text("lo!")])]],
  ["a turn in one message or in several", [user("Hello!")], [user("Hel"), user("lo!")]],
  ["white space at the end or not", [assistant("Hello! \n")], [assistant("Hello!")]],
  ["a refusal or its text", [assistant([refusal("No.")])], [assistant("No.")]],
  [
    "reasoning, seals, opaque and empty parts, or none of them",
    [
      assistant([
        signed,
        text(""),
        { type: "opaque", dialect: "x", value: 1 },
        text("Hello!", { extra: { x: { a: 1 } } }),
      ]),
    ],
    [assistant("Hello!")],
  ],
  [
    "calls and results of provider tools, or none",
    [assistant([searched, { ...result({ executor: "provider" }).parts[0] } as Part, text("Found.")])],
    [assistant("Found.")],
  ],
  ["media that the model made, or none", [assistant([image({ data: PIXEL }), text("Here.")])], [assistant("Here.")]],
  [
    "text before its calls or after them",
    [assistant([text("Let me see."), ...call({}).parts])],
    [assistant([...call({}).parts, text("Let me see.")])],
  ],
  ["another id of a call", [call({ a: 1 })], [call({ a: 1 }, { toolCallId: "toolu_9" })]],
  ["another order of keys", [call({ a: 1, b: { c: 2, d: 3 } })], [call({ b: { d: 3, c: 2 }, a: 1 })]],
  ["another spelling of arguments", [call({ a: 1 })], [call({ a: 1 }, { inputText: '{ "a": 1.0 }' })]],
  [
    "digits beyond the precision of a double",
    [call(parseJson('{"n":12345678901234567890}'))],
    [call({ n: 12345678901234567000 })],
  ],
  ["a negative zero", [call({ n: -0 })], [call({ n: 0 })]],
  ["no arguments, or an empty object", [call(undefined)], [call({})]],
  ["free text, or free text in an object", [call("ls -l", { format: "text" })], [call({ value: "ls -l" })]],
  [
    "truncated arguments, or those in an object",
    [call('{"a":', { inputText: '{"a":', invalid: true })],
    [call({ value: '{"a":' })],
  ],
  ["a list for arguments, or one in an object", [call([1, 2])], [call({ value: [1, 2] })]],
  ["an output as text or as a part", [result({ output: "20 degrees" })], [result({ content: [text("20 degrees")] })]],
  ["an output as JSON or as its text", [result({ output: { degrees: 20 } })], [result({ output: '{"degrees":20}' })]],
  [
    "an error flag or none, which Chat does not have",
    [result({ output: "x", isError: true })],
    [result({ output: "x" })],
  ],
  ["a result with another name of its tool", [result({ output: "x" })], [result({ output: "x", toolName: "" })]],
  ["no output, or an empty one", [result({})], [result({ output: "" })]],
  [
    "media inline, in a data URL, or in the ledger",
    [user([image({ data: PIXEL, mimeType: "image/png" })])],
    [user([image({ url: `data:image/png;base64,${PIXEL}` })])],
  ],
  [
    "media inline or in the ledger",
    [user([image({ data: PIXEL })])],
    [user([image({ blob: "sha256-4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6" })])],
  ],
  [
    "a text document as text or as bytes",
    [user([file({ text: "Plain." })])],
    [user([file({ data: Buffer.from("Plain.").toString("base64") })])],
  ],
  [
    "media with another name and type",
    [user([file({ data: PIXEL, name: "a.png" })])],
    [user([image({ data: PIXEL, mimeType: "image/png" })])],
  ],
  ["a name on the message, or none", [{ ...user("Hi."), name: "ann", id: "m1" }], [user("Hi.")]],
  ["a blank answer, or none at all", [user("Hi."), assistant([signed])], [user("Hi.")]],
  [
    "a blank answer between two messages, or none",
    [user("Hi."), assistant([image({ data: PIXEL }), text(" ")]), user("Ho.")],
    [user("Hi."), user("Ho.")],
  ],
  ["instructions of either role", [user("Hi."), system("a"), developer("b")], [user("Hi."), system("ab")]],
  ["a lone surrogate, or its replacement character", [user("a\uD83D")], [user("a\uFFFD")]],
];

const OTHER: readonly [sentence: string, one: readonly Message[], other: readonly Message[]][] = [
  ["another text", [user("Hello!")], [user("Hello?")]],
  ["white space within", [user("a b")], [user("a  b")]],
  ["leading white space", [user(" a")], [user("a")]],
  ["another role", [user("Hello!")], [assistant("Hello!")]],
  ["another tool", [call({})], [assistant([toolCall("call_1", "listen", {})])]],
  ["another argument", [call({ a: 1 })], [call({ a: 2 })]],
  ["an argument of another type", [call({ a: 1 })], [call({ a: "1" })]],
  ["null for arguments", [call(null)], [call({})]],
  ["another key", [call({ a: 1, b: 2 })], [call({ a: 1, c: 2 })]],
  ["another nesting of arguments", [call({ a: [[1], 2] })], [call({ a: [[1, 2]] })]],
  ["an object with one field more than the wrapper", [call({ value: "x", a: 1 })], [call("x")]],
  ["one call more", [call({})], [assistant([...call({}).parts, toolCall("call_2", "look", {})])]],
  [
    "calls in another order",
    [assistant([toolCall("1", "a", {}), toolCall("2", "b", {})])],
    [assistant([toolCall("1", "b", {}), toolCall("2", "a", {})])],
  ],
  ["another output", [result({ output: "20" })], [result({ output: "21" })]],
  ["a result and a text", [result({ output: "20" })], [{ role: "tool", parts: [text("20")] }]],
  ["another image", [user([image({ data: PIXEL })])], [user([image({ data: "R0lGODlh" })])]],
  ["an image in a result", [result({ content: [image({ data: PIXEL })] })], [result({ content: [] })]],
  [
    "another URL",
    [user([image({ url: "https://a.example/1.png" })])],
    [user([image({ url: "https://a.example/2.png" })])],
  ],
  ["a file id and a URL", [user([file({ fileId: "x" })])], [user([file({ url: "x" })])]],
  ["other parts of a document", [user([file({ content: [text("a")] })])], [user([file({ content: [text("b")] })])]],
  ["a text and a call with the same spelling", [assistant("c4:look{}")], [call({})]],
];

describe("a turn is the same", () => {
  test.each(SAME)("with %s", (_, one, other) => {
    expect(endOf(one)).toBe(endOf(other));
  });
});

describe("a turn is different", () => {
  test.each(OTHER)("with %s", (_, one, other) => {
    expect(endOf(one)).not.toBe(endOf(other));
  });
});

describe("a digest", () => {
  test("is 20 bytes in base64url", () => {
    expect(digest([user("Hello!")])).toMatch(/^[\w-]{27}$/);
    expect(Buffer.from(digest([user("Hello!")]), "base64url")).toHaveLength(20);
  });

  test("never changes, because it is stored", () => {
    expect(digest([user("Hello!")])).toBe("7t1X4r0X25nTg0G0Rlrp9X5FhMA");
    const question = [user("What time is it?"), call({ zone: "UTC", at: [1, 2.5, true, null] })];
    expect(endOf(question)).toBe("GQ97poaJE0phAkpwcMAkD0JQAiA");
  });

  test("covers the previous turns", () => {
    expect(endOf([user("Hi."), assistant("Yes?")])).not.toBe(endOf([user("Ho."), assistant("Yes?")]));
  });

  test("ignores the leading instructions of a history, and no others", () => {
    const talk = [user("Hi."), assistant("Yes?")];
    expect(endOf([system("Be brief."), developer("Be kind."), ...talk])).toBe(endOf(talk));
    expect(digest([system("Be brief.")])).toBe("");
    expect(endOf([...talk, system("Be brief.")])).not.toBe(endOf(talk));
    expect(endOf([...talk, system("Be brief.")])).toBe(endOf([...talk, developer("Be brief.")]));
  });

  test("B25: has results in the order of their calls", () => {
    const calls = ["a", "b", "b"].map((id) => toolCall(id, "look", { id }));
    const callTurn = [user("Look."), assistant(calls)];
    const results = calls.map((each, at) => toolResult(each, `Result ${at}.`));
    const [first, second, third] = results as [Message, Message, Message];
    const inOrder = endOf([...callTurn, first, second, third]);
    expect(endOf([...callTurn, second, first, third])).toBe(inOrder);
    expect(endOf([...callTurn, { role: "tool", parts: [second, third, first].flatMap(({ parts }) => parts) }])).toBe(
      inOrder,
    );
    // If an id was used twice, the first result belongs to the first call.
    expect(endOf([...callTurn, first, third, second])).not.toBe(inOrder);
  });

  test("distinguishes swapped results", () => {
    const [one, two] = [toolCall("1", "look", { at: 1 }), toolCall("2", "look", { at: 2 })];
    const calls = [user("Look."), assistant([one, two])];
    expect(endOf([...calls, toolResult(one, "x"), toolResult(two, "y")])).not.toBe(
      endOf([...calls, toolResult(one, "y"), toolResult(two, "x")]),
    );
  });

  test("does not depend on the division of turns into messages and parts", () => {
    fc.assert(
      fc.property(conversation, fc.infiniteStream(fc.boolean()), (messages, cuts) => {
        const cut = messages.flatMap((message) =>
          message.parts.length === 0 || !cuts.next().value
            ? [message]
            : message.parts.map((part) => ({ ...message, parts: [part] })),
        );
        expect(endOf(cut)).toBe(endOf(messages));
      }),
    );
  });

  test("survives storage as JSON", () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        expect(endOf(JSON.parse(JSON.stringify(messages)) as Message[])).toBe(endOf(messages));
      }),
    );
  });
});

describe("a canonical value", () => {
  test("is equal for equal values only", () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(encodeForHash(one) === encodeForHash(other)).toBe(sameValue(one, other));
      }),
      {
        examples: [
          [{ a: [1] }, { a: [1, null] }],
          ["1", 1],
          [[], {}],
          [{ "1:a": 1 }, { 1: { a: 1 } }],
          [null, "~"],
        ],
      },
    );
  });

  test("rejects cyclic values and values that are nested too deeply", () => {
    const self: unknown[] = [];
    self.push(self);
    expect(() => encodeForHash(self)).toThrow("nested deeper");
  });
});
