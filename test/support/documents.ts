// Compares the tables of the documents with the titles of the tests, and returns the problems as sentences. The
// functions are pure, so that they can be tested with invented documents.
import { posix } from "node:path";
import { type Expression, parseSync, type TemplateLiteral, Visitor } from "oxc-parser";

/** A test that a row names: a file, and a literal part of a title in it. */
interface Reference {
  file: string;
  title: string;
}

/** One requirement of a document. */
export interface Row {
  id: string;
  status: string;
  /** The last cell: the tests of the requirement, or the folder that will have them. */
  holder: string;
  references: Reference[];
}

/** Titles by file. */
export type Titles = ReadonlyMap<string, readonly string[]>;

const CELL_BORDER = /(?<!\\)\|/;
const FENCE = /^(```|~~~)[\s\S]*?^\1/gm;
const REFERENCE = /`([^`]+)` › ("(?:\\.|[^"\\])*"(?:, "(?:\\.|[^"\\])*")*)/g;
const QUOTED = /"((?:\\.|[^"\\])*)"/g;
/** Minimum length of a quoted part of a title; a shorter quotation must be a whole title. */
const TELLING = 10;
/** A folder of the map in docs/architecture.md. */
const PART = /`(src\/(model|sse|assembly|dialects|calls|client|agent|ledger|server|cli|testkit)\b[^`]*|ui)`/;

function cellsOf(line: string): string[] {
  const inside = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inside.split(CELL_BORDER).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function referencesIn(cell: string): Reference[] {
  return [...cell.matchAll(REFERENCE)].flatMap(([, file = "", titles = ""]) =>
    [...titles.matchAll(QUOTED)].map(([, title = ""]) => ({ file, title: title.replaceAll('\\"', '"') })),
  );
}

/** The rows of every table that has a `status` column; the first column is the id, the last names the holder. */
export function readRows(markdown: string): Row[] {
  const rows: Row[] = [];
  let header: string[] | undefined;
  for (const line of markdown.replace(FENCE, "").split("\n")) {
    if (!line.trimStart().startsWith("|")) {
      header = undefined;
      continue;
    }
    const cells = cellsOf(line);
    header ??= cells.map((cell) => cell.toLowerCase());
    const isBody = header.includes("status") && cells[header.indexOf("status")]?.toLowerCase() !== "status";
    if (!isBody || cells.every((cell) => /^:?-+:?$/.test(cell))) continue;
    const holder = cells.length === header.length ? (cells.at(-1) ?? "") : "";
    const status = cells[header.indexOf("status")] ?? "";
    rows.push({ id: cells[0] ?? "", status, holder, references: referencesIn(holder) });
  }
  return rows;
}

/** Returns the rows that contradict themselves or the tests. */
export function rowProblems(rows: readonly Row[], titles: Titles): string[] {
  const seen = new Set<string>();
  return rows.flatMap((row) => {
    const problems = [...statusProblems(row), ...referenceProblems(row, titles)];
    if (seen.has(row.id)) problems.push(`${row.id} stands there twice`);
    seen.add(row.id);
    return problems;
  });
}

function statusProblems({ id, status, holder, references }: Row): string[] {
  if (holder === "") return [`${id} has an empty last cell, or not as many cells as its table`];
  if (status === "held") return references.length > 0 ? [] : [`${id} is held, but names no test`];
  if (status !== "planned") return [`${id} is "${status}", neither held nor planned`];
  return PART.test(holder) ? [] : [`${id} is planned, but names no part of the map`];
}

function referenceProblems({ id, holder, references }: Row, titles: Titles): string[] {
  const problems = references.flatMap(({ file, title }) => {
    const known = titles.get(file);
    if (known === undefined) return [`${id} names ${file}, which is no test file`];
    if (known.some((each) => each === title || (title.length >= TELLING && each.includes(title)))) return [];
    return [`${id} names "${title}", which is no title in ${file}`];
  });
  const bare = holder.replace(REFERENCE, "").match(/`test\/[^`]*`/g) ?? [];
  return [...problems, ...bare.map((file) => `${id} names ${file} without a title`)];
}

