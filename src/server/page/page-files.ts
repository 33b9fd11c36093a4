// Reads the files of the built page and their compressed variants into memory, and chooses the variant for a client.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";

/** The folder of the built page. The relative path is valid from src/server/page and from dist/server/page. */
const PAGE_FOLDER = new URL("../../../dist/page/", import.meta.url);

/** The file suffix of each content encoding, in order of preference. */
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

/** Files by path, such as "index.html" or "assets/index-1a2b.js". The map is empty if the page was not built. */
export type PageFiles = ReadonlyMap<string, PageFile>;

export async function readPageFiles(folder: URL = PAGE_FOLDER): Promise<PageFiles> {
  const paths = await listPaths(folder);
  const files = new Map<string, PageFile>();
  for (const path of paths) {
    const type = CONTENT_TYPES[posix.extname(path)];
    if (type === undefined) continue;
    const bytes = await readFile(new URL(path, folder));
    const encoded = new Map<PageEncoding, Uint8Array>();
    // The cast is safe: the keys of `ENCODINGS` are of type `PageEncoding`.
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

/** Returns the file's bytes in the preferred encoding that the client accepts; uncompressed if it accepts none. */
export function chooseEncoding(
  file: PageFile,
  accepted: string | undefined,
): { encoding?: PageEncoding; bytes: Uint8Array } {
  const acceptedEncodings = parseAcceptEncoding(accepted ?? "");
  for (const [encoding, bytes] of file.encoded) if (acceptedEncodings.has(encoding)) return { encoding, bytes };
  return { bytes: file.bytes };
}

/** Returns the encodings of an `accept-encoding` header, without encodings that `q=0` excludes. */
function parseAcceptEncoding(header: string): Set<string> {
  const named = header.split(",").map((each) => each.trim().toLowerCase());
  return new Set(named.filter((each) => !/;\s*q=0(\.0*)?$/.test(each)).map((each) => each.replace(/\s*;.*$/, "")));
}
