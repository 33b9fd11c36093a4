// The files of the built page, as they lie in the package. Each is read once, with the twins that were compressed when it
// was built, and is then served from memory.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";

/** From src/server/page and from dist/server/page alike. */
const FOLDER = new URL("../../../dist/page/", import.meta.url);

/** Better ones first. */
const ENCODINGS = { br: ".br", gzip: ".gz" } as const;
type Encoding = keyof typeof ENCODINGS;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

export interface PageFile {
  type: string;
  etag: string;
  bytes: Uint8Array;
  encoded: ReadonlyMap<Encoding, Uint8Array>;
}

/** By path under the page's folder: "index.html", "assets/index-1a2b.js". Empty where the page was never built. */
export type PageFiles = ReadonlyMap<string, PageFile>;

export async function readPageFiles(folder: URL = FOLDER): Promise<PageFiles> {
  const paths = await pathsIn(folder);
  const files = new Map<string, PageFile>();
  for (const path of paths) {
    const type = TYPES[posix.extname(path)];
    if (type === undefined) continue;
    const bytes = await readFile(new URL(path, folder));
    const encoded = new Map<Encoding, Uint8Array>();
    // The keys are the table's own.
    for (const [name, suffix] of Object.entries(ENCODINGS) as [Encoding, string][]) {
      if (paths.has(path + suffix)) encoded.set(name, await readFile(new URL(path + suffix, folder)));
    }
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    files.set(path, { type, etag, bytes, encoded });
  }
  return files;
}

async function pathsIn(folder: URL): Promise<Set<string>> {
  try {
    const names = await readdir(folder, { recursive: true });
    return new Set(names.map((name) => name.replaceAll("\\", "/")));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Set();
    throw error;
  }
}

/** The best form of a file that the client takes. */
export function chooseForm(file: PageFile, accepted: string | undefined): { encoding?: Encoding; bytes: Uint8Array } {
  const wanted = acceptedIn(accepted ?? "");
  for (const [encoding, bytes] of file.encoded) if (wanted.has(encoding)) return { encoding, bytes };
  return { bytes: file.bytes };
}

/** `q=0` refuses. */
function acceptedIn(header: string): Set<string> {
  const named = header.split(",").map((each) => each.trim().toLowerCase());
  return new Set(named.filter((each) => !/;\s*q=0(\.0*)?$/.test(each)).map((each) => each.replace(/\s*;.*$/, "")));
}
