// Reads the files of the built page from the package once, with their compressed variants, and serves them from memory.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";

/** The same relative path from src/server/page and dist/server/page. */
const PAGE_FOLDER = new URL("../../../dist/page/", import.meta.url);

/** In order of preference. */
const ENCODINGS = { br: ".br", gzip: ".gz" } as const;
type PageEncoding = keyof typeof ENCODINGS;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
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
  encoded: ReadonlyMap<PageEncoding, Uint8Array>;
}

/** Files by path, such as "index.html" or "assets/index-1a2b.js". Empty if the page was never built. */
export type PageFiles = ReadonlyMap<string, PageFile>;

export async function readPageFiles(folder: URL = PAGE_FOLDER): Promise<PageFiles> {
  const paths = await listPaths(folder);
  const files = new Map<string, PageFile>();
  for (const path of paths) {
    const type = CONTENT_TYPES[posix.extname(path)];
    if (type === undefined) continue;
    const bytes = await readFile(new URL(path, folder));
    const encoded = new Map<PageEncoding, Uint8Array>();
    // The keys of the table are encodings.
    for (const [name, suffix] of Object.entries(ENCODINGS) as [PageEncoding, string][]) {
      if (paths.has(path + suffix)) encoded.set(name, await readFile(new URL(path + suffix, folder)));
    }
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    files.set(path, { type, etag, bytes, encoded });
  }
  return files;
}

async function listPaths(folder: URL): Promise<Set<string>> {
  try {
    const names = await readdir(folder, { recursive: true });
    return new Set(names.map((name) => name.replaceAll("\\", "/")));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Set();
    throw error;
  }
}

/** Returns the best encoding that the client accepts. */
export function chooseEncoding(
  file: PageFile,
  accepted: string | undefined,
): { encoding?: PageEncoding; bytes: Uint8Array } {
  const acceptedEncodings = parseAcceptEncoding(accepted ?? "");
  for (const [encoding, bytes] of file.encoded) if (acceptedEncodings.has(encoding)) return { encoding, bytes };
  return { bytes: file.bytes };
}

/** `q=0` excludes an encoding. */
function parseAcceptEncoding(header: string): Set<string> {
  const named = header.split(",").map((each) => each.trim().toLowerCase());
  return new Set(named.filter((each) => !/;\s*q=0(\.0*)?$/.test(each)).map((each) => each.replace(/\s*;.*$/, "")));
}
