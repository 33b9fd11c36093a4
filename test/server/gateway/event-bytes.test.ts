// Bytes on their way through come out unchanged, however they were cut, and only whole events at a time.
import fc from "fast-check";
import { expect, test } from "vitest";
import { EventBytes } from "../../../src/server/gateway/event-bytes.ts";

const BREAKS = ["\n", "\r\n", "\r"] as const;
const line = fc.constantFrom("data: a", "event: b", ": c", "data: Ἀθῆναι");
const stream = fc
  .tuple(fc.constantFrom(...BREAKS), fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), line)
  .map(([end, events, tail]) => ({
    whole: events.map((lines) => lines.map((each) => each + end).join("") + end).join(""),
    tail,
  }));

test("whatever the pieces, all bytes come out in order, and what is taken ends where an event ends", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat(40), { maxLength: 20 }), ({ whole, tail }, cuts) => {
      const bytes = Buffer.from(whole + tail);
      const kept = new EventBytes();
      const taken: Uint8Array[] = [];
      let at = 0;
      for (const size of [...cuts, bytes.length]) {
        kept.push(bytes.subarray(at, at + size));
        at += size;
        const piece = kept.take();
        if (piece !== undefined) taken.push(piece);
      }
      for (const piece of taken) expect(Buffer.from(piece).toString()).toMatch(/(?:\n\n|\r\n\r\n|\r\r)$/);
      expect(Buffer.concat(taken).toString()).toBe(whole);
      expect(Buffer.from(kept.drain() ?? []).toString()).toBe(tail);
    }),
  );
});

test("nothing came, nothing is taken", () => {
  expect(new EventBytes().take()).toBeUndefined();
  expect(new EventBytes().drain()).toBeUndefined();
});
