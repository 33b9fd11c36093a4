// The client's bundle for browsers: no undici and no Node module, and it works.
import type { BuildResult, Metafile } from "esbuild";
import { build } from "esbuild";
import type * as Client from "koine/client";
import { expect, test } from "vitest";
import { user } from "../../src/index.ts";
import { replayServer } from "../../src/testkit/replay-server.ts";

interface Bundle extends BuildResult {
  metafile: Metafile;
}

async function bundle(platform: "browser" | "node", conditions: string[]): Promise<Bundle> {
  const options = { format: "esm", bundle: true, write: false, metafile: true, logLevel: "silent" } as const;
  const stdin = { contents: 'export * from "koine/client";', resolveDir: process.cwd() };
  return build({ ...options, stdin, platform, conditions: ["koine-source", ...conditions] });
}

/** Returns every bundled module, and every module that it imports. */
function modulesOf({ metafile }: Bundle): string[] {
  return Object.entries(metafile.inputs).flatMap(([path, { imports }]) => [path, ...imports.map((each) => each.path)]);
}

const ONLY_NODE = /undici|^node:|calls\/transport\/(?:undici|decompress)/;

test.each<[platform: string, conditions: string[]]>([
  ["a browser", []],
  ["a worker", ["workerd", "worker"]],
])("the client bundles for %s, uses fetch and contains no Node module", async (_, conditions) => {
  const modules = modulesOf(await bundle("browser", conditions));
  expect(modules).toContain("src/calls/transport/fetch.ts");
  expect(modules.filter((path) => ONLY_NODE.test(path))).toStrictEqual([]);
});

test("dialects without an HTTP provider are not in the bundle", async () => {
  const modules = modulesOf(await bundle("browser", []));
  const bundledDialects = modules.flatMap((path) => /^src\/dialects\/([^/]+)\//.exec(path)?.[1] ?? []);
  const httpDialects = ["anthropic", "bedrock", "gemini", "openai-chat", "openai-responses"];
  expect([...new Set(bundledDialects)].sort()).toStrictEqual([...httpDialects, "blocks", "kit", "openai"].sort());
});

test("on Node the client sends requests with undici", async () => {
  const modules = modulesOf(await bundle("node", []));
  expect(modules).toContain("src/calls/transport/undici.ts");
  expect(modules).not.toContain("src/calls/transport/fetch.ts");
});

test("the browser bundle sends a request and reads the answer", async () => {
  const content = [{ type: "text", text: "Hello." }];
  const usage = { input_tokens: 1, output_tokens: 2 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: "end_turn",
    usage,
  };
  await using server = await replayServer({ "/v1/messages": { body: message } });
  const { outputFiles } = await bundle("browser", []);
  const code = Buffer.from(outputFiles?.[0]?.contents ?? []).toString("base64");
  const { createClient } = (await import(`data:text/javascript;base64,${code}`)) as typeof Client;
  const client = createClient({ providers: { there: { dialect: "anthropic", baseUrl: server.url, apiKey: "key" } } });
  const answer = await client.complete({ model: "there/m", messages: [user("Hi")] });
  expect(answer.message.parts).toStrictEqual([{ type: "text", text: "Hello." }]);
  expect(server.requests[0]?.headers["x-api-key"]).toBe("key");
});
