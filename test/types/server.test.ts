// Types of the server: settings are partial as input, and complete after resolution.
import { expect, expectTypeOf, test } from "vitest";
import type { LocalProvider } from "../../src/client/index.ts";
import { demo } from "../../src/client/index.ts";
import type {
  CompleteConfigOptions,
  ConfigFile,
  ConfigInput,
  KoineServer,
  ServerConfig,
  ServerError,
} from "../../src/server/index.ts";
import { completeConfig, createServer, readConfig } from "../../src/server/index.ts";

test("settings are completed, and a server takes complete settings", () => {
  expectTypeOf(completeConfig).parameter(0).toEqualTypeOf<ConfigInput | undefined>();
  expectTypeOf(completeConfig).parameter(1).toEqualTypeOf<CompleteConfigOptions | undefined>();
  expectTypeOf(completeConfig).returns.toEqualTypeOf<ServerConfig>();
  expectTypeOf(readConfig).returns.resolves.toEqualTypeOf<ServerConfig>();
  expectTypeOf(createServer).parameter(0).toEqualTypeOf<ServerConfig>();
  expectTypeOf(createServer).returns.resolves.toEqualTypeOf<KoineServer>();
  // @ts-expect-error an unknown setting is rejected
  expect(() => completeConfig({ prot: 4141 })).toThrow("/prot");
});

test("settings in code have the keys and values of the file", () => {
  expectTypeOf<keyof ConfigInput>().toEqualTypeOf<keyof ConfigFile>();
  expectTypeOf<ConfigFile>().toExtend<ConfigInput>();
  expectTypeOf<Omit<ConfigInput, "providers" | "tasks">>().toEqualTypeOf<Omit<ConfigFile, "providers" | "tasks">>();
  const file: ConfigFile = {
    providers: { local: { preset: "groq", apiKey: "$KEY" }, demo: false },
    models: { fast: ["local/a", "local/b"], slow: { to: "local/c", timeouts: { totalMs: 1 } } },
    tenants: { acme: { tokens: [`sha256:${"0".repeat(64)}`] } },
    tasks: { mcpServers: { files: { command: "npx", args: [] } } },
    ledger: "memory:",
    record: false,
    log: "warn",
  };
  expectTypeOf(completeConfig(file, { env: { KEY: "k" } })).toEqualTypeOf<ServerConfig>();
  // @ts-expect-error rules are an object, as in the file
  expect(() => completeConfig({ models: [{ pattern: "a", targets: ["demo/koine"] }] })).toThrow("/models");
  // @ts-expect-error tenants are an object, as in the file
  expect(() => completeConfig({ tenants: new Map() })).toThrow("/tenants");
});

test("only code can pass functions", () => {
  const own: LocalProvider = demo();
  const headers = async (): Promise<Record<string, string>> => ({});
  completeConfig({
    providers: { own, fetched: { preset: "groq", apiKey: async () => "k", headers: new Headers() } },
    tasks: { mcpServers: { web: { url: "https://tools.example/mcp", headers } } },
  });
  // @ts-expect-error a file has no provider objects
  const file: ConfigFile = { providers: { own } };
  expectTypeOf(file).not.toBeAny();
});

test("a server answers requests of the web, too", () => {
  expectTypeOf<KoineServer["fetch"]>().toEqualTypeOf<(request: Request) => Promise<Response>>();
  expectTypeOf<KoineServer["url"]>().toEqualTypeOf<string>();
  expectTypeOf<ServerError["status"]>().toEqualTypeOf<number>();
});
