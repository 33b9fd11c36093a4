// Options of middleware and of the demo: a mistake is reported at once, with its path, and not after the first answer was paid
// for.
import { describe, expect, test } from "vitest";
import type { LogEntry } from "koine/client";
import { boundedStore, budget, caching, ClientError, demo, logging } from "koine/client";
import { requireError } from "../support/require-error.ts";
import { setup } from "./support/counting-provider.ts";

/** Options of a caller without static types. */
type Loose = (options: unknown) => unknown;

describe("an invalid option is rejected with its path", () => {
  test.each<[string, unknown, unknown, string]>([
    ["an unknown limit of a budget", budget, { maxCost: 5 }, "/maxCost"],
    ["a negative limit of a budget", budget, { cost: -1 }, "/cost"],
    ["a limit of a budget that is no number", budget, { calls: NaN }, "/calls"],
    ["a limit of a budget as text", budget, { totalTokens: "1000" }, "/totalTokens"],
    ["an unknown rule of a budget", budget, { cost: 1, unknown: "allow" }, "/unknown"],
    ["a budget without options", budget, undefined, ""],
    ["a budget that is a number", budget, 5, ""],
    ["logging without options", logging, undefined, ""],
    ["logging without a log", logging, {}, "/log"],
    ["logging to a value that is no function", logging, { log: console }, "/log"],
    ["logging with an unknown setting", logging, { log: console.log, contents: true }, "/contents"],
    ["logging with a flag that is no boolean", logging, { log: console.log, content: "yes" }, "/content"],
    ["logging with a clock that is no function", logging, { log: console.log, clock: 5 }, "/clock"],
    ["a store without methods", caching, { store: {} }, "/store"],
    ["a key that is no function", caching, { key: "all" }, "/key"],
    ["a namespace that is empty", caching, { namespace: "" }, "/namespace"],
    ["a lookup time of zero", caching, { lookupMs: 0 }, "/lookupMs"],
    ["a listener that is no function", caching, { onStoreError: true }, "/onStoreError"],
    ["an unknown setting of caching", caching, { ttl: 60 }, "/ttl"],
    ["a memory store without entries", boundedStore, 0, "/maxEntries"],
    ["an unknown setting of the demo", demo, { delay: 5 }, "/delay"],
    ["a negative delay of the demo", demo, { delayMs: -5 }, "/delayMs"],
    ["half a token", demo, { chunk: 0.5 }, "/chunk"],
    ["a demo's issuer that is empty", demo, { issuer: "" }, "/issuer"],
    ["a demo's sleep that is no function", demo, { sleep: 5 }, "/sleep"],
  ])("%s", (_, make, options, path) => {
    expect(requireError(ClientError, () => (make as Loose)(options))).toMatchObject({ code: "configuration", path });
  });
});

test("undefined settings count as missing", () => {
  expect(() => budget({ cost: 1, calls: undefined, unknown: undefined })).not.toThrow();
  expect(() => caching({ store: undefined, key: undefined, namespace: undefined })).not.toThrow();
  expect(() => demo({ delayMs: undefined })).not.toThrow();
  expect(() => boundedStore(Infinity)).not.toThrow();
  expect(() => caching({ store: new Map() })).not.toThrow();
});

test("logging accepts a function alone", async () => {
  const entries: LogEntry[] = [];
  const { ask } = setup([logging((entry) => void entries.push(entry))]);
  expect(await ask("Hello")).toBe("answer 1");
  expect(await ask("Hello", "stream")).toBe("answer 2");
  expect(entries.map(({ mode }) => mode)).toStrictEqual(["complete", "stream"]);
});
