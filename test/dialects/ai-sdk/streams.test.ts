// Streams that the AI SDK itself makes and reads: a run of `streamText` decodes to deltas and messages, and encodes to
// a UI stream that gives `useChat` the same message.
import { describe, expect, test } from "vitest";
import { aiSdkModel } from "../../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import type { Message, Part } from "../../../src/index.ts";
import { assemble, assembleRun, checkDeltas } from "../../../src/index.ts";
import { decodeEvents, encodeDeltas } from "../../../src/testkit/checks/stream-helpers.ts";
import { answer, delta } from "../../support/deltas.ts";
import {
  readChunks,
  toUiChunks,
  decodeStream,
  encodeStream,
  toPlainJson,
  runStream,
  readMessage,
} from "./stream-helpers.ts";
import { runs } from "./runs.rows.ts";
import { rareRuns } from "./rare-runs.rows.ts";

const ui = aiSdkUi();
const model = aiSdkModel();

/**
 * Returns the comparable content of messages. The SDK differs in four ways: it adds a sentence to errors, uses {} for
 * input that is not JSON, has every preliminary result of a provider, and drops steering messages.
 */
function comparable(messages: readonly Message[]): unknown[] {
  return messages
    .map(({ role, parts }) => ({ role, parts: parts.filter(isFinalResult).map(toComparablePart) }))
    .filter(({ role, parts }) => role !== "user" && parts.length > 0);
}

function isFinalResult(part: Part, at: number, parts: readonly Part[]): boolean {
  const next = parts[at + 1];
  return part.type !== "tool-result" || next?.type !== "tool-result" || next.toolCallId !== part.toolCallId;
}

function toComparablePart(part: Part): unknown {
  const { extra: _, ...rest } = part;
  if (rest.type === "tool-result" && rest.isError) return { ...rest, output: "" };
  return rest.type === "tool-call" && typeof rest.input === "string" ? { ...rest, input: {} } : rest;
}

describe.each([...runs, ...rareRuns])("$name", (each) => {
  const { knowsMore = false } = each;

  test("the full stream encoded as a UI stream gives useChat the same message as the SDK's own", async () => {
    const parts = (await runStream(each)).parts;
    const expected = await readMessage(await toUiChunks(parts));
    const deltas = decodeStream(model, parts);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(await readMessage(readChunks(encodeStream(ui, deltas)))).toStrictEqual(expected);
  });

  test("the UI stream, decoded and encoded again, gives the same message", async () => {
    const chunks = await toUiChunks((await runStream(each)).parts);
    const deltas = decodeStream(ui, chunks);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(await readMessage(readChunks(encodeStream(ui, deltas)))).toStrictEqual(await readMessage(chunks));
  });

  test("B80: the UI stream assembles to the same messages as its finished UI message", async () => {
    const chunks = await toUiChunks((await runStream(each)).parts);
    const { messages } = assembleRun(decodeStream(ui, chunks));
    const read = await readMessage(chunks);
    // Koine marks unreadable arguments in the metadata; the SDK does not.
    for (const message of messages) delete message.metadata;
    const { wire } = ui.encodeMessages(messages, { newId: () => read?.id ?? "" });
    const parts = (list: readonly Message[]): Part[][] => list.map((message) => message.parts);
    if (read !== undefined && !knowsMore) expect(parts(messages)).toStrictEqual(parts(ui.decodeMessages([read])));
    expect(wire).toStrictEqual([read ?? { id: "", role: "assistant", parts: [{ type: "step-start" }] }]);
  });

  test("B80: the full stream assembles to the messages that the SDK makes of the run", async () => {
    const { parts, messages } = await runStream(each);
    const { wire } = model.encodeMessages(assembleRun(decodeStream(model, parts)).messages);
    expect(comparable(model.decodeMessages(wire))).toStrictEqual(comparable(model.decodeMessages(messages)));
  });

  test("the full stream, decoded and encoded again, gives the same messages", async () => {
    const deltas = decodeStream(model, (await runStream(each)).parts);
    const once = assembleRun(deltas);
    const again = assembleRun(decodeStream(model, toPlainJson(encodeStream(model, deltas))));
    expect(again.messages).toStrictEqual(once.messages);
    expect(again.responses.map(({ finishReason, usage }) => ({ finishReason, usage }))).toStrictEqual(
      once.responses.map(({ finishReason, usage }) => ({ finishReason, usage })),
    );
  });
});

test.each([ui, model])("a complete call with the input null preserves it: $id", (dialect) => {
  const call = { type: "tool-call", toolCallId: "a", toolName: "f", input: null } as const;
  const { events } = encodeDeltas(dialect, answer(delta("part", { value: call })));
  expect(assemble(decodeEvents(dialect, events)).message.parts).toMatchObject([call]);
});
