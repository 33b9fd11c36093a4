// Property tests of AI SDK streams: cut anywhere, interrupted, shuffled; and whole answers of any dialect, which give
// the same message streamed and whole.
import type { UIMessage } from "ai";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { aiSdkModel } from "../../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../../src/dialects/ai-sdk-ui/index.ts";
import type { Dialect } from "../../../src/index.ts";
import { assembleRun, AssemblyError, checkDeltas, disassemble } from "../../../src/index.ts";
import { canonicalResponses } from "../../../src/testkit/index.ts";
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
import { scaleRunCount } from "../../support/property-run-count.ts";

const all = [...runs, ...rareRuns];
const ui = aiSdkUi();
const model = aiSdkModel();

interface EncodedStream {
  dialect: Dialect;
  events: unknown[];
}
const streams: EncodedStream[] = [];

beforeAll(async () => {
  for (const each of all) {
    const { parts } = await runStream(each);
    streams.push({ dialect: ui, events: [...(await toUiChunks(parts)), "[DONE]"] });
    streams.push({ dialect: model, events: parts.map((part) => toPlainJson(toEncodable(part))) });
  }
});

/** Returns the event as JSON; `base64` of a generated file is a getter. */
function toEncodable(part: unknown): unknown {
  const { file } = part as { file?: { base64: string; mediaType: string } };
  return file === undefined ? part : { ...(part as object), file: { base64: file.base64, mediaType: file.mediaType } };
}

const anyStream = fc.nat({ max: 2 * all.length - 1 }).map((at) => streams[at] ?? { dialect: ui, events: [] });

test("B68: the bytes of a stream may be cut anywhere", () => {
  fc.assert(
    fc.property(anyStream, fc.array(fc.nat({ max: 400 }), { maxLength: 40 }), ({ dialect, events }, sizes) => {
      const text = events.map((data) => dialect.formatEvent({ data: data as object })).join("");
      const bytes = new TextEncoder().encode(text);
      const decoder = dialect.streamDecoder();
      const deltas = [];
      let at = 0;
      for (const size of [...sizes, bytes.length]) {
        deltas.push(...decoder.push(bytes.subarray(at, at + size)));
        at += size;
      }
      deltas.push(...decoder.end());
      expect(toPlainJson(deltas)).toStrictEqual(toPlainJson(decodeStream(dialect, events)));
    }),
    { numRuns: scaleRunCount(60) },
  );
});

test("B73: an interrupted stream is truncated and preserves its parts", () => {
  fc.assert(
    fc.property(anyStream, fc.nat({ max: 40 }), ({ dialect, events }, length) => {
      const deltas = decodeStream(dialect, events.slice(0, length));
      expect(checkDeltas(deltas)).toStrictEqual([]);
      const last = deltas.at(-1);
      const isWhole = last?.kind === "done" || (last?.kind === "part" && last.payload.role === "tool");
      if (!isWhole) expect(last).toMatchObject({ kind: "error", payload: { errorCode: "truncated" } });
    }),
    { numRuns: scaleRunCount(200) },
  );
});

test("an empty stream is truncated", () => {
  for (const dialect of [ui, model]) {
    expect(decodeStream(dialect, []).map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
  }
});

const MALFORMED_EVENTS: readonly unknown[] = [null, 7, "x", "", true, [], {}, { type: "x" }];

/** Returns the events with some of them dropped, repeated, moved, or with an unknown field. */
function mutateEvents(events: readonly unknown[], steps: readonly (readonly [number, number, number])[]): unknown[] {
  const list = events.filter((event) => event !== "[DONE]");
  for (const [what, at, other] of steps) {
    const here = at % Math.max(1, list.length);
    const event = list[here];
    if (event === undefined) continue;
    if (what === 0) list.splice(here, 1);
    else if (what === 1) list.splice(other % list.length, 0, event);
    else if (what === 2) list.splice(other % list.length, 0, ...list.splice(here, 1));
    else {
      const keys = Object.keys(event as object);
      const key = keys[other % Math.max(1, keys.length)] ?? "type";
      list[here] = { ...(event as object), [key]: MALFORMED_EVENTS[(at + other) % MALFORMED_EVENTS.length] };
    }
  }
  return list;
}

test("B43: shuffled, repeated and broken events give valid deltas, which both dialects encode", () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 60 }), fc.nat({ max: 60 })), { maxLength: 6 });
  fc.assert(
    fc.property(anyStream, steps, ({ dialect, events }, changes) => {
      const deltas = decodeStream(dialect, mutateEvents(events, changes));
      expect(checkDeltas(deltas)).toStrictEqual([]);
      for (const target of [ui, model]) encodeStream(target, deltas);
      try {
        for (const target of [ui, model]) target.encodeMessages(assembleRun(deltas).messages);
      } catch (error) {
        if (!(error instanceof AssemblyError)) throw error;
      }
    }),
    { numRuns: scaleRunCount(400) },
  );
});

/** Returns the message without fields that only a stream has: reasoning ids, and the parsed part of a cut-off input. */
function toComparableMessage({ parts, ...message }: UIMessage): object {
  return {
    ...message,
    parts: parts.map((part) => {
      if (part.type === "reasoning") return { ...part, id: "" };
      return "state" in part && part.state === "input-streaming" ? { ...part, input: {} } : part;
    }),
  };
}

describe.each(canonicalResponses().map(({ name, value }) => ({ name, response: value })))("$name", ({ response }) => {
  test("encoded as a UI stream, gives the same message as encoded whole", async () => {
    const { wire } = ui.encodeMessages([response.message], { newId: () => "" });
    const encoder = ui.streamEncoder();
    const events = [...disassemble(response).flatMap((delta) => encoder.push(delta)), ...encoder.end()];
    if (response.error !== undefined) return;
    const read = await readMessage(readChunks(events));
    // The SDK's reader returns no message for an answer without parts.
    expect(read === undefined ? response.message.parts : [toComparableMessage(read)]).toStrictEqual(
      read === undefined ? [] : (toPlainJson(wire) as UIMessage[]).map(toComparableMessage),
    );
  });
});

/** True for events that leave no trace in the message: ends, repeated input errors, and preliminary results. */
function isTransient(at: number, events: readonly unknown[]): boolean {
  const { type, toolCallId } = events[at] as Partial<Record<string, unknown>>;
  const others = events.map((each) => each as Partial<Record<string, unknown>>);
  const isOfCall = (each: Partial<Record<string, unknown>>): boolean => each["toolCallId"] === toolCallId;
  if (type === "tool-error") return others.some((each) => each["invalid"] === true && isOfCall(each));
  const isResult = type === "tool-result" || type === "tool-output-available";
  return (
    type === "tool-input-end" ||
    (isResult && others.slice(at + 1).some((each) => each["type"] === type && isOfCall(each)))
  );
}

test("B43: an unknown field of any event is restored", () => {
  let tried = 0;
  for (const { dialect, events } of streams) {
    events.forEach((event, at) => {
      if (event === "[DONE]" || isTransient(at, events)) return;
      const grown = events.with(at, { ...(event as object), brand_new: 7 });
      const emitted = JSON.stringify(encodeStream(dialect, decodeStream(dialect, grown)));
      expect(emitted.includes('"brand_new":7'), `${dialect.id}: ${JSON.stringify(event)}`).toBe(true);
      tried++;
    });
  }
  expect(tried).toBeGreaterThan(300);
});
