// Tests the stream suite: a correct dialect passes every case, and each of many faults fails the expected case.
import { expect, test } from "vitest";
import type { Delta, Dialect } from "../../src/index.ts";
import type { ConformanceCase, StreamSample } from "../../src/testkit/index.ts";
import { streamConformance } from "../../src/testkit/index.ts";
import { STREAM_FAULTS } from "./broken-stream-dialects.ts";
import { exampleStreamDialect } from "./example-stream-dialect.ts";

const SEALS = [{ dialect: "plain", kind: "signature", value: "sealed-with-wax" }];

function samples(): StreamSample[] {
  const begin = { begin: { id: "answer-of-the-oracle", model: "pythia", at: 1_700_000_000, omen: "good" } };
  const call = { is: "tool-call", toolCallId: "call_a", toolName: "ask", input: { of: "Croesus" } };
  return [
    {
      name: "a stream",
      events: [
        begin,
        { at: 0, block: { is: "reasoning", text: "What may he want?", seals: SEALS } },
        { at: 1, add: "A great em" },
        { at: 1, add: "pire will fall, Κροῖσε 🏛️." },
        { at: 1, block: { is: "text", text: "", seals: SEALS, voice: "hoarse" } },
        { at: 2, block: call },
        { at: 3, block: { is: "smoke", of: "laurel" } },
        { counts: { in: 4, out: 9, all: 13 } },
        { end: { end: "calls", mood: "dark", reply: { from: "assistant", tone: "low" } } },
      ],
    },
    {
      name: "two answers",
      events: [begin, { at: 0, add: "Yes." }, { end: {} }, begin, { at: 0, add: "No." }, { end: { end: "cut" } }],
    },
    {
      name: "a failure",
      ends: "error",
      events: [begin, { at: 0, add: "The god is" }, { problem: { of: "overloaded", text: "Come tomorrow." } }],
    },
    { name: "a stream that breaks off", ends: "truncated", events: [begin, { at: 0, add: "The god" }] },
  ];
}

function suite(tried: Dialect): ConformanceCase[] {
  return streamConformance(tried, { samples: samples(), mutants: 200 });
}

function claimOf(title: string): string {
  return title.replace(/^plain streams: [^:]*: /, "");
}

test("a dialect without a fault passes every case", () => {
  const cases = suite(exampleStreamDialect());
  for (const { run } of cases) run();
  expect(cases.length).toBeGreaterThan(100);
});

test("a dialect without whole responses is tested with its streams only", () => {
  const good = exampleStreamDialect();
  const supports = new Set([...good.supports].filter((capability) => capability !== "responses"));
  const cases = suite(Object.assign(Object.create(good) as Dialect, { supports }));
  for (const { run } of cases) run();
  expect(cases.filter(({ title }) => title.includes("B80"))).toStrictEqual([]);
});

const seen = new Set<string>();

test.each(STREAM_FAULTS)("the suite detects a dialect that %s", (_, noticed, fault) => {
  const good = exampleStreamDialect();
  const failed = suite({ ...good, ...fault(good) }).filter(({ title, run }) => {
    if (!noticed.test(title)) return false;
    try {
      run();
      return false;
    } catch {
      return true;
    }
  });
  expect(failed.length).toBeGreaterThan(0);
  for (const { title } of failed) seen.add(claimOf(title));
});

test("an unused exception is detected, and a used one excuses a difference", () => {
  const good = exampleStreamDialect();
  const forgetful: Dialect = {
    ...good,
    streamDecoder: () => {
      const decoder = good.streamDecoder();
      const cut = (deltas: Delta[]): Delta[] => deltas.filter(({ kind }) => kind !== "usage");
      return { push: (event) => cut(decoder.push(event)), end: () => cut(decoder.end()) };
    },
  };
  const exceptions = [{ at: /^\/usage(?:\/|$)/, reason: "The stream has no counts." }];
  const run = (tried: Dialect): string[] =>
    streamConformance(tried, { samples: [], exceptions }).flatMap(({ title, run: check }) => {
      try {
        check();
        return [];
      } catch {
        return [claimOf(title)];
      }
    });
  expect(run(forgetful)).toStrictEqual([]);
  expect(run(good)).toStrictEqual(["every exception is needed"]);
  seen.add("every exception is needed");
});

test("every claim is violated by some fault", () => {
  const claims = new Set(suite(exampleStreamDialect()).map(({ title }) => claimOf(title)));
  expect([...claims].filter((claim) => !seen.has(claim))).toStrictEqual([]);
  expect(claims.size).toBeGreaterThan(14);
});
