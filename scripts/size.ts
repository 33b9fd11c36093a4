// Measures the size of the browser bundles, built from source. Fails if a bundle exceeds its budget or needs a Node
// module.

import { existsSync, globSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type BuildFailure } from "esbuild";

/** The size budgets of minified and gzipped bundles, in kB (1000 bytes). */
const BUDGETS = { root: 45, providers: 30, dialect: 12 };
/** The maximum sizes in kB of bundles that are allowed to exceed their budget; see docs/decisions/0007. */
const CEILINGS: Readonly<Record<string, number>> = {
  root: 215,
  providers: 149,
  anthropic: 53,
  gemini: 61,
  "openai-chat": 63,
  "openai-responses": 60,
  bedrock: 54,
  "ai-sdk-ui": 41,
  "ai-sdk-model": 39.5,
  canonical: 16.5,
  tagged: 16.5,
  flat: 17.8,
  run: 16.8,
};
const PROVIDERS = ["openai-chat", "openai-responses", "anthropic", "gemini"];
/** The modules that an app with selected dialects imports in addition to the dialects. */
const CORE = ["model", "sse", "assembly"];

interface Bundle {
  name: string;
  modules: string[];
  budget: number;
  ceiling?: number;
}

type Row = [name: string, min: string, gzip: string, budget: string, verdict: string];

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const dialectModule = (name: string): string => `./src/dialects/${name}/index.ts`;
const dialects = globSync("src/dialects/*/index.ts")
  .map((path) => basename(dirname(path)))
  .sort();
const core = CORE.map((folder) => `./src/${folder}/index.ts`).filter((path) => existsSync(path));

const bundles: Bundle[] = [
  {
    name: "koine, all dialects",
    modules: ["./src/index.ts"],
    budget: BUDGETS.root,
    ceiling: CEILINGS["root"] ?? BUDGETS.root,
  },
  {
    name: "koine, four providers",
    modules: [...core, ...PROVIDERS.map(dialectModule)],
    budget: BUDGETS.providers,
    ceiling: CEILINGS["providers"] ?? BUDGETS.providers,
  },
  // The client contains five dialects; its own code may add at most 20 % to their size.
  { name: "koine/client", modules: ["./src/client/index.ts"], budget: 220 },
  ...dialects.map((name) => ({
    name: `koine/dialects/${name}`,
    modules: [dialectModule(name)],
    budget: BUDGETS.dialect,
    ceiling: CEILINGS[name] ?? BUDGETS.dialect,
  })),
];

async function measure({ name, modules, budget, ceiling = budget }: Bundle): Promise<{ row: Row; ok: boolean }> {
  const missing = modules.filter((path) => !existsSync(path));
  if (missing.length > 0) return { row: [name, "", "", `${budget}`, `missing: ${missing.join(", ")}`], ok: true };
  // Namespace exports are used, because with `export *` equal names of two dialects would be left out of the bundle.
  const entry = modules.map((path, i) => `export * as m${i} from ${JSON.stringify(path)};`).join("\n");
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: modules.length === 1 ? `export * from ${JSON.stringify(modules[0])};` : entry,
        resolveDir: ".",
      },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      conditions: ["koine-source"],
      write: false,
      logLevel: "silent",
    });
    const code = outputFiles[0]?.contents ?? new Uint8Array();
    const gzip = gzipSync(code, { level: 9 }).length / 1000;
    const verdict = gzip <= budget ? "ok" : gzip <= ceiling ? `OVER BUDGET, held at ${ceiling}` : "TOO LARGE";
    const row: Row = [name, (code.length / 1000).toFixed(1), gzip.toFixed(2), `${budget}`, verdict];
    return { row, ok: gzip <= ceiling };
  } catch (error) {
    // esbuild rejects with a BuildFailure, for example for an unresolved `node:` module.
    const messages = (error as Partial<BuildFailure>).errors?.map(({ text, location }) => `${location?.file}: ${text}`);
    return { row: [name, "", "", `${budget}`, `DOES NOT BUNDLE: ${messages?.join("; ") ?? String(error)}`], ok: false };
  }
}

const results = await Promise.all(bundles.map(measure));
const rows: Row[] = [["bundle", "min kB", "min+gzip kB", "budget kB", ""], ...results.map(({ row }) => row)];
const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, min, gzip, budget, verdict] of rows) {
  console.log(
    `${name.padEnd(width)} ${min.padStart(8)} ${gzip.padStart(12)} ${budget.padStart(10)}  ${verdict}`.trimEnd(),
  );
}
if (results.every(({ row: [, min] }) => min === "")) {
  console.log("Nothing was measured.");
  process.exitCode = 1;
}
if (results.some(({ ok }) => !ok)) process.exitCode = 1;
