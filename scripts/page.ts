// Builds the page into dist/page: hashed files, each with its compressed twins, and a list of them. With `--if-stale` only
// where what it is made of has changed since. Prints what a browser downloads, and fails where the first view is too large.

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, defaultClientConditions, type Rolldown } from "vite";

/** kB (1000 bytes), gzipped: what is loaded before a view can be used. `home` is what everybody sees first. */
const LIMITS: Readonly<Record<string, number>> = { home: 150 };
/** Whoever goes straight to another view loads that with it; the inspector's and the translator's worker comes on top. */
const OTHER_VIEWS_KB = 200;

// What calls this may be of another mind, and React is made of two builds.
process.env["NODE_ENV"] = "production";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = join(root, "dist/page");
const stamp = join(out, ".made-of");

/** What the page is made of. */
function digestOfSources(): string {
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

interface Built {
  name: string;
  bytes: number;
  gzip: number;
  /** The views that load it before they can be used. */
  views: string[];
}

/** Builds beside the former page and takes its place at once: a server, or another build, may be at work. */
async function replacePage(): Promise<Built[]> {
  mkdirSync(join(root, "dist"), { recursive: true });
  const fresh = mkdtempSync(join(root, "dist/.page-"));
  try {
    const files = await buildPage(fresh);
    writeFileSync(join(fresh, ".made-of"), digest);
    takePlace(fresh);
    return files;
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
}

function takePlace(fresh: string): void {
  for (let tries = 0; ; tries++) {
    rmSync(out, { recursive: true, force: true });
    try {
      return renameSync(fresh, out);
    } catch (error) {
      // Another build has put its own there in between.
      if (tries === 5) throw error;
    }
  }
}

async function buildPage(folder: string): Promise<Built[]> {
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
  const views = viewsIn(outputs);
  return outputs.map(({ fileName }) => ({ ...compressed(folder, fileName), views: viewsWith(views, fileName) }));
}

/** The files of each view: those of the page itself, and, but for `home`, those of a chunk that is named after it. */
function viewsIn(outputs: readonly Output[]): Map<string, Set<string>> {
  const entry = outputs.find((each): each is Chunk => each.type === "chunk" && each.isEntry);
  if (entry === undefined) throw new Error("The build has no entry.");
  const home = closure(outputs, [entry.fileName]);
  const views = new Map([["home", home.add("index.html")]]);
  for (const file of entry.dynamicImports) {
    const name = /^assets\/(.+)-view-/.exec(file)?.[1];
    if (name !== undefined) views.set(name, closure(outputs, [file], home));
  }
  return views;
}

/** Files with all that they load at once. */
function closure(outputs: readonly Output[], files: readonly string[], known: Iterable<string> = []): Set<string> {
  const found = new Set([...known, ...files]);
  for (const file of found) {
    const chunk = outputs.find(({ fileName }) => fileName === file);
    if (chunk?.type !== "chunk") continue;
    for (const next of [...chunk.imports, ...(chunk.viteMetadata?.importedCss ?? [])]) found.add(next);
  }
  return found;
}

function viewsWith(views: ReadonlyMap<string, ReadonlySet<string>>, file: string): string[] {
  return [...views].flatMap(([name, files]) => (files.has(file) ? [name] : []));
}

/** Writes a file's compressed twins beside it. */
function compressed(folder: string, name: string): Omit<Built, "views"> {
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const gzip = gzipSync(bytes, { level: 9 });
  writeFileSync(`${path}.gz`, gzip);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  return { name, bytes: bytes.length, gzip: gzip.length };
}

/** Says whether every view is small enough. */
function report(files: readonly Built[]): boolean {
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

const digest = digestOfSources();
const ifStale = process.argv.includes("--if-stale");
if (ifStale && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) process.exit(0);
if (ifStale) console.log("Building the page, once ...");
const files = await replacePage();
if (!ifStale && !report(files)) process.exitCode = 1;
