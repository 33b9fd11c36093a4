// The first difference between two requests in each wire format: append-only requests, changes, and ignored fields.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/model/index.ts";
import { parseJson } from "../../../src/model/index.ts";
import {
  findFirstDifference,
  MAX_EXCERPT_LENGTH,
  type RequestDifference,
} from "../../../src/server/record/prompt-cache/first-difference.ts";

type Row = [name: string, previous: JsonObject, current: JsonObject, expected: RequestDifference | undefined];

/** Compares two requests of a dialect; fields that a request does not set are those of `base`. */
function describeDialect(dialect: string, base: JsonObject, rows: readonly Row[]): void {
  describe(dialect, () => {
    test.each(rows)("%s", (_, previous, current, expected) => {
      const toRequest = (wire: JsonObject) => ({ dialect, model: "m", wire: { ...base, ...wire } });
      expect(findFirstDifference(toRequest(previous), toRequest(current))).toStrictEqual(expected);
      expect(findFirstDifference(toRequest(current), toRequest(current))).toBeUndefined();
    });
  });
}

const SCHEMA = { type: "object", properties: { place: { type: "string" } } };
const CACHED = { cache_control: { type: "ephemeral" } };

const claudeTool = (name: string): JsonObject => ({ name, input_schema: SCHEMA });
const question: JsonObject = { role: "user", content: "Where is Corinth?" };
const textBlock = (text: string): JsonObject => ({ type: "text", text });
const toolResult: JsonObject = { type: "tool_result", tool_use_id: "t1", content: "37.9 N" };
const toolUse = (input: JsonObject): JsonObject => ({
  role: "assistant",
  content: [{ type: "tool_use", id: "t1", name: "find", input }],
});

describeDialect("anthropic", { system: "Be brief.", tools: [claudeTool("find")], messages: [question] }, [
  ["equal", {}, {}, undefined],
  [
    "appended messages, another limit, and a stream",
    { max_tokens: 10, temperature: 0 },
    { max_tokens: 20, stream: true, messages: [question, { role: "assistant", content: "Here." }, question] },
    undefined,
  ],
  [
    "moved breakpoints, with texts as blocks",
    { messages: [{ role: "user", content: [{ ...textBlock("Where is Corinth?"), ...CACHED }] }] },
    { system: [{ ...textBlock("Be brief."), ...CACHED }], tools: [{ ...claudeTool("find"), ...CACHED }] },
    undefined,
  ],
  [
    "blocks appended to the last message",
    { messages: [question, toolUse({}), { role: "user", content: [toolResult] }] },
    { messages: [question, toolUse({}), { role: "user", content: [toolResult, textBlock("And?")] }] },
    undefined,
  ],
  [
    "a text that becomes the first block",
    {},
    { messages: [{ ...question, content: [textBlock("Where is Corinth?"), textBlock("And?")] }] },
    undefined,
  ],
  [
    "another system prompt",
    {},
    { system: "Be long." },
    { path: "/system", kind: "system", previous: "Be brief.", current: "Be long." },
  ],
  [
    "an added tool, before another system prompt",
    {},
    { tools: [claudeTool("find"), { name: "sail" }], system: "Be long." },
    { path: "/tools/1", kind: "tools", current: '{"name":"sail"}' },
  ],
  [
    "a removed tool",
    { tools: [claudeTool("find"), { name: "sail" }] },
    {},
    { path: "/tools/1", kind: "tools", previous: '{"name":"sail"}' },
  ],
  [
    "no tools any more",
    { tools: [{ name: "sail" }] },
    { tools: [] },
    { path: "/tools/0", kind: "tools", previous: '{"name":"sail"}' },
  ],
  [
    "other keys of a schema, in which a breakpoint's name is data",
    { tools: [{ name: "a", input_schema: { properties: { cache_control: {} } } }] },
    { tools: [{ name: "a", input_schema: { properties: {} } }] },
    { path: "/tools/0/input_schema/properties/cache_control", kind: "tools", previous: "{}" },
  ],
  [
    "another order of arguments",
    { messages: [question, toolUse({ a: 1, b: 2 })] },
    { messages: [question, toolUse({ b: 2, a: 1 }), question] },
    { path: "/messages/1/content/0/input", kind: "messages", previous: '{"a":1,"b":2}', current: '{"b":2,"a":1}' },
  ],
  [
    "a message that is replaced with one of another role",
    { messages: [question, { role: "assistant", content: "Here." }] },
    { messages: [question, question] },
    {
      path: "/messages/1",
      kind: "messages",
      previous: '{"role":"assistant","content":"Here."}',
      current: '{"role":"user","content":"Where is Corinth?"}',
    },
  ],
  [
    "a shorter history",
    { messages: [question, { role: "assistant", content: "Here." }] },
    {},
    { path: "/messages/1", kind: "messages", previous: '{"role":"assistant","content":"Here."}' },
  ],
  [
    "thinking",
    {},
    { thinking: { type: "enabled", budget_tokens: 1024 } },
    { path: "/thinking", kind: "settings", current: '{"type":"enabled","budget_tokens":1024}' },
  ],
]);

