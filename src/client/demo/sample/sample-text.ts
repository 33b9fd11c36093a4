// Samples texts that a JSON schema allows: by format, by property name, or by pattern and length.
import type { ChooseIndex, FlatSchema } from "./flat-schema.ts";
import { textForPattern } from "./pattern-text.ts";

const twoDigits = (n: number): string => String(n + 1).padStart(2, "0");

/** Functions that return the n-th text of a format. */
const FORMATS = new Map<string, (n: number) => string>(
  Object.entries({
    "date-time": (n) => `2026-01-31T12:00:${twoDigits(n)}Z`,
    date: (n) => `2026-01-${twoDigits(n)}`,
    time: (n) => `12:00:${twoDigits(n)}Z`,
    duration: (n) => `PT${n + 1}H`,
    email: (n) => `ada${n === 0 ? "" : n}@example.com`,
    "idn-email": (n) => `ada${n === 0 ? "" : n}@example.com`,
    hostname: (n) => `${n === 0 ? "" : `host${n}.`}example.com`,
    "idn-hostname": (n) => `${n === 0 ? "" : `host${n}.`}example.com`,
    ipv4: (n) => `192.0.2.${n + 1}`,
    ipv6: (n) => `2001:db8::${n + 1}`,
    uri: (n) => `https://example.com/${n === 0 ? "" : n}`,
    url: (n) => `https://example.com/${n === 0 ? "" : n}`,
    iri: (n) => `https://example.com/${n === 0 ? "" : n}`,
    "uri-reference": (n) => `/page/${n + 1}`,
    "iri-reference": (n) => `/page/${n + 1}`,
    "uri-template": (n) => `/page/${n + 1}/{name}`,
    uuid: (n) => `123e4567-e89b-42d3-a456-4266141740${twoDigits(n)}`,
    "json-pointer": (n) => `/${n}`,
    "relative-json-pointer": (n) => `${n}`,
    regex: (n) => `^a{${n + 1}}`,
    byte: () => "ZXhhbXBsZQ==",
  }),
);

/** Plausible texts for properties; the keys are names of properties in lower case. */
const BY_NAME = new Map<string, string>(
  Object.entries({
    city: "Corinth",
    location: "Corinth",
    place: "Corinth",
    country: "Greece",
    name: "Ada",
    query: "koine",
    language: "Greek",
    path: "notes.txt",
    file: "notes.txt",
    url: "https://example.com/",
    date: "2026-01-31",
    email: "ada@example.com",
    message: "Hello!",
    currency: "EUR",
  }),
);

const LENGTHS = [0, 1, 2, 3, 5, 8, 16, 40, 120];

/**
 * Returns the n-th text of a series for a schema and a property name. If no candidate satisfies the schema, returns the
 * first candidate, adjusted to the allowed length.
 */
export function sampleText(schema: FlatSchema, name: string, nth: number, choose: ChooseIndex): string {
  const rules = readTextRules(schema);
  // `choose` returns 0 in guess 0. The other guesses thus take another text of the series, in case the schema rejects
  // the usual text.
  const n = nth + choose(4);
  let first: string | undefined;
  for (const text of candidates(schema, rules, name, n, choose)) {
    const filled = adjustLength(text, rules, n);
    if (matchesRules(text, rules)) return text;
    if (matchesRules(filled, rules)) return filled;
    first ??= filled;
  }
  return first ?? "";
}

/** Yields candidate texts, the most natural text first. */
function* candidates(
  schema: FlatSchema,
  rules: TextRules,
  name: string,
  n: number,
  choose: ChooseIndex,
): Generator<string> {
  const ofFormat = FORMATS.get(String(schema["format"]));
  if (ofFormat !== undefined) yield ofFormat(n);
  const plain = BY_NAME.get(name.toLowerCase()) ?? "example";
  yield n === 0 ? plain : `${plain} ${n + 1}`;
  for (const pattern of rules.patterns) {
    for (const extra of LENGTHS) {
      const text = textForPattern(pattern, { choose, extra: extra + n, n });
      if (text !== undefined) yield text;
    }
  }
}

interface TextRules {
  least: number;
  most: number;
  patterns: string[];
}

function readTextRules({ minLength, maxLength, pattern }: FlatSchema): TextRules {
  return {
    least: typeof minLength === "number" ? Math.max(0, minLength) : 0,
    most: typeof maxLength === "number" ? maxLength : Infinity,
    patterns: [pattern].flat().filter((each) => typeof each === "string"),
  };
}

/** True if a text has a valid length and matches all patterns. JSON Schema counts characters, not UTF-16 units. */
function matchesRules(text: string, { least, most, patterns }: TextRules): boolean {
  const { length } = Array.from(text);
  return length >= least && length <= most && patterns.every((pattern) => matchesPattern(pattern, text));
}

function matchesPattern(pattern: string, text: string): boolean {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags).test(text);
    } catch {
      // The pattern is invalid with these flags, so it is tried with the next flags.
    }
  }
  return true;
}

/**
 * Lengthens or shortens a text to a length that the rules allow. A shortened text ends with its number in the series
 * (from the second text on), so that the texts of a series stay distinct.
 */
function adjustLength(text: string, { least, most }: TextRules, n: number): string {
  const letters = Array.from(text);
  if (letters.length > most) {
    const number = String(n + 1);
    const room = Math.max(0, Math.floor(most));
    return n === 0
      ? letters.slice(0, room).join("")
      : `${letters.slice(0, Math.max(0, room - number.length)).join("")}${number}`.slice(0, room);
  }
  return text + (letters.at(-1) ?? "e").repeat(Math.max(0, Math.ceil(least) - letters.length));
}