/** The numbers of 1 … `last` that no row has, and the ids that are no such number. */
export function numberProblems(rows: readonly Row[], prefix: string, last: number): string[] {
  const expected = Array.from({ length: last }, (_, index) => `${prefix}${index + 1}`);
  const found = new Set(rows.map(({ id }) => id));
  const missing = expected.filter((id) => !found.has(id)).map((id) => `${id} is missing`);
  const odd = [...found].filter((id) => !expected.includes(id)).map((id) => `"${id}" is no number of this page`);
  return [...missing, ...odd];
}

/** Behaviours that a test cites in a title, while their row does not name a test in that file. */
export function citationProblems(rows: readonly Row[], titles: Titles): string[] {
  const holders = new Map(rows.map(({ id, references }) => [id, new Set(references.map(({ file }) => file))]));
  return [...titles].flatMap(([file, all]) => {
    const cited = new Set(all.flatMap((title) => title.match(/\bB\d{1,3}\b/g) ?? []));
    return [...cited]
      .filter((id) => holders.get(id)?.has(file) !== true)
      .map((id) => `${file} cites ${id}, but the row of ${id} names no test in it`);
  });
}

/** The titles of every test file among the sources; the tables of a file beside it that it imports are its own. */
export function titlesByFile(sources: ReadonlyMap<string, string>): Titles {
  const read = new Map([...sources].map(([path, source]) => [path, readTitles(path, source)]));
  const isTest = (path: string): boolean => path.endsWith(".test.ts");
  return new Map(
    [...read].flatMap(([path, { titles, imports }]) => {
      const tables = imports.filter((each) => !isTest(each)).flatMap((each) => read.get(each)?.titles ?? []);
      return isTest(path) ? [[path, [...titles, ...tables]] as const] : [];
    }),
  );
}

/**
 * The titles in a file: the first arguments of `test` and `describe`, and the first column of every table. A table is a
 * list of lists, or a list in `each` itself.
 */
function readTitles(path: string, source: string): { titles: string[]; imports: string[] } {
  const { program, errors, module } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map((error) => error.message).join("; ")}`);
  const titles: string[] = [];
  const add = (node: { type: string } | null | undefined): void => {
    // Every expression with the type of a literal or a template is one.
    if (node?.type === "Literal" && "value" in node && typeof node.value === "string") titles.push(node.value);
    if (node?.type === "TemplateLiteral") titles.push(...(node as TemplateLiteral).quasis.map((it) => it.value.raw));
  };
  new Visitor({
    CallExpression: (node) => {
      if (!["test", "it", "describe"].includes(rootName(node.callee))) return;
      const [first] = node.arguments;
      if (first?.type === "ArrayExpression") first.elements.forEach(add);
      else add(first);
    },
    ArrayExpression: (node) => {
      for (const row of node.elements) if (row?.type === "ArrayExpression") add(row.elements[0]);
    },
  }).visit(program);
  const requests = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  const imports = requests.filter((to) => to.startsWith(".")).map((to) => posix.join(posix.dirname(path), to));
  return { titles, imports };
}

/** Returns `test` for `test`, `test.each` and `test.each(rows)`. */
function rootName(callee: Expression): string {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type === "MemberExpression") return rootName(callee.object);
  return callee.type === "CallExpression" ? rootName(callee.callee) : "";
}

/** The relative targets of a document's links, without their anchors. */
export function relativeLinks(markdown: string): string[] {
  const prose = markdown.replace(FENCE, "").replace(/`[^`\n]*`/g, "code");
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
  const defined = [...prose.matchAll(/^\s*\[[^\]]+\]:\s*<?([^\s>]+)/gm)];
  return [...inline, ...defined]
    .map(([, target = ""]) => target)
    .filter((target) => !/^([a-z][a-z0-9+.-]*:|\/\/|#)/i.test(target))
    .map((target) => decodeURI(target.replace(/[#?].*$/, "")));
}
