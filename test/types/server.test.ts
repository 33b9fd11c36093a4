// Types of the server: settings are partial as input, and complete after resolution.
import { expectTypeOf, test } from "vitest";
import type { ConfigInput, KoineServer, ServerConfig, ServerError } from "../../src/server/index.ts";
import { completeConfig, createServer, readConfig } from "../../src/server/index.ts";

test("settings are completed, and a server takes complete settings", () => {
  expectTypeOf(completeConfig).parameter(0).toEqualTypeOf<ConfigInput | undefined>();
  expectTypeOf(completeConfig).returns.toEqualTypeOf<ServerConfig>();
  expectTypeOf(readConfig).returns.resolves.toEqualTypeOf<ServerConfig>();
  expectTypeOf(createServer).parameter(0).toEqualTypeOf<ServerConfig>();
  expectTypeOf(createServer).returns.resolves.toEqualTypeOf<KoineServer>();
  // @ts-expect-error what is no setting is refused
  completeConfig({ prot: 4141 });
});

test("a server answers requests of the web, too", () => {
  expectTypeOf<KoineServer["fetch"]>().toEqualTypeOf<(request: Request) => Promise<Response>>();
  expectTypeOf<KoineServer["url"]>().toEqualTypeOf<string>();
  expectTypeOf<ServerError["status"]>().toEqualTypeOf<number>();
});
