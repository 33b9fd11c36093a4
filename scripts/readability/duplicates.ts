// Finds pairs of places in src with six or more common lines: equal lines, or lines of the same shape, in which names,
// strings and numbers differ. A pair is two files, or one file twice; the report names its first common lines.
import type { Measurement, Metric } from "./metric.ts";
import type { SourceFile } from "./sources.ts";
import { sourceFiles } from "./sources.ts";

const RUN_LINES = 6;
/** The maximum number of places; lines in more places are an idiom of the language or of the project. */
const MAX_PLACES = 8;
/** The minimum number of different shapes; lines with fewer shapes are data, such as a table of losses. */
const MIN_DISTINCT_LINES = 5;

interface CodeLine {
  number: number;
  text: string;
  shape: string;
}

/** A window of consecutive lines of code. */
interface LineWindow {
  file: number;
  at: number;
}

interface Pair {
  first: LineWindow;
  second: LineWindow;
  /** The number of windows that both files share, which measures the total length of their common lines. */
  windows: number;
  isExact: boolean;
}

const KEYWORDS = new Set(
  (
    "abstract as async await boolean break case catch class const continue default delete do else enum export extends " +
    "false finally for from function get if implements import in infer instanceof interface is keyof let never new null " +
    "number object of override private readonly return satisfies set static string super switch symbol this throw true " +
    "try type typeof undefined unknown var void while yield"
  ).split(" "),
);

function shapeOf(line: string): string {
  return line
    .replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g, "§")
    .replaceAll(/(?<![\w$])\d[\w.]*/g, "0")
    .replaceAll(/#?[A-Za-z_$][\w$]*/g, (name) => (KEYWORDS.has(name) ? name : "x"));
}

/** Returns the text with a part replaced by spaces, except line breaks, so that line numbers remain correct. */
function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\n]/g, " ") + text.slice(end);
}

/** Returns the lines with code, without comments, imports, re-exports and lines of punctuation only. */
function codeLines(file: SourceFile): CodeLine[] {
  const spans = [
    ...file.comments,
    ...file.program.body.filter(
      (statement) =>
        statement.type === "ImportDeclaration" ||
        statement.type === "ExportAllDeclaration" ||
        (statement.type === "ExportNamedDeclaration" && statement.source !== null),
    ),
  ];
  const text = spans.reduce((rest, { start, end }) => blank(rest, start, end), file.text);
  return text.split("\n").flatMap((raw, index) => {
    const line = raw.trim().replaceAll(/\s+/g, " ");
    return /\w/.test(line) ? [{ number: index + 1, text: line, shape: shapeOf(line) }] : [];
  });
}

/** Returns the windows with equal keys; keys in only one place or in more than MAX_PLACES places are left out. */
function repeatedWindows(files: readonly (readonly CodeLine[])[], keyOf: (line: CodeLine) => string): LineWindow[][] {
  const windows = new Map<string, LineWindow[]>();
  for (const [file, lines] of files.entries()) {
    for (let at = 0; at + RUN_LINES <= lines.length; at++) {
      const keys = lines.slice(at, at + RUN_LINES).map(keyOf);
      if (new Set(keys).size < MIN_DISTINCT_LINES) continue;
      const key = keys.join("\n");
      const known = windows.get(key);
      if (known === undefined) windows.set(key, [{ file, at }]);
      else known.push({ file, at });
    }
  }
  return [...windows.values()].filter(({ length }) => length > 1 && length <= MAX_PLACES);
}

function addPairs(pairs: Map<string, Pair>, groups: readonly LineWindow[][], isExact: boolean): void {
  for (const group of groups) {
    for (const [index, first] of group.entries()) {
      for (const second of group.slice(index + 1)) {
        const isOverlap = first.file === second.file && second.at - first.at < RUN_LINES;
        if (isOverlap) continue;
        const key = `${first.file} ${second.file}`;
        const known = pairs.get(key);
        if (known === undefined) pairs.set(key, { first, second, windows: 1, isExact });
        else known.windows++;
      }
    }
  }
}

function findPairs(files: readonly (readonly CodeLine[])[]): Pair[] {
  const pairs = new Map<string, Pair>();
  addPairs(
    pairs,
    repeatedWindows(files, ({ text }) => text),
    true,
  );
  addPairs(
    pairs,
    repeatedWindows(files, ({ shape }) => shape),
    false,
  );
  return [...pairs.values()].sort((a, b) => b.windows - a.windows);
}

function measureDuplicates(root: string): Measurement {
  const files = sourceFiles(root, ["src"]);
  const lines = files.map(codeLines);
  const pairs = findPairs(lines);
  const lineAt = ({ file, at }: LineWindow): number => lines[file]?.[at]?.number ?? 1;
  const exact = pairs.filter(({ isExact }) => isExact).length;
  return {
    value: pairs.length,
    details: { exact, shape: pairs.length - exact },
    positions: pairs.map(({ first, second, isExact }) => ({
      file: files[first.file]?.path ?? "",
      line: lineAt(first),
      name: `~ ${files[second.file]?.path}:${lineAt(second)}${isExact ? "" : " shape"}`,
    })),
  };
}

export const DUPLICATE_METRICS: readonly Metric[] = [
  {
    id: "duplicate-pairs",
    title: `Pairs of files of src with ${RUN_LINES} or more consecutive lines that are equal, or equal in shape.`,
    measure: measureDuplicates,
  },
];
