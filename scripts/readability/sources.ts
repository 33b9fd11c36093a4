// Parses source files and collects the facts that the metrics need: comments, identifiers, types and class members,
// from one pass over the syntax tree. Each file is parsed once per process, because several metrics read the same
// files.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Class, type Comment, type ParseResult, parseSync, type Program, Visitor } from "oxc-parser";

/** One place in the code that a metric counts. */
export interface Position {
  file: string;
  line: number;
  name: string;
}

export interface TypeDeclaration {
  name: string;
  start: number;
  isExported: boolean;
}

export interface NameAt {
  name: string;
  start: number;
}

export interface MemberDeclaration extends NameAt {
  style: "keyword" | "underscore" | "hash";
}

/** The names and declarations of one syntax tree that the metrics count. */
interface Facts {
  identifiers: NameAt[];
  types: TypeDeclaration[];
  privateMembers: MemberDeclaration[];
}

export class SourceFile {
  readonly path: string;
  readonly text: string;
  readonly #parsed: ParseResult;
  #facts: Facts | undefined;
  #lineStarts: number[] | undefined;

  /** Throws an error for a file with a syntax error, because its facts would be incomplete. */
  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.#parsed = parseSync(path, text);
    const [error] = this.#parsed.errors;
    if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  }

  get comments(): readonly Comment[] {
    return this.#parsed.comments;
  }

  get program(): Program {
    return this.#parsed.program;
  }

  get facts(): Facts {
    return (this.#facts ??= readFacts(this.program));
  }

  /** Returns the number of the line of an offset, counted from 1. */
  lineOf(offset: number): number {
    this.#lineStarts ??= [0, ...Array.from(this.text.matchAll(/\n/g), ({ index }) => index + 1)];
    let [low, high] = [0, this.#lineStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  }

  position(offset: number, name: string): Position {
    return { file: this.path, line: this.lineOf(offset), name };
  }
}

const PARSED = new Map<string, SourceFile>();

export function readSourceFile(root: string, path: string): SourceFile {
  const key = join(root, path);
  const file = PARSED.get(key) ?? new SourceFile(path, readFileSync(key, "utf8"));
  PARSED.set(key, file);
  return file;
}

/** Returns the paths of the TypeScript files below a folder, in alphabetical order. */
function sourcePaths(root: string, folder: string): string[] {
  const paths = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: ["**/node_modules", "**/dist"] });
  return paths.map((path) => path.replaceAll("\\", "/")).sort();
}

/** Returns the TypeScript files below the folders, in alphabetical order for each folder. */
export function sourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) => sourcePaths(root, folder).map((path) => readSourceFile(root, path)));
}

function readFacts(program: Program): Facts {
  const identifiers = new Map<number, string>();
  const types: TypeDeclaration[] = [];
  const privateMembers: MemberDeclaration[] = [];
  const exported = exportedNames(program);
  // Identifiers are stored by position: a shorthand property is two nodes in the tree, but one identifier in the text.
  const addIdentifier = ({ name, start }: NameAt): void => void identifiers.set(start, name);
  const addType = ({ id }: { id: NameAt | null }): void => {
    if (id !== null) types.push({ name: id.name, start: id.start, isExported: exported.has(id.name) });
  };
  const addMembers = (node: Class): void => {
    for (const member of node.body.body) {
      if (!("key" in member)) continue;
      const style = privateStyle(member);
      if (style !== undefined) privateMembers.push({ name: keyName(member.key), start: member.start, style });
    }
  };
  new Visitor({
    Identifier: addIdentifier,
    PrivateIdentifier: addIdentifier,
    JSXIdentifier: addIdentifier,
    TSInterfaceDeclaration: addType,
    TSTypeAliasDeclaration: addType,
    TSEnumDeclaration: addType,
    ClassDeclaration: (node) => {
      addType(node);
      addMembers(node);
    },
    ClassExpression: addMembers,
    TSParameterProperty: (node) => {
      if (node.accessibility === "private") privateMembers.push({ name: "", start: node.start, style: "keyword" });
    },
  }).visit(program);
  return { identifiers: Array.from(identifiers, ([start, name]) => ({ start, name })), types, privateMembers };
}

function keyName(key: { type: string; name?: unknown }): string {
  return typeof key.name === "string" ? key.name : "";
}

function privateStyle(member: {
  key: { type: string; name?: unknown };
  accessibility?: string | null;
}): MemberDeclaration["style"] | undefined {
  if (member.key.type === "PrivateIdentifier") return "hash";
  if (member.accessibility === "private") return "keyword";
  return keyName(member.key).startsWith("_") ? "underscore" : undefined;
}

function exportedNames({ body }: Program): Set<string> {
  const names = new Set<string>();
  for (const statement of body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.source !== null) continue;
    const { declaration } = statement;
    if (declaration !== null && "id" in declaration && declaration.id?.type === "Identifier") {
      names.add(declaration.id.name);
    }
    for (const { local } of statement.specifiers) if (local.type === "Identifier") names.add(local.name);
  }
  return names;
}
