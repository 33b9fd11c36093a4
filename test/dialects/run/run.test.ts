// The run shape: conformance, decoding to plain messages, and invalid data.
import { describe, expect, test } from "vitest";
import { DialectError } from "../../../src/dialects/errors.ts";
import { run } from "../../../src/dialects/run/index.ts";
import type { RunMessage } from "../../../src/dialects/run/index.ts";
import { parseJson, stringifyJson } from "../../../src/model/json/index.ts";
import type { Part } from "../../../src/model/parts.ts";
import { validate } from "../../../src/model/validation/validate.ts";
import { messageConformance } from "../../../src/testkit/index.ts";
import { RUN_SAMPLES } from "./samples.rows.ts";
import { KoineError } from "../../../src/model/errors.ts";
import { requireError } from "../../support/require-error.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

const dialect = run();
const STAMP = { runId: "run-1", timestamp: "2026-03-01T10:00:00.000Z" };

/** Returns one wire message with the given parts. */
function createWire(role: string, parts: unknown[], fields: object = {}): unknown[] {
  return [{ ...STAMP, role, parts, ...fields }];
}

function decodeParts(role: string, ...parts: unknown[]): Part[] {
  return dialect.decodeMessages(createWire(role, parts))[0]?.parts ?? [];
}

for (const { title, run: holds } of messageConformance(dialect, { samples: RUN_SAMPLES, mutants: scaleRunCount(400) }))
  test(title, holds);

