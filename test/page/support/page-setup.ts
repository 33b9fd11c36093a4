// Global setup of vitest: builds the page from the current sources.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function setup(): void {
  const script = fileURLToPath(new URL("../../../scripts/page.ts", import.meta.url));
  execFileSync(process.execPath, [script, "--if-stale"], { stdio: ["ignore", "inherit", "inherit"] });
}