const chatSystem: JsonObject = { role: "system", content: "Be brief." };
const chatTool = (name: string): JsonObject => ({ type: "function", function: { name, parameters: SCHEMA } });

describeDialect("openai-chat", { messages: [chatSystem, question], tools: [chatTool("find")] }, [
  [
    "appended messages and another limit",
    { max_completion_tokens: 5 },
    {
      messages: [chatSystem, question, { role: "assistant", content: "Here." }],
      stream_options: { include_usage: true },
    },
    undefined,
  ],
  [
    "another system message",
    {},
    { messages: [{ ...chatSystem, content: "Be long." }, question] },
    { path: "/messages/0/content", kind: "system", previous: "Be brief.", current: "Be long." },
  ],
  [
    "another user message",
    {},
    { messages: [chatSystem, { ...question, content: "Where is Argos?" }] },
    { path: "/messages/1/content", kind: "messages", previous: "Where is Corinth?", current: "Where is Argos?" },
  ],
  [
    "another tool",
    {},
    { tools: [chatTool("sail")] },
    { path: "/tools/0/function/name", kind: "tools", previous: "find", current: "sail" },
  ],
  [
    "another effort",
    { reasoning_effort: "low" },
    { reasoning_effort: "high" },
    { path: "/reasoning_effort", kind: "settings", previous: "low", current: "high" },
  ],
]);

describeDialect("openai-responses", { instructions: "Be brief.", input: [question], tools: [] }, [
  [
    "a text that becomes a list of items",
    { input: "Where is Corinth?" },
    {
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "Where is Corinth?" }] },
        { type: "function_call", call_id: "c", name: "find", arguments: "{}" },
      ],
      max_output_tokens: 100,
    },
    undefined,
  ],
  [
    "another text",
    { input: "One" },
    { input: "Two" },
    { path: "/input", kind: "messages", previous: "One", current: "Two" },
  ],
  [
    "other instructions",
    {},
    { instructions: "Be long." },
    { path: "/instructions", kind: "system", previous: "Be brief.", current: "Be long." },
  ],
  [
    "a developer message",
    { input: [{ role: "developer", content: "One" }, question] },
    { input: [{ role: "developer", content: "Two" }, question] },
    { path: "/input/0/content", kind: "system", previous: "One", current: "Two" },
  ],
  [
    "an added tool",
    {},
    { tools: [{ type: "web_search" }] },
    { path: "/tools/0", kind: "tools", current: '{"type":"web_search"}' },
  ],
  [
    "another cache key",
    { prompt_cache_key: "a" },
    { prompt_cache_key: "b" },
    { path: "/prompt_cache_key", kind: "settings", previous: "a", current: "b" },
  ],
]);

const content = (role: string, text: string): JsonObject => ({ role, parts: [{ text }] });

