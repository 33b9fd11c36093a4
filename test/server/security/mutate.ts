// Corrupts valid data: JSON at its values, and text and bytes anywhere. Deterministic for a given random source.

export type Random = () => number;
export type Spoilt = { what: string; bytes: Uint8Array };

const pick = <T>(random: Random, list: readonly [T, ...T[]]): T => list[Math.floor(random() * list.length)] ?? list[0];
const upTo = (random: Random, max: number): number => Math.floor(random() * (max + 1));

/** Values as JSON text, because JSON.stringify would not write some of them. */
const ODD_VALUES: readonly [string, ...string[]] = [
  "null",
  "true",
  "false",
  "0",
  "-1",
  "1e308",
  "1e400",
  "-0",
  "12345678901234567890",
  "0.1e-400",
  '""',
  '"\\ud800"',
  '"\\udfff\\ud800 lone"',
  '"\\u0000"',
  `"${"x".repeat(3000)}"`,
  '"__proto__"',
  '"constructor"',
  '"data:image/png;base64,!!!!"',
  '"data:,"',
  '"javascript:alert(1)"',
  '"{\\"a\\":"',
  '"2026-99-99T99:99:99Z"',
  "[]",
  "{}",
  "[[[[]]]]",
  "[null]",
  '[""]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"type":"__proto__"}',
  '{"type":"text"}',
  '{"type":"text","text":null}',
  '{"role":"user"}',
  '{"toString":1,"hasOwnProperty":2,"valueOf":3,"then":4,"length":-1}',
  `${"[".repeat(200)}${"]".repeat(200)}`,
  `${"[".repeat(5000)}${"]".repeat(5000)}`,
  `${'{"a":'.repeat(300)}0${"}".repeat(300)}`,
];
const ODD_KEYS: readonly [string, ...string[]] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "then",
  "type",
  "id",
  "",
  "\u0000",
  "$form",
  "extra",
];

/** The position of a value in a JSON text. */
interface Span {
  from: number;
  to: number;
}

/** Returns the positions of all values in a JSON text of this module. */
function spansOf(value: unknown, from: number, spans: Span[]): number {
  const text = JSON.stringify(value);
  spans.push({ from, to: from + text.length });
  if (typeof value !== "object" || value === null) return from + text.length;
  let at = from + 1;
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined) continue;
    if (!Array.isArray(value)) at += JSON.stringify(key).length + 1;
    at = spansOf(each, at, spans) + 1;
  }
  return from + text.length;
}

/** `text` is the value's JSON, `others` that of all values. */
type SpoilText = (text: string, random: Random, others: () => string) => string;

const IN_JSON: Readonly<Record<string, SpoilText>> = {
  "another value": (_, random) => pick(random, ODD_VALUES),
  "another one's value": (_, __, others) => others(),
  "a list with the value twice": (text) => `[${text},${text}]`,
  "the value as a string": (text) => JSON.stringify(text),
  "a new key": (text, random) =>
    text.startsWith("{")
      ? `{${JSON.stringify(pick(random, ODD_KEYS))}:${pick(random, ODD_VALUES)}${text === "{}" ? "" : ","}${text.slice(1)}`
      : pick(random, ODD_VALUES),
  "all fields twice": (text) => (text.startsWith("{") ? `${text.slice(0, -1)},${text.slice(1)}` : text),
  "nested deep": (text) => `${"[".repeat(60)}${text}${"]".repeat(60)}`,
};

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

type SpoilBytes = (bytes: Uint8Array, random: Random, other: Uint8Array) => Uint8Array;
const ANYWHERE: Readonly<Record<string, SpoilBytes>> = {
  "broken off": (bytes, random) => bytes.slice(0, upTo(random, bytes.length)),
  "spliced with another": (bytes, random, other) =>
    Buffer.concat([bytes.slice(0, upTo(random, bytes.length)), other.slice(upTo(random, other.length))]),
  "flipped bits": (bytes, random) => {
    const spoilt = bytes.slice();
    for (let left = 1 + upTo(random, 4); left > 0 && spoilt.length > 0; left--) {
      const at = upTo(random, spoilt.length - 1);
      spoilt[at] = (spoilt[at] ?? 0) ^ (1 << upTo(random, 7));
    }
    return spoilt;
  },
  "a stretch twice": (bytes, random) => {
    const at = upTo(random, bytes.length);
    const to = Math.min(bytes.length, at + upTo(random, 200));
    return Buffer.concat([bytes.slice(0, to), bytes.slice(at)]);
  },
  "a removed range": (bytes, random) => {
    const at = upTo(random, bytes.length);
    return Buffer.concat([bytes.slice(0, at), bytes.slice(at + 1 + upTo(random, 30))]);
  },
  "noise inside": (bytes, random) => {
    const at = upTo(random, bytes.length);
    const noise = Uint8Array.from({ length: 1 + upTo(random, 8) }, () => upTo(random, 255));
    return Buffer.concat([bytes.slice(0, at), noise, bytes.slice(at)]);
  },
  "zeroes inside": (bytes, random) => {
    const at = upTo(random, bytes.length);
    return Buffer.concat([bytes.slice(0, at), new Uint8Array(3), bytes.slice(at)]);
  },
  "a byte order mark": (bytes) => Buffer.concat([Uint8Array.of(0xef, 0xbb, 0xbf), bytes]),
  "no bytes": () => new Uint8Array(0),
};

/** Replaces, duplicates, stringifies or extends some values of the JSON. */
export function spoilJson(value: unknown, random: Random, other: Uint8Array): Spoilt {
  let text = JSON.stringify(value);
  if (random() < 0.3) return spoilBytes(bytesOf(text), random, other);
  const spans: Span[] = [];
  spansOf(value, 0, spans);
  const chosen = Array.from({ length: 1 + upTo(random, 2) }, () => pick(random, spans as [Span, ...Span[]]));
  const whole = text;
  const others = (): string => {
    const { from, to } = pick(random, spans as [Span, ...Span[]]);
    return whole.slice(from, to);
  };
  const done: string[] = [];
  let end = text.length;
  // From the end, so that positions stay valid; overlapping ones are skipped.
  for (const { from, to } of chosen.toSorted((a, b) => b.from - a.from)) {
    if (to > end) continue;
    end = from;
    const [what, spoil] = pick(random, Object.entries(IN_JSON) as [[string, SpoilText], ...[string, SpoilText][]]);
    text = text.slice(0, from) + spoil(text.slice(from, to), random, others) + text.slice(to);
    done.push(`${what} at ${from}`);
  }
  return { what: done.join(", "), bytes: bytesOf(text) };
}

export function spoilBytes(bytes: Uint8Array, random: Random, other: Uint8Array): Spoilt {
  const ways = Object.entries(ANYWHERE) as [[string, SpoilBytes], ...[string, SpoilBytes][]];
  const [what, spoil] = pick(random, ways);
  return { what, bytes: spoil(bytes, random, other) };
}

export { pick, upTo };
