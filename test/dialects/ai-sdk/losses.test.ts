// Losses of encoding into both AI SDK formats, one row each; every declared loss code is produced by a row.
import { describe, expect, test } from "vitest";
import { aiSdkModel } from "../../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import type { Delta, Dialect, Message } from "../../../src/index.ts";
import type { LossRow } from "./losses.rows.ts";
import { assistant, call, commonRows, result, tool, user } from "./losses.rows.ts";

const ui = aiSdkUi();
const model = aiSdkModel();
const produced = new Map<Dialect, Set<string>>([
  [ui, new Set()],
  [model, new Set()],
]);

function recordLosses(dialect: Dialect, losses: readonly { code: string; path: string }[]): string[] {
  for (const { code } of losses) produced.get(dialect)?.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

/** Returns the losses of encoding messages, without synthesized ids, which the rows do not test. */
function encodeLosses(dialect: Dialect, messages: readonly Message[]): string[] {
  const all = recordLosses(dialect, dialect.encodeMessages(messages).losses);
  return all.filter((loss) => !loss.startsWith("id-synthesized"));
}

const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const text = { type: "text", text: "x" };

describe.each([
  ["UI messages", ui],
  ["model messages", model],
] as const)("%s", (_, dialect) => {
  test.each(commonRows)("$name", ({ messages, losses }) => {
    expect(encodeLosses(dialect, messages).toSorted()).toStrictEqual(losses.toSorted());
  });
});

const modelRows: LossRow[] = [
  {
    name: "ids, metadata and names of messages",
    messages: [{ ...user(text), id: "i", name: "n", metadata: {} }],
    losses: ["metadata-dropped /0/id", "field-unsupported /0/name", "metadata-dropped /0/metadata"],
  },
  {
    name: "B37: a system message with two parts becomes two messages",
    messages: [{ role: "system", parts: [text, text] as Message["parts"] }],
    losses: ["system-split /0/role"],
  },
  {
    name: "an unknown role",
    messages: [{ role: "critic" as "user", parts: [] }],
    losses: ["role-approximated /0/role"],
  },
  {
    name: "B48: annotations",
    messages: [assistant({ ...text, annotations: [] })],
    losses: ["field-unsupported /0/parts/0/annotations"],
  },
  {
    name: "B22: the invalid flag of a call",
    messages: [assistant({ ...call, invalid: true })],
    losses: ["invalid-call-unsupported /0/parts/0/invalid"],
  },
  {
    name: "B33: calls and results of a provider's own tool",
    messages: [assistant({ ...call, executor: "provider", tool: "web_search" })],
    losses: ["provider-tool-unsupported /0/parts/0"],
  },
  {
    name: "display fields of a tool",
    messages: [assistant({ ...call, extra: { "ai-sdk": { $form: { tool: { title: "F" } } } } })],
    losses: ["form-not-portable /0/parts/0/extra/ai-sdk/$form/tool"],
  },
  {
    name: "B27: the error flag of a result with content",
    messages: [tool({ ...result, output: undefined, isError: true, content: [image] })],
    losses: ["error-flag-unsupported /0/parts/0/isError"],
  },
  {
    name: "a provider's result in a tool message",
    messages: [tool({ ...result, executor: "provider" })],
    losses: ["result-executor-approximated /0/parts/0/executor"],
  },
  {
    name: "an approval response in an assistant message",
    messages: [
      assistant({
        type: "opaque",
        dialect: "ai-sdk-model",
        value: { type: "tool-approval-response", approvalId: "a", approved: true },
      }),
    ],
    losses: ["approval-response-moved /0/parts/0"],
  },
  {
    name: "a stored string form of a message with several parts",
    messages: [{ ...user(text, text), extra: { "ai-sdk-model": { $form: { content: "string" }, content: 1 } } }],
    losses: ["form-stale /0/extra/ai-sdk-model/$form/content", "residue-conflict /0/extra/ai-sdk-model/content"],
  },
];

describe("model messages alone", () => {
  test.each(modelRows)("$name", ({ messages, losses }) => {
    expect(encodeLosses(model, messages).toSorted()).toStrictEqual(losses.toSorted());
  });
});

const uiRows: LossRow[] = [
  {
    name: "names, times and parents of messages",
    messages: [{ ...user(text), name: "n", createdAt: "t", parentMessageId: null } as Message],
    losses: ["field-unsupported /0/name", "metadata-dropped /0/createdAt", "metadata-dropped /0/parentMessageId"],
  },
  {
    name: "fields that only the first message of a UI message can have",
    messages: [
      { ...assistant(call), metadata: { model: "a" } },
      { ...tool(result), id: "i" },
      { ...assistant(text), metadata: { model: "b", note: "c" }, extra: { "ai-sdk-ui": { createdAt: "t" } } },
    ],
    losses: [
      "metadata-dropped /1/id",
      "residue-conflict /2/extra/ai-sdk-ui/createdAt",
      "metadata-dropped /2/metadata/model",
      "metadata-merged /2/metadata/note",
    ],
  },
  {
    name: "provider options of a message",
    messages: [{ ...user(text), extra: { "ai-sdk": { openai: { a: 1 } } } }],
    losses: ["residue-not-portable /0/extra/ai-sdk/openai"],
  },
  { name: "a tool message without a part", messages: [tool()], losses: ["message-unsupported /0"] },
  {
    name: "two adjacent tool messages are merged",
    messages: [assistant(call, { ...call, toolCallId: "d" }), tool(result), tool({ ...result, toolCallId: "d" })],
    losses: ["turns-merged /2/role", "result-merged-into-call /2/parts/0"],
  },
  {
    name: "a text in a tool message becomes the assistant's",
    messages: [assistant(call), tool(text, result)],
    losses: ["role-approximated /1/parts/0/type"],
  },
  {
    name: "a result without its call",
    messages: [tool(result)],
    losses: ["result-merged-into-call /0/role", "call-synthesized /0/parts/0"],
  },
  {
    name: "results in another order than their calls, under another name, and one more",
    messages: [
      assistant(call, { ...call, toolCallId: "d" }),
      tool({ ...result, toolCallId: "d" }, { ...result, toolName: "g" }, result),
    ],
    losses: [
      "result-merged-into-call /1/parts/1",
      "result-tool-name-dropped /1/parts/1/toolName",
      "result-duplicate /1/parts/2",
    ],
  },
  {
    name: "a provider's result for a client's call",
    messages: [assistant(call), tool({ ...result, executor: "provider" })],
    losses: ["result-executor-approximated /1/parts/0/executor"],
  },
  {
    name: "B22: the invalid flag of a call with a result",
    messages: [assistant({ ...call, invalid: true }), tool(result)],
    losses: ["invalid-call-unsupported /0/parts/0/invalid"],
  },
  {
    name: "an error with content becomes one text",
    messages: [assistant(call), tool({ ...result, isError: true, output: { a: 1 }, content: [image] })],
    losses: ["output-as-text /1/parts/0/output", "part-unsupported /1/parts/0/content/0"],
  },
  {
    name: "a text document",
    messages: [user({ type: "file", text: "x", mimeType: "text/plain" })],
    losses: ["text-as-data /0/parts/0/text"],
  },
  {
    name: "B48: annotations that are neither source nor citation",
    messages: [
      assistant({
        ...text,
        annotations: [{ kind: "other" }, { kind: "url", url: "u", fileId: "f", extra: { "ai-sdk-ui": { url: "v" } } }],
      }),
    ],
    losses: [
      "field-unsupported /0/parts/0/annotations/0",
      "field-unsupported /0/parts/0/annotations/1/fileId",
      "residue-conflict /0/parts/0/annotations/1/extra/ai-sdk-ui/url",
    ],
  },
  {
    name: "a stored denial whose output was edited",
    messages: [
      assistant(call),
      tool({ ...result, isError: true, extra: { "ai-sdk-ui": { $form: { state: "output-denied" } } } }),
    ],
    losses: ["form-stale /1/parts/0/extra/ai-sdk-ui/$form/state"],
  },
];

describe("UI messages alone", () => {
  test.each(uiRows)("$name", ({ messages, losses }) => {
    expect(encodeLosses(ui, messages).toSorted()).toStrictEqual(losses.toSorted());
  });

  test("every message has an id", () => {
    expect(recordLosses(ui, ui.encodeMessages([user(text)]).losses)).toStrictEqual(["id-synthesized /0/id"]);
    expect(ui.encodeMessages([user(text)]).wire).toMatchObject([{ id: "msg-0" }]);
    expect(ui.encodeMessages([user(text)], { newId: () => "mine" }).wire).toMatchObject([{ id: "mine" }]);
  });
});

describe("streams", () => {
  const start: Delta = { kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } };
  const seal = { dialect: "anthropic", kind: "signature", value: "s" } as const;
  const deltas: Delta[] = [
    start,
    { kind: "text", payload: { textDelta: "One", partKey: 0 } },
    { kind: "thinking", payload: { textDelta: "Two", partKey: 1 } },
    { kind: "text", payload: { textDelta: " more", partKey: 0 } },
    { kind: "seal", payload: { seal, partKey: 0 } },
    { kind: "part", payload: { value: { type: "file", url: "https://example.com/a", name: "a.pdf" } } },
    { kind: "usage", payload: { inputTokens: 1, cost: 2 } },
    { kind: "done", payload: { finishReason: "refusal", raw: "refused", alternatives: [{ finishReason: "stop" }] } },
  ];
  const rows: [string, Dialect, string[]][] = [
    [
      "UI messages",
      ui,
      [
        "metadata-dropped /id",
        "metadata-dropped /model",
        "metadata-dropped /usage",
        "field-unsupported /alternatives",
        "field-unsupported /message/parts/2/name",
        "finish-reason-approximated /finishReason/unified",
        "raw-finish-reason-dropped /finishReason/raw",
        "late-dropped /message/parts/0",
        "mime-type-guessed /message/parts/2/mimeType",
        "part-split /message/parts/0",
      ],
    ],
    [
      "model messages",
      model,
      [
        "field-unsupported /alternatives",
        "field-unsupported /usage/cost",
        "finish-reason-approximated /finishReason/unified",
        "late-dropped /message/parts/0",
        "media-source-unsupported /message/parts/2",
        "mime-type-guessed /message/parts/2/mimeType",
        "part-split /message/parts/0",
      ],
    ],
  ];
  test.each(rows)("%s: late deltas, and fields that the stream does not have", (_, dialect, expected) => {
    const encoder = dialect.streamEncoder();
    for (const delta of deltas) encoder.push(delta);
    encoder.end();
    expect(recordLosses(dialect, encoder.losses).toSorted()).toStrictEqual([...expected].toSorted());
  });
});

test.each([
  ["UI messages", ui],
  ["model messages", model],
] as const)("%s: every declared loss is produced by some row above", (_, dialect) => {
  expect([...(produced.get(dialect) ?? [])].toSorted()).toStrictEqual(Object.keys(dialect.losses).toSorted());
});
