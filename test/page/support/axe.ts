// What axe finds in a page: whatever is grave enough to keep somebody from using it, in both colour schemes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SERIOUS = new Set<string | null | undefined>(["serious", "critical"]);

/** One line each. Leaves the page in the dark. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Given by the browser's own tools: the page's policy lets no foreign script in.
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // It is there by the line above.
    const results = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
    );
    if (results.passes.length < 5) throw new Error("axe has looked at nothing.");
    const serious = results.violations.filter(({ impact }) => SERIOUS.has(impact));
    for (const { id, help, nodes } of serious) {
      found.push(...nodes.map(({ target }) => `${colorScheme}: ${id}: ${help} (${target.join(" ")})`));
    }
  }
  return found;
}
