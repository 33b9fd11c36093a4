// Runs axe on a page in both color schemes and returns the serious findings.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SERIOUS = new Set<string | null | undefined>(["serious", "critical"]);

/** Returns one line per finding. Leaves the page in the dark scheme. */
export async function listSeriousFindings(page: Page): Promise<string[]> {
  // Evaluated through the browser's debugger: the page's policy blocks injected scripts.
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  const findings: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // Defined by the script above.
    const results = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
    );
    if (results.passes.length < 5) throw new Error("axe has looked at nothing.");
    const serious = results.violations.filter(({ impact }) => SERIOUS.has(impact));
    for (const { id, help, nodes } of serious) {
      findings.push(...nodes.map(({ target }) => `${colorScheme}: ${id}: ${help} (${target.join(" ")})`));
    }
  }
  return findings;
}
