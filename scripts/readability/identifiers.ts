// Metrics of identifiers: speech words, British spelling, and the style of private members. Every occurrence in the
// syntax tree counts once; comments and strings do not count.
import type { Measurement, Metric } from "./metric.ts";
import { countBy } from "./metric.ts";
import type { MemberDeclaration, Position } from "./sources.ts";
import { sourceFiles } from "./sources.ts";
import type { AllowedName } from "./word-lists.ts";
import {
  ALLOWED_BRITISH,
  ALLOWED_SPEECH,
  BRITISH_STEMS,
  CODE_FOLDERS,
  ORIGIN_WORDS,
  SPEECH_WORDS,
  US_WORDS,
} from "./word-lists.ts";

const SHOWN_WORDS = 12;

/** Returns the words of an identifier (camelCase, PascalCase, snake_case or kebab-case) in lower case. */
function wordsOf(identifier: string): string[] {
  return identifier
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

/** Counts the identifiers of src and ui that contain a matching word. */
function countIdentifiers(
  root: string,
  isCounted: (word: string) => boolean,
  allowed: readonly AllowedName[],
): Measurement {
  const allowedNames = new Set(allowed.map(({ name }) => name));
  const matchOf = new Map<string, string | undefined>();
  const positions: Position[] = [];
  for (const file of sourceFiles(root, CODE_FOLDERS)) {
    for (const { name, start } of file.facts.identifiers) {
      if (!matchOf.has(name)) matchOf.set(name, allowedNames.has(name) ? undefined : wordsOf(name).find(isCounted));
      if (matchOf.get(name) !== undefined) positions.push(file.position(start, name));
    }
  }
  const frequent = Object.entries(countBy(positions, ({ name }) => matchOf.get(name) ?? "")).slice(0, SHOWN_WORDS);
  const details = {
    ...countBy(positions, ({ file }) => file.slice(0, file.indexOf("/"))),
    files: new Set(positions.map(({ file }) => file)).size,
    ...Object.fromEntries(frequent),
  };
  return { value: positions.length, details, positions };
}

function isBritish(word: string): boolean {
  return !US_WORDS.has(word) && BRITISH_STEMS.some((stem) => word.startsWith(stem));
}

function countPrivateMembers(root: string): Measurement {
  const members = sourceFiles(root, CODE_FOLDERS).flatMap((file) =>
    file.facts.privateMembers.map((member) => ({ file, member })),
  );
  const count = (style: MemberDeclaration["style"]): number =>
    members.filter(({ member }) => member.style === style).length;
  const other = members.filter(({ member }) => member.style !== "hash");
  return {
    value: other.length,
    details: { keyword: count("keyword"), underscore: count("underscore"), hash: count("hash") },
    positions: other.map(({ file, member }) => file.position(member.start, member.name)),
  };
}

export const IDENTIFIER_METRICS: readonly Metric[] = [
  {
    id: "speech-words",
    title: "Identifiers in src and ui, every occurrence, that contain a word of speech.",
    measure: (root) => countIdentifiers(root, (word) => SPEECH_WORDS.has(word), ALLOWED_SPEECH),
  },
  {
    id: "origin-words",
    title: "Identifiers in src and ui, every occurrence, that state how the code obtained a value.",
    measure: (root) => countIdentifiers(root, (word) => ORIGIN_WORDS.has(word), []),
  },
  {
    id: "british-identifiers",
    title: "Identifiers in src and ui, every occurrence, in British spelling.",
    measure: (root) => countIdentifiers(root, isBritish, ALLOWED_BRITISH),
  },
  {
    id: "private-style",
    title: "Private members in src and ui with the keyword or an underscore instead of #.",
    measure: countPrivateMembers,
  },
];
