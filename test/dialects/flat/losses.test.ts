// The losses of encoding flat messages, one row each.
import { expect, test } from "vitest";
import { flat } from "../../../src/dialects/flat/index.ts";
import type { Message } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import { contentRows } from "./losses.rows.ts";
import type { LossRow } from "./losses.rows.ts";

const dialect = flat();

const assistant = (...parts: unknown[]): Message => ({ role: "assistant", parts: parts as Part[] });
const tool = (...parts: unknown[]): Message => ({ role: "tool", parts: parts as Part[] });
const userMessage = (...parts: unknown[]): Message => ({ role: "user", parts: parts as Part[] });
const decodeWire = (...wire: unknown[]): Message[] => dialect.decodeMessages(wire);
/** Decodes a message and changes fields of its first part. */
const decodeAndEdit = (wire: object, change: object): Message[] =>
  decodeWire({ role: "user", content: "", ...wire }).map((message) => ({
    ...message,
    parts: message.parts.map((part, index) => (index === 0 ? { ...part, ...change } : part)),
  }));

const result = { type: "tool-result", toolCallId: "c", toolName: "", isError: false };
const signed = { dialect: "anthropic", kind: "signature", value: "s" };

/** Losses in the structure of a message and in its residue. */
const structureRows: LossRow[] = [
  [
    "B2: reasoning after a text moves before it",
    [assistant({ type: "text", text: "t" }, { type: "reasoning", text: "r" })],
    [["parts-reordered", "/0/parts/1/type"]],
    [{ role: "assistant", content: "t", reasoning: "r" }],
  ],
  [
    "several results become several messages, in order",
    [{ ...tool({ ...result, output: "1" }, { ...result, toolCallId: "d", output: "2" }), id: "m" }],
    [["message-split", "/0/role"]],
    [
      { role: "tool", content: "1", call_id: "c", id: "m" },
      { role: "tool", content: "2", call_id: "d" },
    ],
  ],
  [
    "B28: a result beside text becomes two messages",
    [userMessage({ ...result, output: "1" }, { type: "text", text: "t" })],
    [["message-split", "/0/role"]],
    [
      { role: "tool", content: "1", call_id: "c" },
      { role: "user", content: "t" },
    ],
  ],
  [
    "a tool message has results only",
    [tool({ type: "text", text: "t" })],
    [["role-approximated", "/0/role"]],
    [{ role: "user", content: "t" }],
  ],
  [
    "the id of a tool message without a call would be read as the call's",
    [
      { ...tool({ ...result, toolCallId: "", output: "ok" }), id: "m" },
      { ...tool(), id: "n" },
      ...decodeWire({ role: "tool", content: "ok", id: "c" }).map((each) => ({ ...each, id: "o" })),
    ],
    [
      ["metadata-dropped", "/0/id"],
      ["metadata-dropped", "/1/id"],
      ["result-empty", "/1/parts"],
      ["metadata-dropped", "/2/id"],
    ],
    [
      { role: "tool", content: "ok" },
      { role: "tool", content: "" },
      { role: "tool", content: "ok", id: "c" },
    ],
  ],
  [
    "another id of a call that would now have precedence",
    decodeWire(
      { role: "assistant", content: "", tool_calls: [{ name: "f", arguments: "{}", id: "i", call_id: "c" }] },
      { role: "tool", content: "", call_id: "i" },
    ).slice(0, 1),
    [["residue-conflict", "/0/parts/0/extra/flat/call_id"]],
    [{ role: "assistant", content: "", tool_calls: [{ name: "f", arguments: "{}", id: "i" }] }],
  ],
  ["an empty tool message", [tool()], [["result-empty", "/0/parts"]], [{ role: "tool", content: "" }]],
  [
    "a result without output",
    [tool(result)],
    [["result-empty", "/0/parts/0/content"]],
    [{ role: "tool", content: "", call_id: "c" }],
  ],
  [
    "reasoning that was edited under its thinking blocks",
    decodeWire({
      role: "assistant",
      content: "",
      reasoning: "new",
      extra: { claude: { thinking_blocks: [{ type: "thinking", thinking: "old", signature: "s" }], preserved: 1 } },
    }),
    [["thinking-blocks-stale", "/0/extra/flat/thinking-blocks-stale"]],
    [{ role: "assistant", content: "", reasoning: "new", extra: { claude: { preserved: 1 } } }],
  ],
  [
    "more thought signatures than parts, and an invalid one",
    decodeWire({ role: "assistant", content: "t", extra: { gemini: { thought_signatures: [7, "s"] } } }),
    [["thought-signatures-stale", "/0/extra/flat/thought-signatures-stale"]],
    [{ role: "assistant", content: "t" }],
  ],
  [
    "another source of media that would now have precedence",
    decodeAndEdit({ content: [{ type: "image", data: "AAAA", url: "u" }] }, { data: undefined, fileId: "f" }),
    [["residue-conflict", "/0/parts/0/extra/flat/url"]],
    [{ role: "user", content: [{ type: "image", file_id: "f" }] }],
  ],
  [
    "provider data that is no object, after other data was added",
    decodeWire({ role: "user", content: "t", extra: 7 }).map((each) => ({
      ...each,
      extra: { ...each.extra, gemini: { a: 1 } },
    })),
    [["residue-conflict", "/0/extra/flat/extra"]],
    [{ role: "user", content: "t", extra: { gemini: { a: 1 } } }],
  ],
  [
    "a null content after a text was added",
    decodeWire({ role: "user", content: null }).map((each) => ({ ...each, parts: [{ type: "text", text: "t" }] })),
    [["form-stale", "/0/extra/flat/$form/content"]],
    [{ role: "user", content: "t" }],
  ],
  [
    "the short name of a MIME type that was changed",
    decodeAndEdit({ content: [{ type: "image", format: "png", data: "AAAA" }] }, { mimeType: "image/webp" }),
    [["form-stale", "/0/parts/0/extra/flat/$form/format"]],
    [{ role: "user", content: [{ type: "image", format: "image/webp", data: "AAAA" }] }],
  ],
  [
    "B5: the issuer of a seal",
    [assistant({ type: "reasoning", text: "r", seals: [{ ...signed, provider: "p", model: "m" }] })],
    [
      ["metadata-dropped", "/0/parts/0/seals/0/provider"],
      ["metadata-dropped", "/0/parts/0/seals/0/model"],
    ],
    [
      {
        role: "assistant",
        content: "",
        reasoning: "r",
        extra: { claude: { thinking_blocks: [{ type: "thinking", thinking: "r", signature: "s" }] } },
      },
    ],
  ],
  [
    "B5: seals of other providers, and Claude's seals on parts other than reasoning",
    [assistant({ type: "text", text: "t", seals: [signed, { dialect: "openai-responses", kind: "id", value: "i" }] })],
    [
      ["seal-not-portable", "/0/parts/0/seals/0"],
      ["seal-not-portable", "/0/parts/0/seals/1"],
    ],
    [{ role: "assistant", content: "t" }],
  ],
];
const rows = [...structureRows, ...contentRows];

test.each(rows)("%s", (_, messages, expected, wire) => {
  const encoded = dialect.encodeMessages(messages);
  expect(encoded.losses.map(({ code, path }) => [code, path])).toStrictEqual(expected);
  expect(encoded.wire).toStrictEqual(wire);
});

test("B58: every declared loss is in a row, and every row's loss is declared", () => {
  const codes = new Set(rows.flatMap(([, , losses]) => losses.map(([code]) => code)));
  expect([...codes].sort()).toStrictEqual(Object.keys(dialect.losses).sort());
});

test("every other dialect reports stale thinking blocks as residue", () => {
  const [message] = decodeWire({
    role: "assistant",
    content: "",
    reasoning: "new",
    extra: { claude: { thinking_blocks: [{ type: "thinking", thinking: "old", signature: "s" }] } },
  });
  expect(message?.extra).toStrictEqual({
    flat: { "thinking-blocks-stale": [{ type: "thinking", thinking: "old", signature: "s" }] },
  });
});
