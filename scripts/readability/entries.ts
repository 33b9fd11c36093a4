// Metrics of the public API: the exported names of each package entry, and their documentation. Re-exports are followed
// to the declaration, because an editor shows the comment of the declaration.
import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import type { Program } from "oxc-parser";
import type { JsDocExample } from "./examples.ts";
import { readExamples } from "./examples.ts";
import type { Measurement, Metric } from "./metric.ts";
import type { Position, SourceFile } from "./sources.ts";
import { readSourceFile } from "./sources.ts";

/** One declaration of an exported name; a name can have several, for example a type and a value. */
interface Declaration {
  file: SourceFile;
  start: number;
}

interface ExportedName {
  name: string;
  declarations: Declaration[];
  /** The members of the class or interface that the name declares or is an alias of. */
  members: Declarations;
}

type Statement = Program["body"][number];
type Declarations = Map<string, Declaration[]>;

/** The modules of a repository, resolved from relative specifiers. Names from other packages have no declaration. */
class ModuleGraph {
  readonly #root: string;
  readonly #exports = new Map<string, Declarations>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the exported names of a module with their declarations. */
  exportsOf(path: string): Declarations {
    const known = this.#exports.get(path);
    if (known !== undefined) return known;
    const names: Declarations = new Map();
    this.#exports.set(path, names);
    const file = readSourceFile(this.#root, path);
    for (const statement of file.program.body) this.#addExports(statement, file, names);
    return names;
  }

  #addExports(statement: Statement, file: SourceFile, names: Declarations): void {
    if (statement.type === "ExportAllDeclaration") {
      if (statement.exported !== null)
        return add(names, nameOf(statement.exported), [{ file, start: statement.start }]);
      for (const [name, found] of this.#exportsFrom(file, statement.source.value)) add(names, name, found);
    }
    if (statement.type !== "ExportNamedDeclaration") return;
    for (const name of declaredNames(statement.declaration)) add(names, name, [{ file, start: statement.start }]);
    for (const { local, exported } of statement.specifiers) {
      const { source } = statement;
      const found =
        source === null
          ? this.#declarationsIn(file, nameOf(local))
          : this.#exportsFrom(file, source.value).get(nameOf(local));
      add(names, nameOf(exported), found ?? []);
    }
  }

  #exportsFrom(file: SourceFile, specifier: string): Declarations {
    if (!specifier.startsWith(".")) return new Map();
    return this.exportsOf(posix.join(posix.dirname(file.path), specifier));
  }

  membersOf({ file, start }: Declaration): Declarations {
    const statement = file.program.body.find((each) => each.start === start) ?? null;
    const declaration = statement?.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    const members: Declarations = new Map();
    for (const [name, memberStart] of membersIn(declaration)) add(members, name, [{ file, start: memberStart }]);
    if (declaration?.type !== "TSTypeAliasDeclaration") return members;
    const { typeAnnotation: target } = declaration;
    if (target.type !== "TSTypeReference" || target.typeName.type !== "Identifier") return members;
    for (const each of this.#declarationsIn(file, target.typeName.name)) {
      for (const [name, found] of this.membersOf(each)) add(members, name, found);
    }
    return members;
  }

  /** Returns the declarations of a local name: statements of the module, or exports of an imported module. */
  #declarationsIn(file: SourceFile, name: string): Declaration[] {
    return file.program.body.flatMap((statement) => {
      if (statement.type === "ImportDeclaration") {
        const specifier = statement.specifiers.find(({ local }) => local.name === name);
        if (specifier?.type !== "ImportSpecifier") return [];
        return this.#exportsFrom(file, statement.source.value).get(nameOf(specifier.imported)) ?? [];
      }
      return declaredNames(statement).includes(name) ? [{ file, start: statement.start }] : [];
    });
  }
}

/** Returns the members of a class or an interface whose name is an identifier. */
function membersIn(declaration: Statement | null): [name: string, start: number][] {
  if (declaration?.type !== "TSInterfaceDeclaration" && declaration?.type !== "ClassDeclaration") return [];
  return declaration.body.body.flatMap((member): [string, number][] =>
    "key" in member && member.key.type === "Identifier" ? [[member.key.name, member.start]] : [],
  );
}

function add(names: Declarations, name: string, declarations: readonly Declaration[]): void {
  names.set(name, [...(names.get(name) ?? []), ...declarations]);
}

function nameOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.name ?? String(node.value);
}

