// Run by vitest before the workers: the page that the tests open is the one of these sources.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function setup(): void {
  const script = fileURLToPath(new URL("../../../scripts/page.ts", import.meta.url));
  execFileSync(process.execPath, [script, "--if-stale"], { stdio: ["ignore", "inherit", "inherit"] });
}
