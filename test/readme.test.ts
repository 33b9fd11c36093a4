// The code examples of the documents and of JSDoc comments compile unchanged, run, and print the documented output.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { examplesOf, exportedNames } from "../scripts/readability/entries.ts";
import { listExamples } from "../scripts/readability/examples.ts";
import { readSourceFile } from "../scripts/readability/sources.ts";
import { FIRST_NAMES } from "./support/first-names.ts";

const ROOT = new URL("../", import.meta.url);
const FOLDER = new URL("test/.generated/", ROOT);
const DOCUMENTS = ["README.md", "docs/add-a-dialect.md", "docs/client.md", "docs/agent.md"];

interface CodeBlock {
  name: string;
  file: string;
  code: string;
  /** Some need a key or a server of the reader's own: those only compile. */
  runs: boolean;
}

const documentBlocks: CodeBlock[] = DOCUMENTS.flatMap((document) =>
  [...readFileSync(new URL(document, ROOT), "utf8").matchAll(/```ts( compile)?\n(.*?)```/gs)].map(
    ([, mark, code = ""], index) => ({
      name: `${document} block ${index + 1}`,
      file: `${document.replaceAll(/\W/g, "-")}-${index + 1}.ts`,
      code,
      runs: mark === undefined,
    }),
  ),
);

const commentBlocks: CodeBlock[] = globSync("src/**/*.ts")
  .toSorted()
  .flatMap((path) =>
    listExamples(readSourceFile(".", path)).map(({ code, runs, line }, index) => ({
      name: `${path}:${line}`,
      file: `${path.replaceAll(/\W/g, "-")}-${index + 1}.ts`,
      code,
      runs,
    })),
  );

const blocks = [...documentBlocks, ...commentBlocks];

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  for (const { file, code } of blocks) writeFileSync(new URL(file, FOLDER), code);
  const config = { extends: "../../tsconfig.json", include: ["*.ts"], compilerOptions: { noUnusedLocals: false } };
  writeFileSync(new URL("tsconfig.json", FOLDER), JSON.stringify(config));
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Runs a block and returns its output. */
async function run({ file }: CodeBlock): Promise<string[]> {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((value: unknown) => {
    printed.push(typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"));
  });
  // Answers that are printed as they arrive.
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await import(new URL(file, FOLDER).href);
  } finally {
    write.mockRestore();
    log.mockRestore();
  }
  return printed;
}

test("all code of documents and JSDoc comments compiles under the strictest settings", () => {
  const tsc = new URL("node_modules/typescript/bin/tsc", ROOT).pathname;
  const args = [tsc, "-p", new URL("tsconfig.json", FOLDER).pathname];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([stdout, status]).toStrictEqual(["", 0]);
});

describe("the code in the documents", () => {
  test("is there", () => {
    expect(documentBlocks.length).toBeGreaterThanOrEqual(5);
  });

  test.each(documentBlocks.filter(({ runs }) => runs))(
    "$name runs and prints the output in its comments",
    async (block) => {
      const printed = await run(block);
      // A comment behind console.log(…) that quotes the output: `// true`, `// {"id":…`, `// ["HELLO"]`.
      for (const [, quoted = ""] of block.code.matchAll(
        /console\.log\(.*\); \/\/ ((?:true|\[?\{?"|DialectError).*)$/gm,
      )) {
        const expected = quoted.replace(/: every digit$/, "");
        expect(printed).toContain(expected);
      }
    },
  );

  test("shows the two commands that a newcomer needs", () => {
    const readme = readFileSync(new URL("README.md", ROOT), "utf8");
    const first = readme.split("\n").slice(0, 25).join("\n");
    expect(first).toContain("npm ci && npm start");
    expect(first).toContain("npm ci && npm test");
  });
});

describe("the examples in JSDoc comments", () => {
  const entries = exportedNames(".");
  const firstNames = Object.entries(FIRST_NAMES).flatMap(([entry, names]) =>
    names.map((name) => [entry, name] as const),
  );

  test("exist for forty names", () => {
    expect(new Set(firstNames.map((each) => each.join(" "))).size).toBe(40);
  });

  test.each(firstNames)("%s: %s has an example that runs and uses it", (entry, name) => {
    const [typeName, member] = name.split(".");
    const exported = entries.get(entry.replace("koine", "."))?.find((each) => each.name === typeName);
    const declarations = member === undefined ? exported?.declarations : exported?.members.get(member);
    const example = examplesOf({ declarations: declarations ?? [] }).find(({ runs }) => runs);
    expect(example?.code).toContain(` from "${entry}";`);
    expect(example?.code).toMatch(member === undefined ? new RegExp(`\\b${name}\\b`) : new RegExp(`\\.${member}\\(`));
    expect(example?.code).toContain("console.log(");
  });

  test.each(commentBlocks.filter(({ runs }) => runs))("$name runs and prints exactly its comments", async (block) => {
    const expected = [...block.code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output);
    expect(await run(block)).toStrictEqual(expected);
  });
});
