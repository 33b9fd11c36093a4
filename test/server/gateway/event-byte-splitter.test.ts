// `EventByteSplitter`: bytes are unchanged for any chunks, and only complete events are returned.
import fc from "fast-check";
import { expect, test } from "vitest";
import { EventByteSplitter } from "../../../src/server/gateway/event-byte-splitter.ts";

const BREAKS = ["\n", "\r\n", "\r"] as const;
const line = fc.constantFrom("data: a", "event: b", ": c", "data: Ἀθῆναι");
const stream = fc
  .tuple(fc.constantFrom(...BREAKS), fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), line)
  .map(([end, events, tail]) => ({
    whole: events.map((lines) => lines.map((each) => each + end).join("") + end).join(""),
    tail,
  }));

test("for any chunks, all bytes are returned in order, and each result ends at the end of an event", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(40), { maxLength: 20 }), ({ whole, tail }, cuts) => {
      const bytes = Buffer.from(whole + tail);
      const eventBytes = new EventByteSplitter();
      const results: Uint8Array[] = [];
      let at = 0;
      for (const size of [...cuts, bytes.length]) {
        eventBytes.push(bytes.subarray(at, at + size));
        at += size;
        const chunk = eventBytes.take();
        if (chunk !== undefined) results.push(chunk);
      }
      for (const chunk of results) expect(Buffer.from(chunk).toString()).toMatch(/(?:\n\n|\r\n\r\n|\r\r)$/);
      expect(Buffer.concat(results).toString()).toBe(whole);
      expect(Buffer.from(eventBytes.drain() ?? []).toString()).toBe(tail);
    }),
  );
});

test("without input, no bytes are returned", () => {
  expect(new EventByteSplitter().take()).toBeUndefined();
  expect(new EventByteSplitter().drain()).toBeUndefined();
});
