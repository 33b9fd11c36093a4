// The map of the package as data, and the check that holds a source tree to it. Pure: trees come in as text, so that
// the rules can be tried on made-up trees as well as on the real one.

import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { readSource, type SourceFacts } from "./source.ts";

interface LayerRule {
  /** Folders of src this one may import, besides itself. */
  folders: string[];
  /** Packages and `node:` modules it may import; absent: any that Koine depends on. */
  packages?: string[];
  /** Clock and ids are injected, never read. */
  pure?: true;
}

const CORE = ["model", "sse", "assembly", "dialects"];

/** Every folder of src; "." is the files directly in it. A folder that is not here fails. */
const LAYERS: Record<string, LayerRule> = {
  model: { folders: [], packages: [], pure: true },
  sse: { folders: ["model"], packages: ["eventsource-parser"], pure: true },
  assembly: { folders: ["model", "sse"], packages: [], pure: true },
  dialects: { folders: ["model", "sse", "assembly"], packages: [], pure: true },
  ".": { folders: CORE, packages: [] },
  calls: { folders: CORE },
  client: { folders: [...CORE, "calls"] },
  ledger: { folders: ["model", "assembly"] },
  agent: { folders: [...CORE, "calls", "client", "ledger"] },
  server: { folders: [...CORE, "calls", "client", "ledger", "agent"] },
  cli: { folders: [...CORE, "calls", "client", "ledger", "agent", "server"] },
  testkit: { folders: [...CORE, "ledger"] },
};

/** Folders that others import only through their index: folder → the files that may be imported besides. */
const INDEXED_FOLDERS: Readonly<Record<string, RegExp>> = {
  // The transports are the targets of the package's own import "#transport".
  calls: /^src\/calls\/(?:index|transport\/(?:fetch|undici))\.ts$/,
};

/** Files of src/dialects that join dialects, so that no dialect may import them. */
const JOINERS = new Set(["index", "registry", "transcode", "translate"].map((name) => `src/dialects/${name}.ts`));

/** Folders of src/dialects with code that only one family of dialects shares: family folder → its member dialects. */
const DIALECT_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  openai: ["openai-chat", "openai-responses"],
  blocks: ["anthropic", "bedrock"],
  "ai-sdk": ["ai-sdk-model", "ai-sdk-ui"],
};

/** The entries that run in a browser: the root, each dialect, and the client. */
const BROWSER_ENTRIES = /^src\/(index|client\/index|dialects\/[^/]+\/index)\.ts$/;

export interface Packages {
  /** Names that users of the package get with it. */
  shipped: ReadonlySet<string>;
  /** The dependencies of an installed package, of any kind. */
  dependenciesOf(name: string): string[];
  /** The targets of the package's own import names, such as `#transport`: on Node, and elsewhere. */
  aliases?: Readonly<Record<string, { node: string; default: string }>>;
}

/** Breaches of the rules in a tree of path → text, one sentence each. */
export function findBreaches(tree: ReadonlyMap<string, string>, packages: Packages): string[] {
  const facts = factsOf(tree, packages, ["node", "default"]);
  const breaches = [...facts].flatMap(([path, file]) => [
    ...layerBreaches(path, file),
    ...dialectBreaches(path, facts),
    ...packagesOf(file)
      .filter((name) => !isBuiltin(name) && !packages.shipped.has(name))
      .map((name) => `${path} imports ${name}, which users of the package would not have`),
  ]);
  const elsewhere = factsOf(tree, packages, ["default"]);
  return [...new Set([...breaches, ...browserBreaches(elsewhere, packages)])];
}

/** A cache of parsed files: several rules read the same tree. */
const read = new Map<string, { text: string; facts: SourceFacts }>();

function sourceFacts(path: string, text: string): SourceFacts {
  const known = read.get(path);
  if (known?.text === text) return known.facts;
  const facts = readSource(path, text);
  read.set(path, { text, facts });
  return facts;
}

/** The facts of every file; a name of the package's own is each of the files that it stands for under the conditions. */
function factsOf(
  tree: ReadonlyMap<string, string>,
  { aliases = {} }: Packages,
  conditions: readonly ("node" | "default")[],
): Map<string, SourceFacts> {
  const facts = new Map<string, SourceFacts>();
  for (const [path, text] of tree) {
    const file = sourceFacts(path, text);
    const imports = file.imports.flatMap((specifier) => {
      const alias = aliases[specifier];
      return alias === undefined ? [specifier] : conditions.map((each) => fromHere(path, alias[each]));
    });
    facts.set(path, { ...file, imports });
  }
  return facts;
}

