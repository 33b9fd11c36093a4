// The code examples of the documents compile unchanged, run, and print the documented output.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const ROOT = new URL("../", import.meta.url);
const FOLDER = new URL("test/.generated/", ROOT);
const DOCUMENTS = ["README.md", "docs/add-a-dialect.md", "docs/client.md", "docs/agent.md"];

const blocks = DOCUMENTS.flatMap((document) =>
  [...readFileSync(new URL(document, ROOT), "utf8").matchAll(/```ts( compile)?\n(.*?)```/gs)].map(
    ([, mark, code = ""], index) => ({
      name: `${document} block ${index + 1}`,
      file: `${document.replaceAll(/\W/g, "-")}-${index + 1}.ts`,
      code,
      /** Some need a key or a server of the reader's own: those only compile. */
      runs: mark === undefined,
    }),
  ),
);

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  for (const { file, code } of blocks) writeFileSync(new URL(file, FOLDER), code);
  const config = { extends: "../../tsconfig.json", include: ["*.ts"], compilerOptions: { noUnusedLocals: false } };
  writeFileSync(new URL("tsconfig.json", FOLDER), JSON.stringify(config));
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

describe("the code in the documents", () => {
  test("is there", () => {
    expect(blocks.length).toBeGreaterThanOrEqual(5);
  });

  test("compiles under the strictest settings", () => {
    const tsc = new URL("node_modules/typescript/bin/tsc", ROOT).pathname;
    const run = (): string =>
      execFileSync(process.execPath, [tsc, "-p", new URL("tsconfig.json", FOLDER).pathname], { encoding: "utf8" });
    expect(run()).toBe("");
  });

  test.each(blocks.filter(({ runs }) => runs))(
    "$name runs and prints what its comments say",
    async ({ file, code }) => {
      const printed: string[] = [];
      const log = vi.spyOn(console, "log").mockImplementation((value: unknown) => {
        printed.push(typeof value === "string" ? value : JSON.stringify(value));
      });
      // Answers that are printed as they arrive.
      const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
      await import(new URL(file, FOLDER).href);
      write.mockRestore();
      log.mockRestore();
      // A comment behind console.log(…) that quotes the output: `// true`, `// {"id":…`, `// ["HELLO"]`.
      for (const [, quoted = ""] of code.matchAll(/console\.log\(.*\); \/\/ ((?:true|\[?\{?"|DialectError).*)$/gm)) {
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
