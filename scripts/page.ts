// Builds the page into dist/page: hashed files with compressed copies. With `--if-stale`, builds only if the sources
// have changed. Prints the download size of each view, and fails if a view is too large.

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, defaultClientConditions, type Rolldown } from "vite";

/** The maximum download of a view before it can be used, in gzipped kB (1000 bytes). `home` is the first view. */
const LIMITS: Readonly<Record<string, number>> = { home: 150 };
/**
 * The limit of the other views, including the files of `home`; the worker of inspector and translator is not counted.
 */
const OTHER_VIEWS_KB = 200;

// NODE_ENV selects React's production build, even if the caller has set another value.
process.env["NODE_ENV"] = "production";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist/page");
const stamp = join(out, ".made-of");

/** Returns a hash of all sources of the page. */
function hashSources(): string {
  const hash = createHash("sha256");
  const files = globSync(["ui/**/*", "src/{model,sse,assembly,dialects}/**/*.ts", "src/index.ts"], { cwd: root });
  for (const file of [...files, "package-lock.json", "scripts/page.ts"].sort()) {
    if (!/\.[a-z]+$/.test(file)) continue;
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

type Output = Rolldown.RolldownOutput["output"][number];
type Chunk = Rolldown.OutputChunk;

interface BuiltFile {
  name: string;
  bytes: number;
  gzip: number;
  /** The views that load the file before they can be used. */
  views: string[];
}

/** Builds into a temporary folder, which then replaces dist/page at once, because a server may use the old files. */
async function replacePage(): Promise<BuiltFile[]> {
  mkdirSync(join(root, "dist"), { recursive: true });
  const newFolder = mkdtempSync(join(root, "dist/.page-"));
  try {
    const files = await buildPage(newFolder);
    writeFileSync(join(newFolder, ".made-of"), digest);
    replaceOutput(newFolder);
    return files;
  } catch (error) {
    rmSync(newFolder, { recursive: true, force: true });
    throw error;
  }
}

function replaceOutput(newFolder: string): void {
  for (let tries = 0; ; tries++) {
    rmSync(out, { recursive: true, force: true });
    try {
      return renameSync(newFolder, out);
    } catch (error) {
      // Another build has created the folder in the meantime.
      if (tries === 5) throw error;
    }
  }
}

async function buildPage(folder: string): Promise<BuiltFile[]> {
  const result = await build({
    root: join(root, "ui"),
    configFile: false,
    logLevel: "warn",
    base: "/",
    resolve: { conditions: ["koine-source", ...defaultClientConditions] },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2023",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((each) => ("output" in each ? each.output : []));
  const views = collectViewFiles(outputs);
  return outputs.map(({ fileName }) => ({
    ...compressFile(folder, fileName),
    views: listViewsWithFile(views, fileName),
  }));
}

/** Returns the files of each view: the files of `home` and, for other views, the files of the chunk with their name. */
function collectViewFiles(outputs: readonly Output[]): Map<string, Set<string>> {
  const entry = outputs.find((each): each is Chunk => each.type === "chunk" && each.isEntry);
  if (entry === undefined) throw new Error("The build has no entry.");
  const home = collectImports(outputs, [entry.fileName]);
  const views = new Map([["home", home.add("index.html")]]);
  for (const file of entry.dynamicImports) {
    const name = /^assets\/(.+)-view-/.exec(file)?.[1];
    if (name !== undefined) views.set(name, collectImports(outputs, [file], home));
  }
  return views;
}

/** Returns the files and all files that they import statically. */
function collectImports(
  outputs: readonly Output[],
  files: readonly string[],
  known: Iterable<string> = [],
): Set<string> {
  const collected = new Set([...known, ...files]);
  for (const file of collected) {
    const chunk = outputs.find(({ fileName }) => fileName === file);
    if (chunk?.type !== "chunk") continue;
    for (const next of [...chunk.imports, ...(chunk.viteMetadata?.importedCss ?? [])]) collected.add(next);
  }
  return collected;
}

function listViewsWithFile(views: ReadonlyMap<string, ReadonlySet<string>>, file: string): string[] {
  return [...views].flatMap(([name, files]) => (files.has(file) ? [name] : []));
}

/** Writes the gzip and brotli copies of a file. */
function compressFile(folder: string, name: string): Omit<BuiltFile, "views"> {
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const gzip = gzipSync(bytes, { level: 9 });
  writeFileSync(`${path}.gz`, gzip);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  return { name, bytes: bytes.length, gzip: gzip.length };
}

/** Prints the sizes; returns true if every view is within its limit. */
function reportSizes(files: readonly BuiltFile[]): boolean {
  const kB = (bytes: number): string => (bytes / 1000).toFixed(1).padStart(8);
  const line = (name: string, ...rest: string[]): void => console.log([name.padEnd(44), ...rest].join(" "));
  line("file", "      kB", "    gzip");
  for (const { name, bytes, gzip } of files.toSorted((a, b) => b.gzip - a.gzip)) line(name, kB(bytes), kB(gzip));
  line("\nview, before it can be used", "         ", "    gzip");
  const names = new Set(files.flatMap(({ views }) => views));
  const small = [...names].map((view) => {
    const total = files.reduce((sum, { gzip, views }) => sum + (views.includes(view) ? gzip : 0), 0);
    const limit = LIMITS[view] ?? OTHER_VIEWS_KB;
    const fits = total <= limit * 1000;
    line(view, "        ", kB(total), ` of ${limit}: ${fits ? "ok" : "TOO LARGE"}`);
    return fits;
  });
  return small.length > 1 && small.every(Boolean);
}

const digest = hashSources();
const ifStale = process.argv.includes("--if-stale");
if (ifStale && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) process.exit(0);
if (ifStale) console.log("Building the page, once ...");
const files = await replacePage();
if (!ifStale && !reportSizes(files)) process.exitCode = 1;
