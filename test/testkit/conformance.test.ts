// The suite can fail: a good dialect passes all of it, and each of many faults is noticed by the case that should.
import { expect, test } from "vitest";
import type { Dialect } from "../../src/index.ts";
import { dialect, dialects, parseJson, user } from "../../src/index.ts";
import { gallery, messageConformance, silentLosses } from "../../src/testkit/index.ts";
import { Oracle } from "../../src/testkit/oracle.ts";
import { places } from "../../src/testkit/places.ts";
import { isLiteral } from "../../src/testkit/positions.ts";
import { FAULTS, without } from "./broken.ts";
import { plain } from "./plain.ts";

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

/** The titles of the cases that do not hold, of those that are of interest. */
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
  for (const { run } of messageConformance(plain(), { samples: [{ name: "a song", wire: wire() }] })) run();
});

test("what a loss names may come back different, also where each of a list is named by itself", () => {
  const good = plain();
  const sealless: Dialect = {
    ...good,
    encodeMessages: (messages) => {
      const { wire, losses } = good.encodeMessages(
        messages.map((message) => ({ ...message, parts: message.parts.map((part) => without(part, "seals")) })),
      );
      const gone = [...places(messages)].filter(({ path }) => /^\/\d+\/parts\/\d+\/seals\/\d+$/.test(path));
      const loss = { code: "field-unsupported", action: "dropped", level: "loss", message: "No seals." } as const;
      return { wire, losses: [...losses, ...gone.map(({ path }) => ({ path, ...loss }))] };
    },
  };
  // The sample has seals, which it is not allowed to lose.
  expect(failures(sealless).filter((title) => !title.includes("a song"))).toStrictEqual([]);
});

const seen = new Set<string>();

test.each(FAULTS)("a dialect that %s is noticed", (_, noticed, fault) => {
  const good = plain();
  // What should notice it, and whatever has not noticed any fault so far.
  const titles = failures({ ...good, ...fault(good) }, (title) => noticed.test(title) || !seen.has(title));
  expect(titles).toContainEqual(expect.stringMatching(noticed));
  for (const title of titles) seen.add(title);
});

test("every case notices some fault", () => {
  const good = plain();
  const titles = messageConformance(good, { samples: [{ name: "a song", wire: wire() }] }).map(({ title }) => title);
  // A message with nothing but its role has no scalar that could be lost.
  expect(titles.filter((title) => !seen.has(title) && !title.includes("canonical message"))).toStrictEqual([]);
});

test("no string of the gallery stands in two places, but for words and ids", () => {
  const strings = [...places(gallery())].flatMap(({ path, value }) =>
    typeof value === "string" && value !== "" && !isLiteral(path) ? [value] : [],
  );
  expect(strings.filter((each, index) => strings.indexOf(each) !== index)).toStrictEqual([]);
  expect(strings.length).toBeGreaterThan(150);
});

test.each(dialects)("%s: who a block of its own belongs to goes without saying", (id) => {
  const message = user([{ type: "opaque", dialect: id, value: { type: "chorus", of: "Muses" } }]);
  expect(silentLosses([message], (messages) => dialect(id).encodeMessages(messages))).toStrictEqual([]);
});

test("the gallery uses every part type and every role", () => {
  const all = gallery();
  expect(new Set(all.map(({ role }) => role)).size).toBe(5);
  expect(new Set(all.flatMap(({ parts }) => parts.map(({ type }) => type))).size).toBe(10);
});

test.each(dialects)("%s: every code of what was dropped is needed: without it, the oracle tells", (id) => {
  const spoken = dialect(id);
  const dropped = spoken.encodeMessages(gallery()).losses.filter(({ action }) => action === "dropped");
  for (const code of new Set(dropped.map((loss) => loss.code))) {
    const hidden = new Set(dropped.flatMap((loss) => (loss.code === code ? [loss.path] : [])));
    const oracle = new Oracle(gallery(), (messages) => {
      const encoded = spoken.encodeMessages(messages);
      return { ...encoded, losses: encoded.losses.filter(({ path }) => !hidden.has(path)) };
    });
    // One place is enough; to look for all of them takes long.
    expect(
      oracle.open.some((place) => !oracle.isThere(place) || !oracle.shows(place)),
      code,
    ).toBe(true);
  }
});