function fromHere(path: string, target: string): string {
  const relative = posix.relative(posix.dirname(path), target);
  return relative.startsWith(".") ? relative : `./${relative}`;
}

/** The files of the tree that a browser would load. */
export function browserFiles(tree: ReadonlyMap<string, string>, packages: Packages): string[] {
  const facts = factsOf(tree, packages, ["default"]);
  return reachable(
    [...facts.keys()].filter((path) => BROWSER_ENTRIES.test(path)),
    facts,
  );
}

function layerBreaches(path: string, file: SourceFacts): string[] {
  const folder = folderOf(path);
  const rule = LAYERS[folder];
  if (rule === undefined) return [`${path} is in a folder that the map does not know: ${folder}`];
  const breaches = file.computedImports.map((what) => `${path} has ${what}`);
  for (const target of pathsOf(path, file)) {
    if (!target.startsWith("src/")) breaches.push(`${path} imports ${target}, outside src`);
    else if (folderOf(target) !== folder && !rule.folders.includes(folderOf(target))) {
      breaches.push(`${path} imports ${target}, but ${folder} must not know ${folderOf(target)}`);
    } else if (folderOf(target) !== folder && INDEXED_FOLDERS[folderOf(target)]?.test(target) === false) {
      breaches.push(`${path} imports ${target}, but ${folderOf(target)} is imported through its index only`);
    }
  }
  for (const name of packagesOf(file)) {
    if (rule.packages?.includes(name) === false) breaches.push(`${path} imports ${name}, which ${folder} must not`);
  }
  if (rule.pure) breaches.push(...file.clocks.map((clock) => `${path} uses ${clock}; take it as a parameter`));
  return breaches;
}

function dialectBreaches(path: string, facts: ReadonlyMap<string, SourceFacts>): string[] {
  const own = dialectOf(path);
  const file = facts.get(path);
  if (own === undefined || file === undefined) return [];
  const breaches: string[] = [];
  for (const target of pathsOf(path, file)) {
    const other = dialectOf(target);
    if (JOINERS.has(target)) breaches.push(`${path} imports ${target}, which joins dialects`);
    else if (other !== undefined && other !== own) {
      const members: readonly string[] | undefined = DIALECT_FAMILIES[other];
      if (members === undefined) breaches.push(`${path} imports ${target}, of another dialect`);
      else if (!members.includes(own))
        breaches.push(`${path} imports ${target}, of the family of ${members.join(", ")}`);
    } else if (other === undefined) {
      // A shared file must not be a back door to another dialect.
      const found = reachable([target], facts).find((it) => dialectOf(it) !== undefined);
      if (found !== undefined) breaches.push(`${path} reaches ${found} through ${target}`);
    }
  }
  return breaches;
}

function browserBreaches(facts: ReadonlyMap<string, SourceFacts>, packages: Packages): string[] {
  const entries = [...facts.keys()].filter((path) => BROWSER_ENTRIES.test(path));
  return reachable(entries, facts).flatMap((path) =>
    packagesOf(facts.get(path)).flatMap((name) => {
      if (isBuiltin(name)) return [`${path} imports ${name}, but a browser loads it`];
      const dependencies = packages.dependenciesOf(name);
      if (dependencies.length === 0) return [];
      return [`${path} imports ${name}, which brings ${dependencies.join(", ")} into what a browser loads`];
    }),
  );
}

function reachable(entries: string[], facts: ReadonlyMap<string, SourceFacts>): string[] {
  const seen = new Set(entries);
  for (const path of seen) {
    for (const target of pathsOf(path, facts.get(path))) seen.add(target);
  }
  return [...seen];
}

function pathsOf(path: string, file: SourceFacts | undefined): string[] {
  const relative = (file?.imports ?? []).filter((specifier) => /^[./]/.test(specifier));
  return relative.map((specifier) => posix.join(posix.dirname(path), specifier));
}

function packagesOf(file: SourceFacts | undefined): string[] {
  const bare = (file?.imports ?? []).filter((specifier) => !/^[./]/.test(specifier));
  return bare.map((name) => (isBuiltin(name) ? name : name.split("/", name.startsWith("@") ? 2 : 1).join("/")));
}

function folderOf(path: string): string {
  const [, folder, ...rest] = path.split("/");
  return folder === undefined || rest.length === 0 ? "." : folder;
}

function dialectOf(path: string): string | undefined {
  const folder = /^src\/dialects\/([^/]+)\/./.exec(path)?.[1];
  // The kit is shared by the dialects and is not one itself.
  return folder === "kit" ? undefined : folder;
}
