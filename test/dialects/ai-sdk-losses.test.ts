// What encoding into the AI SDK's two shapes loses, row by row, and that every declared loss is produced.
import { describe, expect, test } from "vitest";
import { aiSdkModel } from "../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../src/dialects/ai-sdk-ui/index.ts";
import type { Delta, Dialect, Message } from "../../src/index.ts";
import type { LossRow } from "./ai-sdk-loss-rows.ts";
import { assistant, call, commonRows, result, tool, user } from "./ai-sdk-loss-rows.ts";

const ui = aiSdkUi();
const model = aiSdkModel();
const produced = new Map<Dialect, Set<string>>([
  [ui, new Set()],
  [model, new Set()],
]);

function noted(dialect: Dialect, losses: readonly { code: string; path: string }[]): string[] {
  for (const { code } of losses) produced.get(dialect)?.add(code);
  return losses.map(({ code, path }) => `${code} ${path}`);
}

/** Ids are made for messages that have none: the rows are about something else. */
function lossesOf(dialect: Dialect, messages: readonly Message[]): string[] {
  const all = noted(dialect, dialect.encodeMessages(messages).losses);
  return all.filter((loss) => !loss.startsWith("id-made"));
}

const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
const text = { type: "text", text: "x" };

describe.each([
  ["UI messages", ui],
  ["model messages", model],
] as const)("%s", (_, dialect) => {
  test.each(commonRows)("$name", ({ messages, losses }) => {
    expect(lossesOf(dialect, messages).toSorted()).toStrictEqual(losses.toSorted());
  });
});

const modelRows: LossRow[] = [
  {
    name: "ids, metadata and names of messages",
    messages: [{ ...user(text), id: "i", name: "n", metadata: {} }],
    losses: ["bookkeeping /0/id", "field-unsaid /0/name", "bookkeeping /0/metadata"],
  },
  {
    name: "B37: a system message of two parts goes out as two",
    messages: [{ role: "system", parts: [text, text] as Message["parts"] }],
    losses: ["system-split /0/role"],
  },
  {
    name: "a role that nobody knows",
    messages: [{ role: "critic" as "user", parts: [] }],
    losses: ["role-approximated /0/role"],
  },
  {
    name: "B48: annotations",
    messages: [assistant({ ...text, annotations: [] })],
    losses: ["field-unsaid /0/parts/0/annotations"],
  },
  {
    name: "B22: that a call must not be executed",
    messages: [assistant({ ...call, invalid: true })],
    losses: ["call-invalid /0/parts/0/invalid"],
  },
  {
    name: "B33: what a provider ran under a name of its own",
    messages: [assistant({ ...call, executor: "provider", tool: "web_search" })],
    losses: ["provider-tool /0/parts/0"],
  },
  {
    name: "how a tool is shown",
    messages: [assistant({ ...call, extra: { "ai-sdk": { $form: { tool: { title: "F" } } } } })],
    losses: ["form-foreign /0/parts/0/extra/ai-sdk/$form/tool"],
  },
  {
    name: "B27: that content is an error",
    messages: [tool({ ...result, output: undefined, isError: true, content: [image] })],
    losses: ["error-unsaid /0/parts/0/isError"],
  },
  {
    name: "a provider's result in a tool message",
    messages: [tool({ ...result, executor: "provider" })],
    losses: ["result-executor /0/parts/0/executor"],
  },
  {
    name: "an answer about an approval among what the assistant says",
    messages: [
      assistant({
        type: "opaque",
        dialect: "ai-sdk-model",
        value: { type: "tool-approval-response", approvalId: "a", approved: true },
      }),
    ],
    losses: ["response-moved /0/parts/0"],
  },
  {
    name: "a text that is no longer alone",
    messages: [{ ...user(text, text), extra: { "ai-sdk-model": { $form: { content: "string" }, content: 1 } } }],
    losses: ["form-stale /0/extra/ai-sdk-model/$form/content", "residue-clash /0/extra/ai-sdk-model/content"],
  },
];

describe("model messages alone", () => {
  test.each(modelRows)("$name", ({ messages, losses }) => {
    expect(lossesOf(model, messages).toSorted()).toStrictEqual(losses.toSorted());
  });
});

