// Reads recorded payloads, which are third-party data and not part of this repository.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DialectName, Kind } from "../wire/wire.ts";

const FOLDER = process.env["KOINE_CORPUS"] ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url));

export interface Recording {
  path: string;
  text: string;
}

interface ManifestRow {
  path: string;
  dialect: string;
  kind: string;
  /** True if the provider rejected the request. */
  rejected?: unknown;
  /** True if the payload was written by hand, not recorded. */
  handWritten?: unknown;
}

export type Corpus = (dialect: DialectName, kind: Kind) => Recording[];

/** Opens the recordings of real providers; undefined if the folder has no manifest. */
export function openCorpus(): Corpus | undefined {
  const manifest = `${FOLDER}/manifest.json`;
  if (!existsSync(manifest)) return undefined;
  // The cast is safe, because the corpus documents the fields of its manifest.
  const rows = JSON.parse(readFileSync(manifest, "utf8")) as ManifestRow[];
  const real = rows.filter((row) => row.rejected === undefined && row.handWritten === undefined);
  return (dialect, kind) =>
    real
      .filter((row) => row.dialect === dialect && row.kind === kind)
      .map(({ path }) => ({ path, text: readFileSync(`${FOLDER}/${path}`, "utf8") }));
}
