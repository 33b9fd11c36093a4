// Free-form tools on providers that require an object as arguments.
import { describe, expect, test } from "vitest";
import { dialect } from "../../../src/dialects/registry.ts";
import { translate } from "../../../src/dialects/translate.ts";

const responsesRequest = {
  model: "m",
  input: [
    { role: "user", content: "List the files." },
    { type: "custom_tool_call", call_id: "c1", name: "shell exec", input: "pwd" },
    { type: "custom_tool_call_output", call_id: "c1", output: "/home" },
  ],
  tools: [
    { type: "custom", name: "shell exec" },
    {
      type: "function",
      name: "g",
      parameters: { type: "object", properties: { value: { type: "string" } } },
      strict: null,
    },
  ],
};
const SCHEMA =
  /"(?:input_schema|parameters)":\{"type":"object","properties":\{"value":\{"type":"string"\}\},"required":\["value"\]\}/i;

const replies: [id: string, reply: (name: string, args: object) => object][] = [
  [
    "anthropic",
    (name, input) => ({
      id: "r",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "tool_use", id: "c2", name, input }],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  ],
  [
    "gemini",
    (name, args) => ({
      candidates: [
        { content: { role: "model", parts: [{ functionCall: { id: "c2", name, args } }] }, finishReason: "STOP" },
      ],
    }),
  ],
];

describe.each(replies)("%s", (id, reply) => {
  const { wire, names } = translate({ from: "openai-responses", to: id, kind: "request", wire: responsesRequest });
  const [written = ""] = Object.keys(names?.toolNames ?? {});
  const answer = (name: string, args: object): object =>
    translate({ from: id, to: "openai-responses", kind: "response", wire: reply(name, args), ...(names && { names }) })
      .wire;

  test("B32: a free-form tool is declared with an object schema", () => {
    expect(JSON.stringify(wire)).toMatch(SCHEMA);
    expect(JSON.stringify(wire)).toContain('{"value":"pwd"}');
    expect(names?.textTools).toStrictEqual(["shell exec"]);
  });

  test("B32: its call in the reply is decoded to free text", () => {
    expect(answer(written, { value: "ls" })).toMatchObject({
      output: [{ type: "custom_tool_call", name: "shell exec", call_id: "c2", input: "ls" }],
    });
  });

  test.each([
    ["g", { value: "ls" }],
    [written, { value: "ls", more: 1 }],
    [written, { value: 1 }],
  ])("B22: any other call is unchanged: %s %j", (name, args) => {
    const [part] = dialect(id).decodeResponse(reply(name, args), { names }).message.parts;
    expect(part).toMatchObject({ type: "tool-call", input: args });
    expect(part).not.toHaveProperty("format");
  });
});
