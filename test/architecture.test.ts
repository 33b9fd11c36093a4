// Checks the import rules of the package, the modules that a browser loads, and the files that read clocks.

import { existsSync, globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { browserFiles, findBreaches, type Packages } from "./architecture/rules.ts";

type Manifest = Partial<
  Record<"dependencies" | "peerDependencies" | "optionalDependencies", Record<string, string>> & {
    imports: Record<string, { "koine-source": { node: string; default: string } }>;
  }
>;

// A package.json is JSON of this shape by npm's own rules.
const manifest = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8")) as Manifest;
const names = (it: Manifest): string[] =>
  Object.keys({ ...it.dependencies, ...it.peerDependencies, ...it.optionalDependencies });

const installed: Packages = {
  shipped: new Set(names(manifest("package.json"))),
  dependenciesOf: (name) => names(manifest(`node_modules/${name}/package.json`)),
  aliases: Object.fromEntries(
    Object.entries(manifest("package.json").imports ?? {}).map(([name, { "koine-source": source }]) => [
      name,
      { node: posix.normalize(source.node), default: posix.normalize(source.default) },
    ]),
  ),
};

const paths = globSync("src/**/*.{ts,tsx,mts,cts,js,mjs,cjs}").map((path) => path.replaceAll("\\", "/"));
const tree = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));

describe("the source", () => {
  test("was looked at", () => {
    expect(paths).toContain("src/model/errors.ts");
    expect(paths).toContain("src/sse/parse.ts");
    expect(browserFiles(tree, installed).includes("src/index.ts")).toBe(existsSync("src/index.ts"));
  });

  test("keeps the rules", () => {
    expect(findBreaches(tree, installed)).toStrictEqual([]);
  });
});

const madeUp: Packages = {
  shipped: new Set(["small", "large", "@scope/small", "eventsource-parser"]),
  dependenciesOf: (name) => (name === "large" ? ["more"] : []),
  aliases: { "#wire": { node: "src/client/node.ts", default: "src/client/web.ts" } },
};
const breachesOf = (files: Record<string, string>): string[] => findBreaches(new Map(Object.entries(files)), madeUp);

const bad: [sentence: string, files: Record<string, string>, breach: string][] = [
  ["model imports a folder", { "src/model/a.ts": 'import "../sse/index.ts";' }, "model must not know sse"],
  ["model imports a package", { "src/model/a.ts": 'import "small";' }, "which model must not"],
  ["model imports Node", { "src/model/a.ts": 'import "node:fs";' }, "which model must not"],
  ["sse looks right", { "src/sse/a.ts": 'import "../assembly/a.ts";' }, "sse must not know assembly"],
  ["assembly looks right", { "src/assembly/a.ts": 'import "../dialects/dialect.ts";' }, "must not know dialects"],
  ["dialects look right", { "src/dialects/a.ts": 'import "../client/a.ts";' }, "must not know client"],
  ["dialects know the ledger", { "src/dialects/x/a.ts": 'import "../../ledger/a.ts";' }, "must not know ledger"],
  ["the ledger knows dialects", { "src/ledger/a.ts": 'import "../dialects/dialect.ts";' }, "must not know dialects"],
  ["calls import the client", { "src/calls/a.ts": 'import "../client/index.ts";' }, "calls must not know client"],
  ["dialects import calls", { "src/dialects/a.ts": 'import "../calls/index.ts";' }, "must not know calls"],
  [
    "a folder imports a file of calls that is not its index",
    { "src/server/a.ts": 'import "../calls/stream.ts";' },
    "src/calls/stream.ts, but calls is imported through its index only",
  ],
  ["the client knows the ledger", { "src/client/a.ts": 'import "../ledger/a.ts";' }, "must not know ledger"],
  ["the agent looks right", { "src/agent/a.ts": 'import "../server/a.ts";' }, "must not know server"],
  ["the server looks right", { "src/server/a.ts": 'import "../cli/a.ts";' }, "must not know cli"],
  ["the root imports too much", { "src/index.ts": 'export * from "./client/index.ts";' }, "must not know client"],
  ["a folder the map does not know", { "src/utils/a.ts": "export {};" }, "the map does not know: utils"],
  ["src imports a test", { "src/cli/a.ts": 'import "../../test/x.ts";' }, "test/x.ts, outside src"],
  ["src imports the testkit", { "src/cli/a.ts": 'import "../testkit/index.ts";' }, "must not know testkit"],
  ["src imports itself by name", { "src/cli/a.ts": 'import "koine";' }, "users of the package would not have"],
  ["a development package", { "src/client/a.ts": 'import "vitest";' }, "users of the package would not have"],
  ["a dialect imports another", { "src/dialects/x/a.ts": 'import "../y/a.ts";' }, "of another dialect"],
  [
    "a dialect imports a family that it is no member of",
    { "src/dialects/openai-chat/a.ts": 'import "../blocks/a.ts";' },
    "of the family of anthropic, bedrock",
  ],
  ["a family imports a member", { "src/dialects/openai/a.ts": 'import "../openai-chat/a.ts";' }, "of another dialect"],
  ["a family imports a family", { "src/dialects/ai-sdk/a.ts": 'import "../openai/a.ts";' }, "of the family of openai"],
  [
    "a member imports the other member of its family",
    { "src/dialects/openai-chat/a.ts": 'import "../openai-responses/a.ts";' },
    "of another dialect",
  ],
  [
    "the kit imports a family",
    { "src/dialects/x/a.ts": 'import "../kit/a.ts";', "src/dialects/kit/a.ts": 'import "../openai/a.ts";' },
    "src/dialects/x/a.ts reaches src/dialects/openai/a.ts through src/dialects/kit/a.ts",
  ],
  ["a dialect imports the registry", { "src/dialects/x/a.ts": 'import "../registry.ts";' }, "joins dialects"],
  ["a dialect imports translate", { "src/dialects/x/a.ts": 'import "../translate.ts";' }, "joins dialects"],
  [
    "a dialect reaches another through a shared file",
    { "src/dialects/x/a.ts": 'import "../b.ts";', "src/dialects/b.ts": 'import "./y/a.ts";' },
    "src/dialects/x/a.ts reaches src/dialects/y/a.ts through src/dialects/b.ts",
  ],
  [
    "the root reaches Node",
    { "src/index.ts": 'export * from "./model/a.ts";', "src/model/a.ts": 'import "fs";' },
    "src/model/a.ts imports fs, but a browser loads it",
  ],
  ["a dialect's own import reaches Node", { "src/dialects/x/index.ts": 'import "node:fs";' }, "a browser loads it"],
  [
    "the root reaches a package with dependencies",
    { "src/index.ts": 'import "large";' },
    "brings more into what a browser loads",
  ],
  [
    "the client's web half reaches Node",
    { "src/client/index.ts": 'import "#wire";', "src/client/web.ts": 'import "node:net";' },
    "src/client/web.ts imports node:net, but a browser loads it",
  ],
  [
    "a name of the package's own leads right",
    { "src/sse/a.ts": 'import "#wire";' },
    "src/sse/a.ts imports src/client/node.ts, but sse must not know client",
  ],
  ["a name that stands for nothing", { "src/client/a.ts": 'import "#other";' }, "#other, which users of the package"],
  ["a computed import", { "src/cli/a.ts": "export const load = (x: string) => import(x);" }, "target is computed"],
];

