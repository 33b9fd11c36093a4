// Callers' own middleware: its calls and results are checked, and its mistakes are reported.
import { describe, expect, test } from "vitest";
import type { Middleware } from "koine/client";
import { createClient } from "koine/client";
import { user } from "koine";
import { counting } from "./support/counting-provider.ts";
import { errorOf, readAll } from "../calls/support/thrown-errors.ts";

const REQUEST = { model: "m", messages: [user("hello")] };

/** Middleware of a caller without static types. */
function clientWith(...layers: object[]): ReturnType<typeof createClient> {
  return createClient({ providers: { near: counting() }, middleware: layers });
}

const passing: Middleware = { complete: (call, next) => next(call), stream: (call, next) => next(call) };

describe("an invalid layer is reported with its position", () => {
  type Layer = Record<"complete" | "stream", (call: object, next: (call?: object) => unknown) => unknown>;
  const both = (method: Layer["complete"]): Layer => ({ complete: method, stream: method });

  test.each<[what: string, layer: Layer, message: string]>([
    ["returns undefined", both(() => undefined), "return the result of next(call)"],
    ["forgets to return", both((call, next) => void next(call)), "return the result of next(call)"],
    ["gives something else", both(() => ({ text: "hello" })), "return the result of next(call)"],
    ["calls next without an argument", both((_, next) => next()), "must pass { request, options } to next"],
    ["passes only the request to next", both((_, next) => next(REQUEST)), "must pass { request, options } to next"],
  ])("one that %s", async (_, layer, message) => {
    const client = clientWith(passing, layer);
    for (const [how, call] of [
      ["complete", client.complete(REQUEST)],
      ["stream", client.stream(REQUEST).response()],
    ] as const) {
      const error = await errorOf(call);
      expect(error).toMatchObject({ code: "configuration", path: `/middleware/1/${how}` });
      expect(error.message).toContain(message);
    }
  });

  test("the error for a layer that returns the promise of a stream names deferStream", async () => {
    const client = clientWith({ stream: async (call: object, next: (call: object) => unknown) => next(call) });
    expect((await errorOf(client.stream(REQUEST).response())).message).toContain("deferStream");
  });
});

test("an error that a layer throws reaches the reader of the stream", async () => {
  const client = clientWith(passing, {
    stream() {
      throw new RangeError("not today");
    },
  });
  const stream = client.stream(REQUEST);
  await expect(stream.next()).rejects.toThrow("not today");
  await expect(stream.response()).rejects.toThrow(RangeError);
});

test("a layer may change the call and may define only one of complete and stream", async () => {
  const layer: Middleware = {
    complete: (call, next) => next({ ...call, request: { ...call.request, messages: [user("refuse")] } }),
  };
  const client = clientWith(layer);
  expect((await errorOf(client.complete(REQUEST))).code).toBe("rate-limit");
  expect((await readAll(client.stream(REQUEST))).error).toBeUndefined();
});

test("a layer receives headers as a plain object, whatever form the caller used", async () => {
  const seen: unknown[] = [];
  const client = clientWith({
    complete(call: { options: { headers?: object } }, next: (call: object) => unknown) {
      seen.push(call.options.headers);
      return next(call);
    },
  });
  await client.complete(REQUEST, { headers: new Headers({ "X-Trace": "1" }) });
  await client.complete(REQUEST, { headers: { "X-Trace": "2" } });
  expect(seen).toStrictEqual([{ "x-trace": "1" }, { "X-Trace": "2" }]);
});
