// The model's own words go out as others, so that nobody can look for them. But each choice among them is one: another
// word in its place must show on the wire, or be reported.
import type { Encoded } from "../dialects/dialect.ts";
import { coverage } from "./coverage.ts";
import { demand } from "./demand.ts";
import type { ValueCheck } from "./exchange.ts";
import { fingerprint } from "./outgoing.ts";
import { places, withPlace } from "./places.ts";

/** Where a word stands, whole, and what could stand there instead. */
const CHOICES: readonly [place: RegExp, words: readonly unknown[]][] = [
  [/^\/toolChoice$/, ["auto", "none", "required"]],
  [/^\/toolChoice\/mode$/, ["auto", "required"]],
  [/^\/reasoning\/effort$/, ["low", "high"]],
  [/^\/output$/, [{ type: "text" }, { type: "json" }]],
  // That the model wants tools to be called, the calls themselves may say.
  [/^(?:\/alternatives\/\d+)?\/finishReason$/, ["stop", "length", "content-filter"].map((unified) => ({ unified }))],
];

/** Another word in the place of each makes another wire. Whether a loss is told of one is told of it as it was. */
export const tellsWords: ValueCheck = (exchange, dialect, value) => {
  const isLost = coverage(exchange.encode(dialect, value));
  for (const { path, keys, value: word } of places(value)) {
    const words = CHOICES.find(([place]) => place.test(path))?.[1];
    if (words === undefined || isLost(path)) continue;
    // The word as it is, without what its wire called it, among the others.
    const encodeWith = (each: unknown): Encoded =>
      exchange.encode(dialect, withPlace(value, keys, each) as typeof value);
    const mine = words.find((each) => isSameWord(each, word)) ?? word;
    // How else an answer ended, its content may say, or its error.
    if (mine === word && path.endsWith("/finishReason")) continue;
    const before = encodeWith(mine);
    if (coverage(before)(path)) continue;
    for (const other of words.filter((each) => each !== mine)) {
      const isTold = fingerprint(encodeWith(other)) !== fingerprint(before);
      demand(
        isTold,
        `At "${path}", ${JSON.stringify(mine)} and ${JSON.stringify(other)} go out the same.`,
        before.wire,
      );
    }
  }
};

function isSameWord(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  const [a, b] = [one, other] as Record<string, unknown>[];
  return a?.["unified"] === b?.["unified"] && a?.["type"] === b?.["type"];
}
