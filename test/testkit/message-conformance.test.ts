// Tests the message suite: a correct dialect passes every case, and each of many faults fails the expected case.
import { expect, test } from "vitest";
import type { Dialect } from "../../src/index.ts";
import { dialect, dialects, parseJson, user } from "../../src/index.ts";
import { canonicalMessages, messageConformance, silentLosses } from "../../src/testkit/index.ts";
import { SilentLossOracle } from "../../src/testkit/oracle/silent-losses.ts";
import { walkJson } from "../../src/testkit/json/json-nodes.ts";
import { isLiteral } from "../../src/testkit/oracle/model-paths.ts";
import { FAULTS, without } from "./broken-message-dialects.ts";
import { exampleMessageDialect } from "./example-message-dialect.ts";

const SEALS = [{ dialect: "anthropic", kind: "signature", value: "sealed" }];
const wire = (): unknown => [
  { from: "narrator", name: "Homer", blocks: [{ is: "text", text: "Sing." }], meter: "hexameter" },
  {
    from: "assistant",
    blocks: [
      { is: "reasoning", text: "Hm.", seals: SEALS },
      { is: "text", text: "Of the wrath.", seals: SEALS },
      { is: "text", text: "Of Achilles." },
      {
        is: "tool-call",
        toolCallId: "c1",
        toolName: "sing",
        input: parseJson('{ "lines": 15693.00000000000000000001, "tone": null }'),
        extra: 1,
      },
      { is: "chorus", of: ["Muses"] },
    ],
  },
  { from: "tool", blocks: [{ is: "tool-result", toolCallId: "c1", toolName: "sing", isError: false, output: "La." }] },
];

/** Returns the titles of the failed cases among the selected ones. */
function failures(tried: Dialect, isOfInterest: (title: string) => boolean = () => true): string[] {
  const cases = messageConformance(tried, { samples: [{ name: "a song", wire: wire() }] });
  return cases.flatMap(({ title, run }) => {
    if (!isOfInterest(title)) return [];
    try {
      run();
      return [];
    } catch {
      return [title];
    }
  });
}

test("a dialect without a fault passes every case", () => {
  for (const { run } of messageConformance(exampleMessageDialect(), { samples: [{ name: "a song", wire: wire() }] }))
    run();
});

test("a value that a loss names may come back different, also if each element of a list has its own loss", () => {
  const good = exampleMessageDialect();
  const sealless: Dialect = {
    ...good,
    encodeMessages: (messages) => {
      const { wire, losses } = good.encodeMessages(
        messages.map((message) => ({ ...message, parts: message.parts.map((part) => without(part, "seals")) })),
      );
      const dropped = [...walkJson(messages)].filter(({ path }) => /^\/\d+\/parts\/\d+\/seals\/\d+$/.test(path));
      const loss = { code: "field-unsupported", action: "dropped", level: "loss", message: "No seals." } as const;
      return { wire, losses: [...losses, ...dropped.map(({ path }) => ({ path, ...loss }))] };
    },
  };
  // The cases of the sample fail: the sample has seals that the dialect drops.
  expect(failures(sealless).filter((title) => !title.includes("a song"))).toStrictEqual([]);
});

const seen = new Set<string>();

test.each(FAULTS)("the suite detects a dialect that %s", (_, noticed, fault) => {
  const good = exampleMessageDialect();
  // Runs the expected cases, and those that have not failed for any fault so far.
  const titles = failures({ ...good, ...fault(good) }, (title) => noticed.test(title) || !seen.has(title));
  expect(titles).toContainEqual(expect.stringMatching(noticed));
  for (const title of titles) seen.add(title);
});

test("every case detects some fault", () => {
  const good = exampleMessageDialect();
  const titles = messageConformance(good, { samples: [{ name: "a song", wire: wire() }] }).map(({ title }) => title);
  // A message with only a role has no scalar that could be lost.
  expect(titles.filter((title) => !seen.has(title) && !title.includes("canonical message"))).toStrictEqual([]);
});

test("every string of the canonical messages is unique, except enumerated values and ids", () => {
  const strings = [...walkJson(canonicalMessages())].flatMap(({ path, value }) =>
    typeof value === "string" && value !== "" && !isLiteral(path) ? [value] : [],
  );
  expect(strings.filter((each, index) => strings.indexOf(each) !== index)).toStrictEqual([]);
  expect(strings.length).toBeGreaterThan(150);
});

test.each(dialects)("%s: the dialect of its own opaque part need not be encoded", (id) => {
  const message = user([{ type: "opaque", dialect: id, value: { type: "chorus", of: "Muses" } }]);
  expect(silentLosses([message], (messages) => dialect(id).encodeMessages(messages))).toStrictEqual([]);
});

test("the canonical messages use every part type and every role", () => {
  const all = canonicalMessages();
  expect(new Set(all.map(({ role }) => role)).size).toBe(5);
  expect(new Set(all.flatMap(({ parts }) => parts.map(({ type }) => type))).size).toBe(10);
});

test.each(dialects)("%s: the oracle detects each dropped value whose loss is not reported", (id) => {
  const tested = dialect(id);
  const dropped = tested.encodeMessages(canonicalMessages()).losses.filter(({ action }) => action === "dropped");
  for (const code of new Set(dropped.map((loss) => loss.code))) {
    const hidden = new Set(dropped.flatMap((loss) => (loss.code === code ? [loss.path] : [])));
    const oracle = new SilentLossOracle(canonicalMessages(), (messages) => {
      const encoded = tested.encodeMessages(messages);
      return { ...encoded, losses: encoded.losses.filter(({ path }) => !hidden.has(path)) };
    });
    // One detected node is enough; finding all of them takes long.
    expect(
      oracle.unreported.some((place) => !oracle.isInOutput(place) || !oracle.isChangeVisible(place)),
      code,
    ).toBe(true);
  }
});