describeDialect(
  "gemini",
  {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [content("user", "Where?")],
    tools: [{ functionDeclarations: [{ name: "find", parameters: SCHEMA }] }],
  },
  [
    [
      "appended contents and another limit",
      { generationConfig: { maxOutputTokens: 5 } },
      { contents: [content("user", "Where?"), content("model", "Here.")] },
      undefined,
    ],
    [
      "another system instruction",
      {},
      { systemInstruction: { parts: [{ text: "Be long." }] } },
      { path: "/systemInstruction/parts/0/text", kind: "system", previous: "Be brief.", current: "Be long." },
    ],
    [
      "an added function",
      {},
      { tools: [{ functionDeclarations: [{ name: "find", parameters: SCHEMA }, { name: "sail" }] }] },
      { path: "/tools/0/functionDeclarations/1", kind: "tools", current: '{"name":"sail"}' },
    ],
    [
      "another content",
      {},
      { contents: [content("user", "When?")] },
      { path: "/contents/0/parts/0/text", kind: "messages", previous: "Where?", current: "When?" },
    ],
    [
      "a response schema",
      {},
      { generationConfig: { responseMimeType: "application/json" } },
      { path: "/generationConfig/responseMimeType", kind: "settings", current: "application/json" },
    ],
  ],
);

const cachePoint: JsonObject = { cachePoint: { type: "default" } };

describeDialect(
  "bedrock",
  { system: [{ text: "Be brief." }], messages: [{ role: "user", content: [{ text: "Where?" }] }] },
  [
    [
      "cache points",
      { messages: [{ role: "user", content: [{ text: "Where?" }, cachePoint] }] },
      { system: [{ text: "Be brief." }, cachePoint] },
      undefined,
    ],
    [
      "a block after a cache point",
      {},
      { system: [{ text: "Be brief." }, cachePoint, { text: "It is noon." }] },
      { path: "/system/2", kind: "system", current: '{"text":"It is noon."}' },
    ],
  ],
);

describeDialect("canonical", { messages: [{ role: "system", parts: [{ type: "text", text: "One" }] }] }, [
  [
    "another system message",
    {},
    { messages: [{ role: "system", parts: [{ type: "text", text: "Two", cache: {} }] }] },
    { path: "/messages/0/parts/0/text", kind: "system", previous: "One", current: "Two" },
  ],
]);

test("another model is the first difference, even if the URL contains it", () => {
  const request = (model: string) => ({ dialect: "gemini", model, wire: { contents: [content("user", model)] } });
  expect(findFirstDifference(request("a"), request("b"))).toStrictEqual({
    path: "/model",
    kind: "model",
    previous: "a",
    current: "b",
  });
});

test("an excerpt starts shortly before the difference and is limited", () => {
  const request = (time: string) => ({
    dialect: "anthropic",
    model: "m",
    wire: { system: `${"Long prompt. ".repeat(500)}It is ${time}. ${"More. ".repeat(500)}`, messages: [] },
  });
  const difference = findFirstDifference(request("noon"), request("midnight"));
  for (const excerpt of [difference?.previous, difference?.current]) {
    expect(excerpt?.length).toBe(MAX_EXCERPT_LENGTH);
    expect(excerpt).toMatch(/^…[^…]*It is (?:noon|midnight)\. [^…]*…$/);
  }
});

test("numbers with the same double and other digits are different", () => {
  const request = (digits: string) => ({
    dialect: "anthropic",
    model: "m",
    // The cast is safe: the text is an object.
    wire: parseJson(`{"tools":[{"name":"a","input_schema":{"maximum":${digits}}}]}`) as JsonObject,
  });
  expect(findFirstDifference(request("9007199254740992"), request("9007199254740993"))).toMatchObject({
    path: "/tools/0/input_schema/maximum",
    current: "9007199254740993",
  });
});

test("the time is linear: two long histories are compared in less than a second", () => {
  const messages = Array.from({ length: 20_000 }, (_, index) => ({
    role: "user",
    content: [textBlock(`Line ${index}`)],
  }));
  const request = (last: string) => ({
    dialect: "anthropic",
    model: "m",
    wire: { messages: [...messages, { role: "user", content: last }] },
  });
  const start = performance.now();
  expect(findFirstDifference(request("a"), request("b"))?.path).toBe("/messages/20000/content");
  expect(performance.now() - start).toBeLessThan(1000);
});
