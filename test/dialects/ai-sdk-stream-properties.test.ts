// Streams of the AI SDK under every mishap: cut anywhere, broken off, mixed up; and whole answers of any dialect, written as
// a stream, make the message that they are written as whole.
import type { UIMessage } from "ai";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { aiSdkModel } from "../../src/dialects/ai-sdk-model/index.ts";
import { aiSdkUi } from "../../src/dialects/ai-sdk-ui/index.ts";
import type { Dialect } from "../../src/index.ts";
import { assembleRun, AssemblyError, checkDeltas, disassemble } from "../../src/index.ts";
import { responseGallery } from "../../src/testkit/index.ts";
import { chunksIn, chunksOf, decode, encode, plain, play, readMessage } from "./ai-sdk-run.ts";
import { runs } from "./ai-sdk-runs.ts";
import { rareRuns } from "./ai-sdk-runs-rare.ts";
import { tries } from "../support/tries.ts";

const all = [...runs, ...rareRuns];
const ui = aiSdkUi();
const model = aiSdkModel();

interface Stream {
  dialect: Dialect;
  events: unknown[];
}
const streams: Stream[] = [];

beforeAll(async () => {
  for (const each of all) {
    const { parts } = await play(each);
    streams.push({ dialect: ui, events: [...(await chunksOf(parts)), "[DONE]"] });
    streams.push({ dialect: model, events: parts.map((part) => plain(encodable(part))) });
  }
});

/** An event as JSON has it: a generated file gives its base64 only where it is asked. */
function encodable(part: unknown): unknown {
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
      expect(plain(deltas)).toStrictEqual(plain(decode(dialect, events)));
    }),
    { numRuns: tries(60) },
  );
});

test("B73: a stream that breaks off fails as truncated, and what came is there", () => {
  fc.assert(
    fc.property(anyStream, fc.nat({ max: 40 }), ({ dialect, events }, length) => {
      const deltas = decode(dialect, events.slice(0, length));
      expect(checkDeltas(deltas)).toStrictEqual([]);
      const last = deltas.at(-1);
      const isWhole = last?.kind === "done" || (last?.kind === "part" && last.payload.role === "tool");
      if (!isWhole) expect(last).toMatchObject({ kind: "error", payload: { errorCode: "truncated" } });
    }),
    { numRuns: tries(200) },
  );
});

test("an empty stream is one that broke off", () => {
  for (const dialect of [ui, model]) {
    expect(decode(dialect, []).map(({ kind }) => kind)).toStrictEqual(["start", "error"]);
  }
});

const ODD: readonly unknown[] = [null, 7, "x", "", true, [], {}, { type: "x" }];

/** Another stream of the same events: some gone, doubled, moved, or with an odd field. */
function mixed(events: readonly unknown[], steps: readonly (readonly [number, number, number])[]): unknown[] {
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
      list[here] = { ...(event as object), [key]: ODD[(at + other) % ODD.length] };
    }
  }
  return list;
}

test("B43: whatever happens to its events, a stream gives legal deltas, which both dialects can write", () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 60 }), fc.nat({ max: 60 })), { maxLength: 6 });
  fc.assert(
    fc.property(anyStream, steps, ({ dialect, events }, changes) => {
      const deltas = decode(dialect, mixed(events, changes));
      expect(checkDeltas(deltas)).toStrictEqual([]);
      for (const target of [ui, model]) encode(target, deltas);
      try {
        for (const target of [ui, model]) target.encodeMessages(assembleRun(deltas).messages);
      } catch (error) {
        if (!(error instanceof AssemblyError)) throw error;
      }
    }),
    { numRuns: tries(400) },
  );
});

/** The message without what only a stream gives: ids of reasoning, and what can be read of an input that is cut off. */
function shown({ parts, ...message }: UIMessage): object {
  return {
    ...message,
    parts: parts.map((part) => {
      if (part.type === "reasoning") return { ...part, id: "" };
      return "state" in part && part.state === "input-streaming" ? { ...part, input: {} } : part;
    }),
  };
}

describe.each(responseGallery().map(({ name, value }) => ({ name, response: value })))("$name", ({ response }) => {
  test("written as a UI stream, makes the message that it is written as whole", async () => {
    const { wire } = ui.encodeMessages([response.message], { newId: () => "" });
    const encoder = ui.streamEncoder();
    const events = [...disassemble(response).flatMap((delta) => encoder.push(delta)), ...encoder.end()];
    if (response.error !== undefined) return;
    const read = await readMessage(chunksIn(events));
    // Of a message that has said nothing, its reader says nothing.
    expect(read === undefined ? response.message.parts : [shown(read)]).toStrictEqual(
      read === undefined ? [] : (plain(wire) as UIMessage[]).map(shown),
    );
  });
});

/** Events that only end what began, repeat what a call said that could not be read, or give way to a later result. */
function isPassing(at: number, events: readonly unknown[]): boolean {
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

test("B43: a new field in any event comes back", () => {
  let tried = 0;
  for (const { dialect, events } of streams) {
    events.forEach((event, at) => {
      if (event === "[DONE]" || isPassing(at, events)) return;
      const grown = events.with(at, { ...(event as object), brand_new: 7 });
      const told = JSON.stringify(encode(dialect, decode(dialect, grown)));
      expect(told.includes('"brand_new":7'), `${dialect.id}: ${JSON.stringify(event)}`).toBe(true);
      tried++;
    });
  }
  expect(tried).toBeGreaterThan(300);
});
