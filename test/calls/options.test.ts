// Invalid settings: each is reported at once, with its path.
import { describe, expect, test } from "vitest";
import type { CallOptions, ClientOptions, LocalProvider, Middleware } from "../../src/client/index.ts";
import { budget, caching, ClientError, createClient } from "../../src/client/index.ts";
import type { ModelRequest } from "../../src/index.ts";
import { user } from "../../src/index.ts";
import { answer } from "../support/deltas.ts";
import { requireError } from "../support/require-error.ts";
import { errorOf } from "./support/thrown-errors.ts";

const here: LocalProvider = { answer: () => answer() };
const providers = { here };

const CLIENT: [path: string, options: unknown][] = [
  ["", undefined],
  ["/providers", {}],
  ["/providers", { providers: "openai" }],
  ["/providers/here", { providers: { here: undefined } }],
  ["/provider", { providers, provider: "here" }],
  ["/defaultProvider", { providers, defaultProvider: "there" }],
  ["/defaultProvider", { providers, defaultProvider: 1 }],
  ["/timeouts/totalMs", { providers, timeouts: { totalMs: 0 } }],
  ["/timeouts/gapMS", { providers, timeouts: { gapMS: 1 } }],
  ["/retry/attempts", { providers, retry: { attempts: 1.5 } }],
  ["/fallbacks", { providers, fallbacks: "here/m" }],
  ["/fallbacks/1", { providers: { here, too: here }, fallbacks: ["here/m", "unknown/m"] }],
  ["/middleware", { providers, middleware: {} }],
  ["/middleware/1", { providers, middleware: [{ complete: () => undefined }, 5] }],
  ["/middleware/0", { providers, middleware: [{ name: "none", compelte: () => undefined }] }],
  ["/middleware/0/stream", { providers, middleware: [{ stream: "no" }] }],
  ["/prices/m/input", { providers, prices: { m: { input: "1", output: 2 } } }],
  ["/onAttempt", { providers, onAttempt: true }],
  ["/transport", { providers, transport: { send: () => undefined } }],
  ["/effects/clock", { providers, effects: { clock: 5 } }],
  ["/effects/timer", { providers, effects: { timer: 5 } }],
  ["/effects/timers", { providers, effects: { timers: () => 5 } }],
];

test.each(CLIENT)("createClient rejects an invalid option at %s", (path, options) => {
  // A caller without static types.
  const error = requireError(ClientError, () => createClient(options as ClientOptions));
  expect(["configuration", "unknown-provider"]).toContain(error.code);
  expect(error.path).toBe(path);
  expect(error.message).toMatch(/ (must|is|has|There|expected) /i);
});

const CALL: [path: string, request: unknown, options?: unknown][] = [
  ["", undefined],
  ["/messages", { model: "m" }],
  ["/messages/1", { model: "m", messages: [user("a"), "b"] }],
  ["/messages/0/parts", { model: "m", messages: [{ role: "user", content: "hi" }] }],
  ["/model", { messages: [user("a")] }],
  ["/provider", { model: "m", messages: [] }, { provider: "there" }],
  ["/signal", { model: "m", messages: [] }, { signal: {} }],
  ["/headers", { model: "m", messages: [] }, { headers: "x: y" }],
  ["/headers/x", { model: "m", messages: [] }, { headers: { x: "a\nb" } }],
  ["/headers/x", { model: "m", messages: [] }, { headers: new Map([["x", "a\nb"]]) }],
  ["", { model: "m", messages: [] }, null],
  ["/timeouts/gapMs", { model: "m", messages: [] }, { timeouts: { gapMs: "1s" } }],
  ["/retry", { model: "m", messages: [] }, { retry: 5 }],
  ["/fallbacks", { model: "m", messages: [] }, { fallbacks: [1] }],
  ["/onBreaks", { model: "m", messages: [] }, { onBreaks: true }],
  ["/repair", { model: "m", messages: [] }, { repair: "no" }],
  ["/abortSignal", { model: "m", messages: [] }, { abortSignal: new AbortController().signal }],
];

const LAYERS: [what: string, middleware: Middleware[]][] = [
  ["alone", []],
  ["behind middleware", [caching(), budget({ calls: 5 })]],
];
const WAYS = LAYERS.flatMap(([what, layers]) =>
  (["complete", "stream"] as const).map((how): [string, typeof how, Middleware[]] => [`${how}, ${what}`, how, layers]),
);

describe.each(WAYS)("%s", (_, how, middleware) => {
  test.each(CALL)("rejects an invalid call at %s", async (path, request, options) => {
    let callCount = 0;
    const provider: LocalProvider = {
      answer() {
        callCount += 1;
        return answer();
      },
    };
    const client = createClient({ providers: { here: provider }, middleware });
    // A caller without static types.
    const [what, with_] = [request as ModelRequest, options as CallOptions];
    const error = await errorOf(
      how === "complete" ? client.complete(what, with_) : client.stream(what, with_).response(),
    );
    expect(["configuration", "unknown-provider"]).toContain(error.code);
    expect(error.path).toBe(path);
    expect(callCount).toBe(0);
  });
});

test("an undefined setting counts as missing", async () => {
  const options = {
    retry: undefined,
    timeouts: { gapMs: undefined },
    fallbacks: undefined,
    effects: { clock: undefined },
  };
  // Some callers pass `undefined` on.
  const client = createClient({ providers, ...options } as unknown as ClientOptions);
  const result = await client.complete({ model: "m", messages: [] }, { signal: undefined, timeouts: undefined });
  expect(result.provider).toBe("here");
});

test("the client lists the names of its providers", () => {
  expect(createClient({ providers: { b: here, a: here } }).providers).toStrictEqual(["b", "a"]);
});
