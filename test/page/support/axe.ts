// Runs axe on a page in both color schemes and returns the serious findings.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Passed checks need only their count, so axe does not describe their elements.
const ALL_RULES: RunOptions = { resultTypes: ["violations"] };
/** All default rules of axe that compute colors. */
const COLOR_RULES: RunOptions = {
  ...ALL_RULES,
  runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

interface AxeRun {
  passCount: number;
  /** One line per finding. */
  findings: string[];
  html: string;
}

/** Returns one line per finding. Leaves the page in the dark scheme. */
export async function listSeriousFindings(page: Page): Promise<string[]> {
  // Evaluated through the browser's debugger: the page's policy blocks injected scripts.
  await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await runAxe(page, ALL_RULES);
  if (light.passCount < 5) throw new Error("axe has looked at nothing.");
  await page.emulateMedia({ colorScheme: "dark" });
  let dark = await runAxe(page, COLOR_RULES);
  if (dark.passCount === 0 && dark.findings.length === 0) throw new Error("axe has looked at no color.");
  // The other rules depend on the elements only, which are the same in both schemes.
  if (dark.html !== light.html) dark = await runAxe(page, ALL_RULES);
  return [
    ...light.findings.map((finding) => `light: ${finding}`),
    ...dark.findings.map((finding) => `dark: ${finding}`),
  ];
}

/** The results are reduced inside the page: the transfer of all of them takes longer than the rules. */
function runAxe(page: Page, options: RunOptions): Promise<AxeRun> {
  return page.evaluate(async (runOptions) => {
    // Defined by the script that `listSeriousFindings` evaluates.
    const { axe } = globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    const { passes, violations } = await axe.run(runOptions);
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    return {
      passCount: passes.length,
      findings: serious.flatMap(({ id, help, nodes }) =>
        nodes.map(({ target }) => `${id}: ${help} (${target.join(" ")})`),
      ),
      html: document.documentElement.outerHTML,
    };
  }, options);
}