const forms: [form: string, text: string][] = [
  ["import type", 'import type { A } from "../sse/index.ts";'],
  ["inline type", 'import { type A } from "../sse/index.ts";'],
  ["re-export", 'export { A } from "../sse/index.ts";'],
  ["type re-export", 'export type { A } from "../sse/index.ts";'],
  ["star", 'export * from "../sse/index.ts";'],
  ["named star", 'export * as sse from "../sse/index.ts";'],
  ["dynamic", 'export const sse = () => import("../sse/index.ts");'],
  ["template", "export const sse = () => import(`../sse/index.ts`);"],
  ["type query", 'export type A = import("../sse/index.ts").A;'],
  ["require", 'export const sse = require("../sse/index.ts");'],
  ["import equals", 'import sse = require("../sse/index.ts");'],
];

const clocks: [text: string, clock: string][] = [
  ["Date.now();", "Date.now"],
  ['Date["now"]();', "Date.now"],
  ["globalThis.Date.now();", "Date.now"],
  ["const now = Date.now;", "Date.now"],
  ["new Date();", "new Date()"],
  ["new Date;", "new Date()"],
  ["Date();", "Date()"],
  ["Math.random();", "Math.random"],
  ["crypto.randomUUID();", "crypto.randomUUID"],
  ["globalThis.crypto?.randomUUID();", "crypto.randomUUID"],
];

describe("the rules can fail", () => {
  test.each(bad)("%s", (_sentence, files, breach) => {
    expect(breachesOf(files)).toContainEqual(expect.stringContaining(breach));
  });

  test.each(forms)("an import is seen as %s", (_form, text) => {
    expect(breachesOf({ "src/model/a.ts": text })).toHaveLength(1);
  });

  test.each(clocks)("%s in a pure folder", (text, clock) => {
    for (const folder of ["model", "sse", "assembly", "dialects", "dialects/x"]) {
      expect(breachesOf({ [`src/${folder}/a.ts`]: text })).toStrictEqual([
        `src/${folder}/a.ts uses ${clock}; take it as a parameter`,
      ]);
    }
    expect(breachesOf({ "src/client/a.ts": text })).toStrictEqual([]);
  });

  test("a file that does not parse is an error", () => {
    expect(() => breachesOf({ "src/model/a.ts": "import {" })).toThrow("src/model/a.ts");
  });
});

test("an allowed import is no violation", () => {
  const good = {
    "src/index.ts": 'export * from "./model/a.ts"; export * from "./dialects/registry.ts";',
    "src/model/a.ts": "export const at = new Date(0); // Date.now()",
    "src/sse/a.ts": 'import "eventsource-parser"; import "../model/a.ts";',
    "src/dialects/dialect.ts": 'import "../assembly/a.ts";',
    "src/dialects/registry.ts": 'import "./x/index.ts"; import "./y/index.ts";',
    "src/dialects/x/index.ts": 'import "../dialect.ts"; import "./b.ts"; import "./deep/c.ts";',
    "src/dialects/openai-chat/request/a.ts": 'import "../../openai/a.ts"; import "../../dialect.ts"; import "../b.ts";',
    "src/dialects/openai/a.ts": 'import "../kit/a.ts"; import "./b.ts";',
    "src/dialects/bedrock/a.ts": 'import "../blocks/a.ts";',
    "src/dialects/ai-sdk-ui/a.ts": 'import "../ai-sdk/a.ts";',
    "src/ledger/a.ts": 'import "node:sqlite"; import "large/deep"; import "../assembly/a.ts";',
    "src/client/a.ts": 'import "../calls/index.ts";',
    "src/server/a.ts": 'import "@scope/small/deep"; import "../ledger/a.ts"; import "../dialects/registry.ts";',
    "src/testkit/a.ts": 'import "./b.ts"; import "../dialects/dialect.ts";',
  };
  expect(breachesOf(good)).toStrictEqual([]);
});
