// Streams of the AI SDK, made and read by the SDK itself: a run of `streamText` goes into deltas and messages, and comes out
// to the reader of `useChat` unchanged.
import { describe, expect, test } from "vitest";
import { aiSdkModel } from "../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../src/dialects/ai-sdk-ui/index.ts";
import type { Message, Part } from "../../src/index.ts";
import { assemble, assembleRun, checkDeltas } from "../../src/index.ts";
import { decodeEvents, encodeDeltas } from "../../src/testkit/stream-reading.ts";
import { answer, delta } from "../support/deltas.ts";
import { chunksIn, chunksOf, decode, encode, plain, play, readMessage } from "./ai-sdk-run.ts";
import { runs } from "./ai-sdk-runs.ts";
import { rareRuns } from "./ai-sdk-runs-rare.ts";

const ui = aiSdkUi();
const model = aiSdkModel();

/**
 * What messages say. The SDK puts another sentence before an error, and {} for input that is no JSON; of a provider's
 * result that grew it has every state, and of what a user said in between nothing.
 */
function said(messages: readonly Message[]): unknown[] {
  return messages
    .map(({ role, parts }) => ({ role, parts: parts.filter(isLast).map(saidBy) }))
    .filter(({ role, parts }) => role !== "user" && parts.length > 0);
}

function isLast(part: Part, at: number, parts: readonly Part[]): boolean {
  const next = parts[at + 1];
  return part.type !== "tool-result" || next?.type !== "tool-result" || next.toolCallId !== part.toolCallId;
}

function saidBy(part: Part): unknown {
  const { extra: _, ...rest } = part;
  if (rest.type === "tool-result" && rest.isError) return { ...rest, output: "" };
  return rest.type === "tool-call" && typeof rest.input === "string" ? { ...rest, input: {} } : rest;
}

describe.each([...runs, ...rareRuns])("$name", (each) => {
  const { knowsMore = false } = each;

  test("the full stream reaches the reader of useChat as the SDK's own stream does", async () => {
    const parts = (await play(each)).parts;
    const expected = await readMessage(await chunksOf(parts));
    const deltas = decode(model, parts);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(await readMessage(chunksIn(encode(ui, deltas)))).toStrictEqual(expected);
  });

  test("the UI stream, read and written again, reaches its reader unchanged", async () => {
    const chunks = await chunksOf((await play(each)).parts);
    const deltas = decode(ui, chunks);
    expect(checkDeltas(deltas)).toStrictEqual([]);
    expect(await readMessage(chunksIn(encode(ui, deltas)))).toStrictEqual(await readMessage(chunks));
  });

  test("B80: the messages of the UI stream are those of the message that it makes", async () => {
    const chunks = await chunksOf((await play(each)).parts);
    const { messages } = assembleRun(decode(ui, chunks));
    const read = await readMessage(chunks);
    // That arguments could not be read, Koine notes in the metadata; the SDK does not.
    for (const message of messages) delete message.metadata;
    const { wire } = ui.encodeMessages(messages, { newId: () => read?.id ?? "" });
    const parts = (list: readonly Message[]): Part[][] => list.map((message) => message.parts);
    if (read !== undefined && !knowsMore) expect(parts(messages)).toStrictEqual(parts(ui.decodeMessages([read])));
    expect(wire).toStrictEqual([read ?? { id: "", role: "assistant", parts: [{ type: "step-start" }] }]);
  });

  test("B80: the messages of the full stream are those that the SDK makes of the run", async () => {
    const { parts, messages } = await play(each);
    const { wire } = model.encodeMessages(assembleRun(decode(model, parts)).messages);
    expect(said(model.decodeMessages(wire))).toStrictEqual(said(model.decodeMessages(messages)));
  });

  test("the full stream, read and written again, makes the same messages", async () => {
    const deltas = decode(model, (await play(each)).parts);
    const once = assembleRun(deltas);
    const again = assembleRun(decode(model, plain(encode(model, deltas))));
    expect(again.messages).toStrictEqual(once.messages);
    expect(again.responses.map(({ finishReason, usage }) => ({ finishReason, usage }))).toStrictEqual(
      once.responses.map(({ finishReason, usage }) => ({ finishReason, usage })),
    );
  });
});

test.each([ui, model])("a call that came whole and asks null still does: $id", (dialect) => {
  const call = { type: "tool-call", toolCallId: "a", toolName: "f", input: null } as const;
  const { events } = encodeDeltas(dialect, answer(delta("part", { value: call })));
  expect(assemble(decodeEvents(dialect, events)).message.parts).toMatchObject([call]);
});
