// The replay server sends the prepared replies in the given chunks, and closes all connections when it is closed.
import { request as open } from "node:http";
import { describe, expect, test } from "vitest";
import type { Reply, ReplayServer, Responder, Routes } from "../../src/testkit/index.ts";
import { cutRandomly, replayServer, seededRandom } from "../../src/testkit/index.ts";

/** Returns the chunks of a body as its reader receives them, and an error at the end if there was one. */
async function pieces(url: string, init: RequestInit = {}): Promise<{ texts: string[]; error?: unknown }> {
  const texts: string[] = [];
  try {
    const { body } = await fetch(url, init);
    for await (const piece of body ?? []) texts.push(new TextDecoder().decode(piece));
    return { texts };
  } catch (error) {
    return { texts, error };
  }
}

async function withServer(
  answer: Routes | Responder,
  step: (url: string, server: ReplayServer) => Promise<void>,
): Promise<void> {
  await using server = await replayServer(answer);
  await step(server.url, server);
}

describe("replies", () => {
  test.each<[string, Reply, object]>([
    ["an empty reply is an empty 200", {}, { status: 200, text: "", type: "text/plain; charset=utf-8" }],
    ["text is sent unchanged", { body: "hello" }, { status: 200, text: "hello", type: "text/plain; charset=utf-8" }],
    ["an object is sent as JSON", { body: { a: 1 } }, { status: 200, text: '{"a":1}', type: "application/json" }],
    ["a list is sent as JSON", { body: [1] }, { status: 200, text: "[1]", type: "application/json" }],
    [
      "bytes are sent unchanged",
      { body: new Uint8Array([226, 130, 172]) },
      { status: 200, text: "€", type: "text/plain; charset=utf-8" },
    ],
    [
      "status and headers are sent as given",
      { status: 429, headers: { "content-type": "application/x-odd", "retry-after": "7" }, body: "no" },
      { status: 429, text: "no", type: "application/x-odd", retry: "7" },
    ],
    ["chunks are events by default", { chunks: ["a", "b"] }, { status: 200, text: "ab", type: "text/event-stream" }],
  ])("%s", async (_, reply, expected) => {
    await withServer(
      () => reply,
      async (url) => {
        const response = await fetch(url);
        const [type, retry] = ["content-type", "retry-after"].map((name) => response.headers.get(name));
        const received = { status: response.status, text: await response.text(), type, ...(retry && { retry }) };
        expect(received).toStrictEqual(expected);
      },
    );
  });

  test("routes match method and path; the replies of a list are sent in order, and the last one repeats", async () => {
    const routes: Routes = {
      "POST /v1/a": { body: "posted" },
      "/v1/a": ({ query }) => ({ body: `received ${query["alt"]}` }),
      "/v1/b": [{ status: 429 }, { status: 200, body: "at last" }],
    };
    await withServer(routes, async (url) => {
      expect((await pieces(`${url}/v1/a`, { method: "POST" })).texts).toStrictEqual(["posted"]);
      expect((await pieces(`${url}/v1/a?alt=sse`)).texts).toStrictEqual(["received sse"]);
      const statuses = [];
      for (let turn = 0; turn < 3; turn++) statuses.push((await fetch(`${url}/v1/b`)).status);
      expect(statuses).toStrictEqual([429, 200, 200]);
      const unknown = await fetch(`${url}/v1/c`);
      expect(unknown.status).toBe(404);
      expect(await unknown.text()).toContain("POST /v1/a, /v1/a, /v1/b");
    });
    await withServer({ "*": { body: "anything" } }, async (url) => {
      expect((await pieces(`${url}/where/ever`)).texts).toStrictEqual(["anything"]);
    });
  });

  test("requests are recorded with the end of their exchange", async () => {
    await withServer({ "/v1/a": { body: "ok" } }, async (url, server) => {
      const headers = { "X-Key": "k", "content-type": "application/json" };
      await pieces(`${url}/v1/a?alt=sse`, { method: "POST", headers, body: '{"model":"m"}' });
      await pieces(`${url}/v1/b`, { method: "POST", body: "no JSON" });
      const [first, second] = server.requests;
      expect(first).toMatchObject({ method: "POST", path: "/v1/a", query: { alt: "sse" }, body: { model: "m" } });
      expect(first?.headers).toMatchObject({ "x-key": "k" });
      expect(second).toMatchObject({ path: "/v1/b", body: "no JSON" });
      expect(await first?.ended).toBe("sent");
    });
  });

  test("a responder that throws gives a 500 with its error", async () => {
    const broken: Responder = () => {
      throw new Error("oops");
    };
    await withServer(broken, async (url) => {
      const response = await fetch(url);
      expect([response.status, await response.text()]).toStrictEqual([500, "The responder failed: Error: oops"]);
    });
  });
});

