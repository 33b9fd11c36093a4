// Nonsense to every route: each gets a reply in words, and the server lives on.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KoineServer } from "../../src/server/server.ts";
import { startKoine } from "./support/koine.ts";
import { arbitraryNonsense, send } from "./support/fuzz.ts";
import { connectRaw } from "./support/raw.ts";

const RUNS = Number(process.env["KOINE_FUZZ"] ?? 400);

/** The ids of a conversation and a task. */
async function somethingThere({ url, ledger }: KoineServer): Promise<string[]> {
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, { method: "POST", body: JSON.stringify(body) });
  const reply = await post("/v1/responses", { model: "demo/koine", input: "hello" });
  const { id } = (await reply.json()) as { id: string };
  const thread = reply.headers.get("x-koine-thread") ?? "";
  const messages = await ledger.transcript(thread);
  const { task } = (await (await post("/v1/task", { message: "hello" })).json()) as { task: { id: string } };
  return [thread, reply.headers.get("x-koine-run") ?? "", id, ...messages.map((each) => each.id), task.id];
}

test("no request is a fault inside, whatever it says", async () => {
  let log = "";
  const silent = { level: "error", format: "json" } as const;
  await using server = await startKoine({ log: silent }, { write: (lines) => (log += lines) });
  const ids = await somethingThere(server);
  await fc.assert(
    fc.asyncProperty(arbitraryNonsense(server.routes, ids), async (nonsense) => {
      const { status, text } = await send(server, nonsense);
      expect(status === 500 ? `${text}\n${log}` : "").toBe("");
      if (status >= 400) expect(text).toMatch(/"message":"[^"]|"reason":/);
    }),
    { numRuns: RUNS },
  );
  // What a request or the work behind it could not foresee is told there.
  expect(log.split("\n").filter((line) => /"event":"(request|background|stopping)"/.test(line))).toStrictEqual([]);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

test("no bytes bring the server down, whatever they are", async () => {
  await using server = await startKoine({ limits: { headersMs: 50, requestMs: 50, idleMs: 50 } });
  const body = '{"model":"demo/koine","messages":[{"role":"user","content":"hi"}]}';
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}`;
  const sense = Buffer.from(`${head}\r\n\r\n${body}`);
  const change = fc.tuple(fc.nat(sense.length), fc.uint8Array({ maxLength: 4 }), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      let bytes = sense;
      for (const [at, insert, drop] of changes) {
        bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + drop)]);
      }
      using client = connectRaw(server.url);
      client.write(bytes);
      // Whatever is not there in time is answered, and every connection ends.
      expect(await client.closed()).toMatch(/^(HTTP\/1.1 [2-4]\d\d |$)/);
    }),
    { numRuns: RUNS / 8 },
  );
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});
