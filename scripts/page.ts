// Builds the page into dist/page: hashed files, each with its compressed twins, and a list of them. With `--if-stale` only
// where what it is made of has changed since. Prints what a browser downloads, and fails where the first view is too large.

import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, defaultClientConditions } from "vite";

/** kB (1000 bytes), gzipped: what is loaded before the first view can be used. */
const FIRST_VIEW_KB = 150;

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

interface Built {
  name: string;
  bytes: number;
  gzip: number;
  /** Loaded with the page itself. */
  first: boolean;
}

/** Builds beside the former page and takes its place at once: a server, or another build, may be at work. */
async function replacePage(): Promise<Built[]> {
  mkdirSync(join(root, "dist"), { recursive: true });
  const fresh = mkdtempSync(join(root, "dist/.page-"));
  try {
    const files = await buildPage(fresh);
    writeFileSync(join(fresh, ".made-of"), digest);
    rmSync(out, { recursive: true, force: true });
    renameSync(fresh, out);
    return files;
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
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
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((each) => ("output" in each ? each.output : []));
  const first = new Set(["index.html"]);
  const follow = (name: string): void => {
    const chunk = outputs.find(({ fileName }) => fileName === name);
    if (first.has(name) || chunk === undefined) return;
    first.add(name);
    if (chunk.type !== "chunk") return;
    for (const next of [...chunk.imports, ...(chunk.viteMetadata?.importedCss ?? [])]) follow(next);
  };
  for (const chunk of outputs) if (chunk.type === "chunk" && chunk.isEntry) follow(chunk.fileName);
  return outputs.map(({ fileName }) => compressed(folder, fileName, first.has(fileName)));
}

/** Writes a file's compressed twins beside it. */
function compressed(folder: string, name: string, first: boolean): Built {
  const path = join(folder, name);
  const bytes = readFileSync(path);
  const gzip = gzipSync(bytes, { level: 9 });
  writeFileSync(`${path}.gz`, gzip);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  return { name, bytes: bytes.length, gzip: gzip.length, first };
}

function report(files: readonly Built[]): boolean {
  const kB = (bytes: number): string => (bytes / 1000).toFixed(1).padStart(8);
  console.log("page                                              kB     gzip");
  for (const { name, bytes, gzip, first } of files.toSorted((a, b) => b.gzip - a.gzip)) {
    console.log(`${first ? "*" : " "} ${name.padEnd(44)} ${kB(bytes)} ${kB(gzip)}`);
  }
  const total = files.reduce((sum, { gzip, first }) => sum + (first ? gzip : 0), 0) / 1000;
  const fits = total <= FIRST_VIEW_KB;
  console.log(`* first view: ${total.toFixed(1)} kB gzipped of ${FIRST_VIEW_KB}: ${fits ? "ok" : "TOO LARGE"}`);
  return fits;
}

const digest = digestOfSources();
if (process.argv.includes("--if-stale") && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) process.exit(0);
if (!report(await replacePage())) process.exitCode = 1;