describe("chunks", () => {
  test("each chunk arrives as one, also if it ends inside a character", async () => {
    const euro = new TextEncoder().encode("€");
    const chunks = ["data: 1\n", "\n", euro.subarray(0, 1), euro.subarray(1), "data: 2\n\n"];
    await withServer({ "*": { chunks } }, async (url) => {
      const { body } = await fetch(url);
      const received: number[][] = [];
      for await (const piece of body ?? []) received.push([...piece]);
      const sent = chunks.map((chunk) => [...(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk)]);
      expect(received).toStrictEqual(sent);
    });
  });

  test("a delay precedes each chunk", async () => {
    await withServer({ "*": { chunks: ["a", "b", "c"], delayMs: 2 } }, async (url) => {
      expect(await pieces(url)).toStrictEqual({ texts: ["a", "b", "c"] });
    });
  });

  test("random cuts join to the complete text, differ by seed, and are the same for one seed", () => {
    const bytes = new TextEncoder().encode("Σ a text of some length, cut anywhere ".repeat(40));
    const lengths = (seed: number): number[] => cutRandomly(bytes, seededRandom(seed)).map((piece) => piece.length);
    expect(Buffer.concat(cutRandomly(bytes, seededRandom(1)))).toStrictEqual(Buffer.from(bytes));
    expect(lengths(1)).toStrictEqual(lengths(1));
    expect(lengths(1)).not.toStrictEqual(lengths(2));
    expect(Math.min(...lengths(3))).toBeGreaterThan(0);
    expect(new Set(cutRandomly("abcdef", seededRandom(1), 1).map((piece) => piece.length))).toStrictEqual(new Set([1]));
    expect(cutRandomly("", seededRandom(1))).toStrictEqual([]);
  });
});

describe("failures", () => {
  test("a reset comes after the given number of bytes, also within a chunk", async () => {
    await withServer({ "*": { chunks: ["abc", "def", "ghi"], reset: 5 } }, async (url, server) => {
      const { texts, error } = await pieces(url);
      expect(texts.join("")).toBe("abcde");
      expect(error).toBeInstanceOf(TypeError);
      expect(await server.requests[0]?.ended).toBe("reset");
    });
  });

  test("a reset before the headers sends no reply", async () => {
    await withServer({ "*": { body: "unsaid", reset: "headers" } }, async (url) => {
      expect(await pieces(url)).toMatchObject({ texts: [], error: { message: "fetch failed" } });
    });
  });

  test.each<[string, Reply, string | undefined]>([
    ["after some bytes", { chunks: ["abc", "def"], stall: 4 }, "abcd"],
    ["after the headers", { chunks: ["abc"], stall: 0 }, ""],
    ["before the headers", { chunks: ["abc"], stall: "headers" }, undefined],
  ])("a stall %s leaves the connection open until the client disconnects", async (_, reply, expected) => {
    await withServer({ "*": reply }, async (url, server) => {
      const call = open(url);
      let receivedText: string | undefined;
      const enough = new Promise<void>((resolve) => {
        const listen = (piece: string): void => {
          receivedText = (receivedText ?? "") + piece;
          if (receivedText === expected) resolve();
        };
        call.on("response", (response) => {
          listen("");
          response
            .setEncoding("utf8")
            .on("data", listen)
            .on("error", () => {});
        });
        call.on("error", () => {});
      });
      call.end();
      if (expected === undefined) while (server.requests.length === 0) await new Promise(setImmediate);
      else await enough;
      expect([receivedText, server.connections]).toStrictEqual([expected, 1]);
      call.destroy();
      expect(await server.requests[0]?.ended).toBe("aborted");
    });
  });

  test("a client that aborts ends the reply", async () => {
    await withServer({ "*": { chunks: Array<string>(10_000).fill("x"), delayMs: 1 } }, async (url, server) => {
      const abort = new AbortController();
      const { body } = await fetch(url, { signal: abort.signal });
      const reader = body?.getReader();
      await reader?.read();
      abort.abort();
      expect(await server.requests[0]?.ended).toBe("aborted");
    });
  });
});

test("closing ends everything: idle connections, stalled replies and delayed ones", async () => {
  const routes: Routes = { "/idle": { body: "ok" }, "/stalled": { stall: "headers" }, "/slow": { delayMs: 60_000 } };
  const server = await replayServer(routes);
  await pieces(`${server.url}/idle`);
  const hanging = ["/stalled", "/slow"].map((path) => pieces(server.url + path));
  while (server.requests.length < 3) await new Promise(setImmediate);
  await Promise.all([server.close(), server.close()]);
  expect(server.connections).toBe(0);
  for (const { error } of await Promise.all(hanging)) expect(error).toBeInstanceOf(TypeError);
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
});