const uiRows: LossRow[] = [
  {
    name: "names, times and parents of messages",
    messages: [{ ...user(text), name: "n", createdAt: "t", parentMessageId: null } as Message],
    losses: ["field-unsaid /0/name", "bookkeeping /0/createdAt", "bookkeeping /0/parentMessageId"],
  },
  {
    name: "what only the first message of a round can say",
    messages: [
      { ...assistant(call), metadata: { model: "a" } },
      { ...tool(result), id: "i" },
      { ...assistant(text), metadata: { model: "b", note: "c" }, extra: { "ai-sdk-ui": { createdAt: "t" } } },
    ],
    losses: [
      "bookkeeping /1/id",
      "residue-clash /2/extra/ai-sdk-ui/createdAt",
      "bookkeeping /2/metadata/model",
      "metadata-joined /2/metadata/note",
    ],
  },
  {
    name: "what a message says to single providers",
    messages: [{ ...user(text), extra: { "ai-sdk": { openai: { a: 1 } } } }],
    losses: ["residue-foreign /0/extra/ai-sdk/openai"],
  },
  { name: "a tool message without a part", messages: [tool()], losses: ["message-unsaid /0"] },
  {
    name: "two tool messages are one round",
    messages: [assistant(call, { ...call, toolCallId: "d" }), tool(result), tool({ ...result, toolCallId: "d" })],
    losses: ["turns-merged /2/role", "result-joined /2/parts/0"],
  },
  {
    name: "a text in a tool message is the assistant's",
    messages: [assistant(call), tool(text, result)],
    losses: ["role-approximated /1/parts/0/type"],
  },
  {
    name: "a result without its call",
    messages: [tool(result)],
    losses: ["result-joined /0/role", "call-made /0/parts/0"],
  },
  {
    name: "results in another order than their calls, under another name, and one more",
    messages: [
      assistant(call, { ...call, toolCallId: "d" }),
      tool({ ...result, toolCallId: "d" }, { ...result, toolName: "g" }, result),
    ],
    losses: ["result-joined /1/parts/1", "result-name /1/parts/1/toolName", "result-repeated /1/parts/2"],
  },
  {
    name: "a result that the provider gave to a call of the client's",
    messages: [assistant(call), tool({ ...result, executor: "provider" })],
    losses: ["result-executor /1/parts/0/executor"],
  },
  {
    name: "B22: that a call with a result must not be executed",
    messages: [assistant({ ...call, invalid: true }), tool(result)],
    losses: ["call-invalid /0/parts/0/invalid"],
  },
  {
    name: "an error is one text",
    messages: [assistant(call), tool({ ...result, isError: true, output: { a: 1 }, content: [image] })],
    losses: ["output-as-text /1/parts/0/output", "part-unsayable /1/parts/0/content/0"],
  },
  {
    name: "a text document",
    messages: [user({ type: "file", text: "x", mimeType: "text/plain" })],
    losses: ["text-as-data /0/parts/0/text"],
  },
  {
    name: "B48: annotations that are no source",
    messages: [
      assistant({
        ...text,
        annotations: [{ kind: "other" }, { kind: "url", url: "u", fileId: "f", extra: { "ai-sdk-ui": { url: "v" } } }],
      }),
    ],
    losses: [
      "field-unsaid /0/parts/0/annotations/0",
      "field-unsaid /0/parts/0/annotations/1/fileId",
      "residue-clash /0/parts/0/annotations/1/extra/ai-sdk-ui/url",
    ],
  },
  {
    name: "a denial that says something else by now",
    messages: [
      assistant(call),
      tool({ ...result, isError: true, extra: { "ai-sdk-ui": { $form: { state: "output-denied" } } } }),
    ],
    losses: ["form-stale /1/parts/0/extra/ai-sdk-ui/$form/state"],
  },
];

describe("UI messages alone", () => {
  test.each(uiRows)("$name", ({ messages, losses }) => {
    expect(lossesOf(ui, messages).toSorted()).toStrictEqual(losses.toSorted());
  });

  test("every message has an id", () => {
    expect(noted(ui, ui.encodeMessages([user(text)]).losses)).toStrictEqual(["id-made /0/id"]);
    expect(ui.encodeMessages([user(text)]).wire).toMatchObject([{ id: "msg-0" }]);
    expect(ui.encodeMessages([user(text)], { newId: () => "mine" }).wire).toMatchObject([{ id: "mine" }]);
  });
});

describe("streams", () => {
  const start: Delta = { kind: "start", payload: { modelId: "m", requestId: "r", contractVersion: 1 } };
  const seal = { dialect: "anthropic", kind: "signature", value: "s" } as const;
  const deltas: Delta[] = [
    start,
    { kind: "text", payload: { textDelta: "One", part: 0 } },
    { kind: "thinking", payload: { textDelta: "Two", part: 1 } },
    { kind: "text", payload: { textDelta: " more", part: 0 } },
    { kind: "seal", payload: { seal, part: 0 } },
    { kind: "part", payload: { value: { type: "file", url: "https://example.com/a", name: "a.pdf" } } },
    { kind: "usage", payload: { inputTokens: 1, cost: 2 } },
    { kind: "done", payload: { finishReason: "refusal", raw: "refused", alternatives: [{ finishReason: "stop" }] } },
  ];
  const rows: [string, Dialect, string[]][] = [
    [
      "UI messages",
      ui,
      [
        "bookkeeping /id",
        "bookkeeping /model",
        "bookkeeping /usage",
        "field-unsaid /alternatives",
        "field-unsaid /message/parts/2/name",
        "finish-approximated /finishReason/unified",
        "finish-raw /finishReason/raw",
        "late-unsaid /message/parts/0",
        "mime-guessed /message/parts/2/mimeType",
        "part-split /message/parts/0",
      ],
    ],
    [
      "model messages",
      model,
      [
        "field-unsaid /alternatives",
        "field-unsaid /usage/cost",
        "finish-approximated /finishReason/unified",
        "late-unsaid /message/parts/0",
        "media-elsewhere /message/parts/2",
        "mime-guessed /message/parts/2/mimeType",
        "part-split /message/parts/0",
      ],
    ],
  ];
  test.each(rows)("%s: what comes late, and what a stream has no field for", (_, dialect, expected) => {
    const encoder = dialect.streamEncoder();
    for (const delta of deltas) encoder.push(delta);
    encoder.end();
    expect(noted(dialect, encoder.losses).toSorted()).toStrictEqual(expected);
  });
});

test.each([
  ["UI messages", ui],
  ["model messages", model],
] as const)("%s: every declared loss is produced by some row above", (_, dialect) => {
  expect([...(produced.get(dialect) ?? [])].toSorted()).toStrictEqual(Object.keys(dialect.losses).toSorted());
});
