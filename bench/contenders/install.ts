// Installs the compared libraries, which have their own lock file, and loads them. The project does not depend on these
// libraries: for a library that cannot be installed, the table contains the reason.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The folder with the package.json of the libraries that most benchmarks use. */
const BENCH = fileURLToPath(new URL("..", import.meta.url));
const MINUTES = 5;

type Versions = Record<string, string>;

function readManifest(path: string): { version?: string; dependencies?: Versions } {
  // The cast is safe, because the file is a valid package.json.
  return JSON.parse(readFileSync(path, "utf8")) as { version?: string; dependencies?: Versions };
}

function isInstalled(folder: string, name: string, version: string): boolean {
  const manifest = `${folder}node_modules/${name}/package.json`;
  return existsSync(manifest) && readManifest(manifest).version === version;
}

/** Installs the libraries of a folder, unless they are installed. Returns the reason of a failure, or undefined. */
export function installPeers(folder: string): string | undefined {
  const wanted = Object.entries(readManifest(`${folder}package.json`).dependencies ?? {});
  if (wanted.every(([name, version]) => isInstalled(folder, name, version))) return undefined;
  console.error("Installing the peers to compare with …");
  const run = spawnSync("npm ci --loglevel=error", {
    shell: true,
    cwd: folder,
    encoding: "utf8",
    timeout: MINUTES * 60_000,
  });
  if (run.status === 0) return undefined;
  const errorLine = run.stderr.split("\n").find((line) => line.trim() !== "");
  return `not installed: ${run.error?.message ?? errorLine ?? `npm ci ended with ${run.status ?? run.signal}`}`;
}

const failures = new Map<string, string | undefined>();

export type Loaded<Api> = { api: Api } | { missing: string };

/**
 * Loads a library and checks that it exports the functions. `folder` contains the package.json and the lock file.
 * Returns the reason as `missing` if the library cannot be used.
 */
export async function loadPeer<Api extends object>(
  name: string,
  functions: readonly (keyof Api & string)[],
  folder: string = BENCH,
): Promise<Loaded<Api>> {
  if (!failures.has(folder)) failures.set(folder, installPeers(folder));
  const failure = failures.get(folder);
  if (failure !== undefined) return { missing: failure };
  try {
    const path = createRequire(`${folder}package.json`).resolve(name);
    // The cast is safe, because any module is an object of unknown exports.
    const exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
    const lacking = functions.find((name) => typeof exports[name] !== "function");
    if (lacking !== undefined) return { missing: `not usable: it has no function ${lacking}` };
    const { version = "?" } = readManifest(`${folder}node_modules/${name}/package.json`);
    console.log(`Beside Koine: ${name} ${version}`);
    // The functions exist; the caller declares their types in `Api`.
    return { api: exports as Api };
  } catch (error) {
    return { missing: `not loaded: ${error instanceof Error ? error.message : String(error)}` };
  }
}
