// Tests `koine token`: new tokens and their hashes for the configuration.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { read } from "../server/support/config-files.ts";
import { koine } from "./support.ts";

const sha256 = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

test("create prints a token once, and a valid line for the configuration", async () => {
  const { code, stdout, stderr, files } = await koine("token create --tenant team --name build");
  const [, token = "", line = "{}"] = /^(koine_[\dA-Za-z]{43})\n[^]*\n {2}("tenants": .*)\n$/.exec(stdout) ?? [];
  expect({ code, stderr, files }).toStrictEqual({ code: 0, stderr: "", files: "" });
  expect(stdout.split(token)).toHaveLength(2);
  const { tenants } = await read(`{ ${line} }`);
  expect(tenants.get("team")?.tokens).toStrictEqual([{ hash: sha256(token).slice("sha256:".length), name: "build" }]);
});

test.each([
  ["an unusual but valid name", "ac/me.日本", 0, ""],
  [
    "a name that is too long",
    "a".repeat(201),
    2,
    "koine: --tenant must be 1 to 200 characters without leading or trailing spaces.\n",
  ],
  [
    "a name with a space in front",
    "\u00a0a",
    2,
    "koine: --tenant must be 1 to 200 characters without leading or trailing spaces.\n",
  ],
])("--tenant must be valid in the configuration: %s", async (_sentence, tenant, code, stderr) => {
  const outcome = await koine(`token create --tenant=${tenant}`);
  expect({ code: outcome.code, stderr: outcome.stderr }).toStrictEqual({ code, stderr });
  const [line] = /"tenants": .*/.exec(outcome.stdout) ?? [];
  if (line !== undefined) expect([...(await read(`{ ${line} }`)).tenants.keys()]).toStrictEqual([tenant]);
});

test("--name must not be blank", async () => {
  expect(await koine("token create --name=\u00a0")).toMatchObject({
    code: 2,
    stderr: "koine: --name must not be empty.\n",
  });
});

test("all tokens are different and have the same length", async () => {
  const results = await Promise.all(Array.from({ length: 50 }, () => koine("token create --json")));
  const tokens = results.map(({ stdout }) => JSON.parse(stdout) as { token: string; hash: string });
  expect(new Set(tokens.map(({ token }) => token)).size).toBe(50);
  for (const { token, hash } of tokens) {
    expect(token).toMatch(/^koine_[\dA-Za-z]{43}$/);
    expect(hash).toBe(sha256(token));
  }
});

test("hash reads a token from standard input, without the line feed", async () => {
  expect(await koine("token hash", { stdin: "koine_abc\n" })).toMatchObject({
    code: 0,
    stdout: `${sha256("koine_abc")}\n`,
  });
  const { stdout } = await koine("token hash --json", { stdin: "koine_abc" });
  expect(JSON.parse(stdout)).toStrictEqual({ hash: sha256("koine_abc") });
});

test.each([
  ["no action", "token", "", 'Use "koine token create" or "koine token hash".'],
  ["an unknown action", "token make", "", 'Use "koine token create" or "koine token hash".'],
  ["a token on the command line", "token hash koine_abc", "", "The token must come from standard input"],
  ["no token", "token hash", " \n", "There is no token on standard input."],
  ["two tokens", "token hash", "a\nb\n", "pass one token at a time"],
])("%s is a usage error", async (_sentence, args, stdin, message) => {
  const { code, stderr, stdout } = await koine(args, { stdin });
  expect({ code, stdout }).toStrictEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("koine_abc");
});