function declaredNames(statement: Statement | null): string[] {
  if (statement === null) return [];
  if (statement.type === "VariableDeclaration") {
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
  }
  return "id" in statement && statement.id?.type === "Identifier" ? [statement.id.name] : [];
}

/** Returns the JSDoc comment directly before a declaration; undefined if there is none. */
function jsDocOf({ file, start }: Declaration): string | undefined {
  const comment = file.comments.findLast(({ end }) => end <= start);
  if (comment?.type !== "Block" || !comment.value.startsWith("*")) return undefined;
  return file.text.slice(comment.end, start).trim() === "" ? comment.value : undefined;
}

/** Returns the source file of each package entry, from the condition `koine-source` in package.json. */
function entriesOf(root: string): [entry: string, path: string][] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, string | Record<string, string> | null>;
  };
  return Object.entries(exports).flatMap(([entry, conditions]) => {
    // The conditions are null for an entry that excludes a path from a pattern such as `./dialects/*`.
    const pattern = typeof conditions === "object" ? conditions?.["koine-source"]?.replace(/^\.\//, "") : undefined;
    if (pattern === undefined) return [];
    const [before = "", after = ""] = pattern.split("*");
    const paths = globSync(pattern, { cwd: root }).map((path) => path.replaceAll("\\", "/"));
    return paths
      .sort()
      .map((path): [string, string] => {
        return [entry.replace("*", path.slice(before.length, path.length - after.length)), path];
      })
      .filter(([name]) => !(name in exports && exports[name] === null));
  });
}

/** Returns the exported names of each package entry. */
export function exportedNames(root: string): Map<string, ExportedName[]> {
  const graph = new ModuleGraph(root);
  const named = entriesOf(root).map(([entry, path]) => {
    const names = [...graph.exportsOf(path)].map(([name, declarations]) => {
      const members: Declarations = new Map();
      for (const declaration of declarations) {
        for (const [member, found] of graph.membersOf(declaration)) add(members, member, found);
      }
      return { name, declarations, members };
    });
    return [entry, names] as const;
  });
  return new Map(named);
}

function percent(part: number, all: number): number {
  return all === 0 ? 0 : Math.round((1000 * part) / all) / 10;
}

function hasDoc({ declarations }: ExportedName): boolean {
  return declarations.some((declaration) => jsDocOf(declaration) !== undefined);
}

/** Returns the examples of a name, without the examples of its members. */
export function examplesOf({ declarations }: Pick<ExportedName, "declarations">): JsDocExample[] {
  return declarations.flatMap((declaration) => readExamples(jsDocOf(declaration) ?? ""));
}

/** True if an editor shows an example for the name or for one of its members. */
function hasExample({ declarations, members }: ExportedName): boolean {
  return [...declarations, ...[...members.values()].flat()].some(
    (each) => examplesOf({ declarations: [each] }).length > 0,
  );
}

function positionOf(entry: string, { name, declarations }: ExportedName): Position {
  const [declaration] = declarations;
  const label = `${name} (${entry})`;
  return declaration?.file.position(declaration.start, label) ?? { file: "package.json", line: 1, name: label };
}

function measureNames(root: string, isCounted: (name: ExportedName) => boolean): Measurement {
  const entries = [...exportedNames(root)];
  const all = entries.flatMap(([, names]) => names);
  const counted = entries.map(([entry, names]) => [entry, names.filter(isCounted)] as const);
  const rootNames = entries.find(([entry]) => entry === ".")?.[1] ?? [];
  return {
    value: counted.flatMap(([, names]) => names).length,
    details: {
      ...Object.fromEntries(counted.map(([entry, names]) => [entry, names.length])),
      "% with JSDoc": percent(all.filter(hasDoc).length, all.length),
      "% with JSDoc in the root": percent(rootNames.filter(hasDoc).length, rootNames.length),
      "% with an example": percent(all.filter(hasExample).length, all.length),
      "% with an example in the root": percent(rootNames.filter(hasExample).length, rootNames.length),
    },
    positions: counted.flatMap(([entry, names]) => names.map((name) => positionOf(entry, name))),
  };
}

export const ENTRY_METRICS: readonly Metric[] = [
  {
    id: "exported-names",
    title: "Names that the package entries export, summed over the entries.",
    measure: (root) => measureNames(root, () => true),
  },
  {
    id: "undocumented-names",
    title: "Exported names without a JSDoc comment directly before the declaration.",
    measure: (root) => measureNames(root, (name) => !hasDoc(name)),
  },
];
