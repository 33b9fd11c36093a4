// Compares Koine with the AI SDK: the SDK's conversion from UI to model messages gives the same result, and its
// validators accept Koine's output.
import { convertToModelMessages, modelMessageSchema, validateUIMessages } from "ai";
import type { UIMessage } from "ai";
import { describe, expect, test } from "vitest";
import { aiSdkModel } from "../../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import type { Message, Part } from "../../../src/index.ts";
import { dialect } from "../../../src/index.ts";
import { canonicalMessages } from "../../../src/testkit/index.ts";
import { toPlainJson } from "./stream-helpers.ts";
import { plainSamples as modelSamples } from "./model-message-samples.ts";
import { plainSamples, samples } from "./ui-message-samples.ts";
import { requestSamples } from "../anthropic/request-samples.ts";

const ui = aiSdkUi();
const model = aiSdkModel();

/** Returns messages without display-only parts, form, and the options that the SDK copies from a call to its result. */
function comparable(messages: readonly Message[]): unknown[] {
  return messages
    .map(({ role, parts }) => ({ role, parts: parts.filter(isInPrompt).map(toComparablePart) }))
    .filter(({ parts }) => parts.length > 0);
}

/** True for parts that reach the model: not data, sources, or input that is still streaming. */
function isInPrompt(part: Part): boolean {
  if (part.type === "tool-call") return part.invalid !== true;
  return part.type !== "opaque" || part.dialect === "ai-sdk-model";
}

function toComparablePart(part: Part): unknown {
  const { extra, ...rest } = toPlainJson(part);
  const shared = Object.entries(extra?.["ai-sdk"] ?? {}).filter(([key]) => !key.startsWith("$"));
  if (rest.type === "text") delete rest.annotations;
  if (rest.type === "tool-result") delete rest.seals;
  return { ...rest, ...(shared.length > 0 && rest.type !== "tool-result" && { shared }) };
}

async function convert(wire: unknown): Promise<unknown> {
  return toPlainJson(await convertToModelMessages(wire as UIMessage[]));
}

describe("the SDK's conversion to model messages gives the same result", () => {
  test.each(plainSamples)("$name", async ({ wire }) => {
    expect(comparable(model.decodeMessages(await convert(wire)))).toStrictEqual(comparable(ui.decodeMessages(wire)));
  });

  test("Koine's UI messages convert without dropping a part", async () => {
    for (const { wire } of plainSamples) {
      const { wire: written } = model.encodeMessages(ui.decodeMessages(wire));
      expect(comparable(model.decodeMessages(written))).toStrictEqual(
        comparable(model.decodeMessages(await convert(wire))),
      );
    }
  });

  test("approvals are the same parts at the same positions", async () => {
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

describe("differences of the SDK's conversion", () => {
  const tool = (fields: object): unknown => [
    { id: "m", role: "assistant", parts: [{ type: "tool-f", toolCallId: "c", input: {}, ...fields }] },
  ];
  const results = (wire: unknown): unknown[] =>
    model.decodeMessages(wire).flatMap(({ role, parts }) => (role === "tool" ? parts : []));

  test("the SDK copies the metadata of a call to its result", async () => {
    const callProviderMetadata = { google: { thoughtSignature: "ts" } };
    const wire = tool({ state: "output-available", output: 1, callProviderMetadata });
    const seals = [{ dialect: "gemini", kind: "signature", value: "ts" }];
    expect(results(await convert(wire))).toMatchObject([{ seals }]);
    expect(results(model.encodeMessages(ui.decodeMessages(wire)).wire)).not.toMatchObject([{ seals }]);
  });

  test("the SDK creates a result for a denied approval that has none", async () => {
    const wire = tool({ state: "approval-responded", approval: { id: "a", approved: false, reason: "No." } });
    expect(results(await convert(wire))).toHaveLength(2);
    expect(results(model.encodeMessages(ui.decodeMessages(wire)).wire)).toHaveLength(1);
  });

  test("the SDK tags the data of a file", async () => {
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
    ["the gallery of canonical messages", canonicalMessages()],
    ...requestSamples.map(({ name, wire }): [string, Message[]] => [
      `Anthropic's ${name}`,
      dialect("anthropic").decodeRequest(wire).messages,
    ]),
    ...modelSamples.map(({ name, wire }): [string, Message[]] => [
      `model messages, ${name}`,
      model.decodeMessages(wire),
    ]),
  ];

  test.each(conversations)("accept %s as UI messages", async (_, messages) => {
    const { wire } = ui.encodeMessages(messages.filter(isSupportedMessage));
    // The SDK's validator rejects an empty list of messages or parts.
    const filled = (wire as UIMessage[]).filter(({ parts }) => parts.length > 0);
    if (filled.length > 0) await expect(validateUIMessages({ messages: filled })).resolves.toHaveLength(filled.length);
  });

  test.each(conversations)("accept %s as model messages", (_, messages) => {
    const { wire } = model.encodeMessages(messages.filter(isSupportedMessage).map(withSupportedParts));
    for (const message of wire as object[]) {
      expect(modelMessageSchema.safeParse(message).error?.message ?? "", JSON.stringify(message)).toBe("");
    }
  });

  test.each(samples)("accept $name with an appended answer", ({ wire }) => {
    expect(ui.encodeMessages([...ui.decodeMessages(wire), ...canonicalMessages().slice(3, 6)]).wire).toBeInstanceOf(
      Array,
    );
  });
});

/** True for messages whose roles, parts and forms the SDK itself can produce. */
function isSupportedMessage({ extra, parts }: Message): boolean {
  const own = extra?.["ai-sdk-model"]?.["$form"] ?? {};
  return Object.keys(own).length === 0 && parts.every((part) => part.type !== "opaque");
}

/**
 * Removes parts that the SDK's types do not allow: media only from users and assistants, reasoning only from
 * assistants.
 */
function withSupportedParts(message: Message): Message {
  return { ...message, parts: message.parts.filter((part) => listFormKeys(part).length === 0) };
}

function listFormKeys({ extra }: Part): string[] {
  return Object.keys(extra?.["ai-sdk-model"]?.["$form"] ?? {}).filter((key) => key !== "output" && key !== "reason");
}