describe("decoding", () => {
  const rows: [sentence: string, role: string, part: unknown, decoded: Part][] = [
    ["text", "user", { kind: "text", payload: { text: "Hi" } }, { type: "text", text: "Hi" }],
    [
      "thinking in a system message is preserved",
      "system",
      { kind: "thinking", payload: { text: "Hm" } },
      { type: "reasoning", text: "Hm" },
    ],
    [
      "a call whose text does not parse is invalid, with the text as its input (B22)",
      "assistant",
      { kind: "tool_call", payload: { toolCallId: "c", toolName: "t", arguments: {}, rawArgsText: '{"a":' } },
      { type: "tool-call", toolCallId: "c", toolName: "t", input: '{"a":', inputText: '{"a":', invalid: true },
    ],
    [
      "the exact text of the arguments is preserved (B23)",
      "assistant",
      {
        kind: "tool_call",
        payload: { toolCallId: "c", toolName: "t", arguments: { a: 1 }, rawArgsText: '{ "a": 1.0 }' },
      },
      { type: "tool-call", toolCallId: "c", toolName: "t", input: { a: 1 }, inputText: '{ "a": 1.0 }' },
    ],
    [
      "an image at a URL",
      "user",
      { kind: "image", payload: { mimeType: "image/png", url: "https://example.com/a.png" } },
      { type: "image", mimeType: "image/png", url: "https://example.com/a.png" },
    ],
    [
      "a file at a path",
      "user",
      { kind: "file_ref", payload: { path: "notes/a.txt", size: 12 } },
      { type: "file", path: "notes/a.txt", size: 12 },
    ],
    [
      "an unknown kind is preserved verbatim (B43)",
      "user",
      { kind: "chart", payload: { bars: [1] }, fields: true },
      { type: "opaque", dialect: "run", value: { kind: "chart", payload: { bars: [1] }, fields: true } },
    ],
    [
      "a result that is a list of parts has content",
      "tool",
      {
        kind: "tool_result",
        payload: { toolCallId: "c", isError: true, content: [{ kind: "text", payload: { text: "No" } }] },
      },
      { type: "tool-result", toolCallId: "c", toolName: "", isError: true, content: [{ type: "text", text: "No" }] },
    ],
    [
      "a result with a list that only resembles parts is JSON",
      "tool",
      {
        kind: "tool_result",
        payload: { toolCallId: "c", isError: false, content: [{ kind: "text", payload: { count: 3 } }] },
      },
      {
        type: "tool-result",
        toolCallId: "c",
        toolName: "",
        isError: false,
        output: [{ kind: "text", payload: { count: 3 } }],
      },
    ],
    [
      "an empty text is an output (B27)",
      "tool",
      { kind: "tool_result", payload: { toolCallId: "c", isError: false, content: "" } },
      { type: "tool-result", toolCallId: "c", toolName: "", isError: false, output: "" },
    ],
  ];
  test.each(rows)("%s", (_, role, part, decoded) => {
    expect(decodeParts(role, part)).toStrictEqual([decoded]);
  });

  test("runId, timestamp and meta become metadata; plain data has no extra", () => {
    const meta = { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 }, trace: { id: "t" } };
    const [message] = dialect.decodeMessages(
      createWire("assistant", [{ kind: "text", payload: { text: "Hi" } }], { meta }),
    );
    expect(message).toStrictEqual({
      role: "assistant",
      parts: [{ type: "text", text: "Hi" }],
      metadata: { ...STAMP, ...meta },
    });
  });

  test("a key of meta with another meaning in the model stays residue", () => {
    const meta = { usage: "a lot", model: "m", runId: "another", timestamp: 7 };
    const [message] = dialect.decodeMessages(createWire("user", [], { meta }));
    expect(message?.metadata).toStrictEqual({ ...STAMP, model: "m" });
    expect(message?.extra).toStrictEqual({ run: { meta: { usage: "a lot", runId: "another", timestamp: 7 } } });
    expect(validate(message)).toStrictEqual([]);
  });

  test("a result has the tool name of the call before it (B29)", () => {
    const messages = dialect.decodeMessages([
      ...createWire("assistant", [
        { kind: "tool_call", payload: { toolCallId: "c", toolName: "look", arguments: {} } },
      ]),
      ...createWire("tool", [{ kind: "tool_result", payload: { toolCallId: "c", isError: false, content: "seen" } }]),
    ]);
    expect(messages[1]?.parts[0]).toMatchObject({ toolName: "look" });
  });

  test("every digit of the arguments survives, with and without their text (B23)", () => {
    const text = `[{"runId":"r","role":"assistant","timestamp":"t","parts":[{"kind":"tool_call","payload":{"toolCallId":"c","toolName":"t","arguments":{"id":12345678901234567890}}}],"meta":{"span":98765432109876543210}}]`;
    const messages = dialect.decodeMessages(parseJson(text));
    expect(messages[0]?.parts[0]).toMatchObject({ inputText: '{"id":12345678901234567890}' });
    expect(stringifyJson(dialect.encodeMessages(structuredClone(messages)).wire)).toContain(
      '{"id":12345678901234567890}',
    );
    const again = stringifyJson(dialect.encodeMessages(messages).wire);
    expect(again).toContain('{"span":98765432109876543210}');
    expect(again).not.toContain("rawArgsText");
  });

  const errors: [sentence: string, wire: unknown, path: string, code: string][] = [
    ["a message that is a text", ["Hi"], "/0", "wrong-type"],
    ["a role that is a number", [{ ...STAMP, role: 1, parts: [] }], "/0/role", "wrong-type"],
    ["a message without parts", [{ ...STAMP, role: "user" }], "/0/parts", "missing-field"],
    ["parts that are an object", [{ ...STAMP, role: "user", parts: {} }], "/0/parts", "wrong-type"],
    ["a runId that is a number", [{ ...STAMP, runId: 1, role: "user", parts: [] }], "/0/runId", "wrong-type"],
    ["a meta that is a list", createWire("user", [], { meta: [] }), "/0/meta", "wrong-type"],
    ["a part without a kind", createWire("user", [{ payload: {} }]), "/0/parts/0/kind", "missing-field"],
    ["a text without a payload", createWire("user", [{ kind: "text" }]), "/0/parts/0/payload", "missing-field"],
    [
      "a payload that is a text",
      createWire("user", [{ kind: "text", payload: "Hi" }]),
      "/0/parts/0/payload",
      "wrong-type",
    ],
    [
      "a text without its text",
      createWire("user", [{ kind: "text", payload: {} }]),
      "/0/parts/0/payload/text",
      "missing-field",
    ],
    [
      "a path that is a number",
      { messages: createWire("user", [{ kind: "file_ref", payload: { path: 1 } }]) },
      "/messages/0/parts/0/payload/path",
      "wrong-type",
    ],
    [
      "a result that is nested too deeply",
      createWire("tool", [nested(200)]),
      `/0/parts/0/payload${"/content/0/payload".repeat(100)}/content`,
      "too-deep",
    ],
  ];
  test.each(errors)("%s is an error with its path", (_, wire, path, code) => {
    const error = requireError(KoineError, () => dialect.decodeMessages(wire));
    expect(error).toBeInstanceOf(DialectError);
    expect(error).toMatchObject({ dialect: "run", path, code });
  });
});

function nested(depth: number): unknown {
  let part: unknown = { kind: "text", payload: { text: "inside" } };
  for (let level = 0; level < depth; level++) {
    part = { kind: "tool_result", payload: { toolCallId: "c", isError: false, content: [part] } };
  }
  return part;
}

/** Typed as the wire, so that a wrong field is a compile error. */
const TYPED: RunMessage[] = [
  { ...STAMP, role: "user", parts: [{ kind: "file_ref", payload: { path: "a", size: 1 } }] },
  {
    ...STAMP,
    role: "tool",
    parts: [{ kind: "tool_result", payload: { toolCallId: "c", isError: false, content: "x" } }],
  },
];
test("data of the documented types is plain", () => {
  const messages = dialect.decodeMessages(TYPED);
  expect(JSON.stringify(messages)).not.toContain("extra");
  expect(dialect.encodeMessages(messages)).toStrictEqual({ wire: TYPED, losses: [] });
});
