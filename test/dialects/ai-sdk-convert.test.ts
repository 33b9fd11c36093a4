// The AI SDK as a judge: its own conversion from UI to model messages says what Koine's says, and its validators take what
// Koine writes.
import { convertToModelMessages, modelMessageSchema, validateUIMessages } from "ai";
import type { UIMessage } from "ai";
import { describe, expect, test } from "vitest";
import { aiSdkModel } from "../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../src/dialects/ai-sdk-ui/index.ts";
import type { Message, Part } from "../../src/index.ts";
import { dialect } from "../../src/index.ts";
import { gallery } from "../../src/testkit/index.ts";
import { plain } from "./ai-sdk-run.ts";
import { plainSamples as modelSamples } from "./ai-sdk-model-samples.ts";
import { plainSamples, samples } from "./ai-sdk-ui-samples.ts";
import { requestSamples } from "./anthropic-request-samples.ts";

const ui = aiSdkUi();
const model = aiSdkModel();

/** What both say: without what only people see, how it was spelled, and what the SDK copies from a call to its result. */
function said(messages: readonly Message[]): unknown[] {
  return messages
    .map(({ role, parts }) => ({ role, parts: parts.filter(isInPrompt).map(saidBy) }))
    .filter(({ parts }) => parts.length > 0);
}

/** Data and sources are for people; input that is still streaming is left out. */
function isInPrompt(part: Part): boolean {
  if (part.type === "tool-call") return part.invalid !== true;
  return part.type !== "opaque" || part.dialect === "ai-sdk-model";
}

function saidBy(part: Part): unknown {
  const { extra, ...rest } = plain(part);
  const shared = Object.entries(extra?.["ai-sdk"] ?? {}).filter(([key]) => !key.startsWith("$"));
  if (rest.type === "text") delete rest.annotations;
  if (rest.type === "tool-result") delete rest.seals;
  return { ...rest, ...(shared.length > 0 && rest.type !== "tool-result" && { shared }) };
}

async function convert(wire: unknown): Promise<unknown> {
  return plain(await convertToModelMessages(wire as UIMessage[]));
}

describe("the SDK's own conversion says the same", () => {
  test.each(plainSamples)("$name", async ({ wire }) => {
    expect(said(model.decodeMessages(await convert(wire)))).toStrictEqual(said(ui.decodeMessages(wire)));
  });

  test("and Koine's messages go the same way without leaving a part behind", async () => {
    for (const { wire } of plainSamples) {
      const { wire: written } = model.encodeMessages(ui.decodeMessages(wire));
      expect(said(model.decodeMessages(written))).toStrictEqual(said(model.decodeMessages(await convert(wire))));
    }
  });

  test("approvals are the same parts in the same places", async () => {
    const approval = { id: "a", approved: true, reason: "Go." };
    const wire = [
      {
        id: "m",
        role: "assistant",
        parts: [{ type: "tool-f", toolCallId: "c", state: "output-available", input: {}, output: 1, approval }],
      },
    ];
    expect(model.encodeMessages(ui.decodeMessages(wire)).wire).toStrictEqual(await convert(wire));
  });
});

describe("where the SDK's conversion differs", () => {
  const tool = (fields: object): unknown => [
    { id: "m", role: "assistant", parts: [{ type: "tool-f", toolCallId: "c", input: {}, ...fields }] },
  ];
  const results = (wire: unknown): unknown[] =>
    model.decodeMessages(wire).flatMap(({ role, parts }) => (role === "tool" ? parts : []));

  test("it gives the metadata of a call to its result, too", async () => {
    const callProviderMetadata = { google: { thoughtSignature: "ts" } };
    const wire = tool({ state: "output-available", output: 1, callProviderMetadata });
    const seals = [{ dialect: "gemini", kind: "signature", value: "ts" }];
    expect(results(await convert(wire))).toMatchObject([{ seals }]);
    expect(results(model.encodeMessages(ui.decodeMessages(wire)).wire)).not.toMatchObject([{ seals }]);
  });

  test("it makes a result of an answer that denies a call, before the SDK has made one", async () => {
    const wire = tool({ state: "approval-responded", approval: { id: "a", approved: false, reason: "No." } });
    expect(results(await convert(wire))).toHaveLength(2);
    expect(results(model.encodeMessages(ui.decodeMessages(wire)).wire)).toHaveLength(1);
  });

  test("it tags the data of a file", async () => {
    const wire = [
      { id: "m", role: "user", parts: [{ type: "file", url: "https://example.com/a", mediaType: "image/png" }] },
    ];
    expect(await convert(wire)).toMatchObject([{ content: [{ data: { type: "url", url: "https://example.com/a" } }] }]);
    expect(model.encodeMessages(ui.decodeMessages(wire)).wire).toMatchObject([
      { content: [{ data: "https://example.com/a" }] },
    ]);
  });
});

describe("the SDK's validators", () => {
  const conversations: [string, Message[]][] = [
    ["the gallery of canonical messages", gallery()],
    ...requestSamples.map(({ name, wire }): [string, Message[]] => [
      `Anthropic's ${name}`,
      dialect("anthropic").decodeRequest(wire).messages,
    ]),
    ...modelSamples.map(({ name, wire }): [string, Message[]] => [
      `model messages, ${name}`,
      model.decodeMessages(wire),
    ]),
  ];

  test.each(conversations)("take %s as UI messages", async (_, messages) => {
    const { wire } = ui.encodeMessages(messages.filter(isUsual));
    // The SDK's validator refuses an empty list of messages, and of parts.
    const filled = (wire as UIMessage[]).filter(({ parts }) => parts.length > 0);
    if (filled.length > 0) await expect(validateUIMessages({ messages: filled })).resolves.toHaveLength(filled.length);
  });

  test.each(conversations)("take %s as model messages", (_, messages) => {
    const { wire } = model.encodeMessages(messages.filter(isUsual).map(usual));
    for (const message of wire as object[]) {
      expect(modelMessageSchema.safeParse(message).error?.message ?? "", JSON.stringify(message)).toBe("");
    }
  });

  test.each(samples)("take $name with an appended answer", ({ wire }) => {
    expect(ui.encodeMessages([...ui.decodeMessages(wire), ...gallery().slice(3, 6)]).wire).toBeInstanceOf(Array);
  });
});

/** Nobody's invention: no role, block or form that the SDK never had. */
function isUsual({ extra, parts }: Message): boolean {
  const own = extra?.["ai-sdk-model"]?.["$form"] ?? {};
  return Object.keys(own).length === 0 && parts.every((part) => part.type !== "opaque");
}

/** The SDK takes media from users and models, and reasoning from models alone. */
function usual(message: Message): Message {
  return { ...message, parts: message.parts.filter((part) => formsOf(part).length === 0) };
}

function formsOf({ extra }: Part): string[] {
  return Object.keys(extra?.["ai-sdk-model"]?.["$form"] ?? {}).filter((key) => key !== "output" && key !== "reason");
}
