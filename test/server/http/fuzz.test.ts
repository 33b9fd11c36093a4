// Bytes that are almost a request: each connection gets a reply or is closed, and the server continues.
import fc from "fast-check";
import { expect, test } from "vitest";
import { startRoutes } from "../support/start-koine.ts";
import { connectRaw } from "../support/raw-client.ts";
import { echo } from "../support/test-routes.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

test("no bytes crash the server", async () => {
  await using server = await startRoutes([echo()], { limits: { headersMs: 50, requestMs: 50, idleMs: 50 } });
  const head = "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 13";
  const sense = Buffer.from(`${head}\r\n\r\n{"hello":"x"}`);
  const change = fc.tuple(fc.nat(sense.length), fc.uint8Array({ maxLength: 4 }), fc.nat(3));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      let bytes = sense;
      for (const [at, insert, drop] of changes) {
        bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + drop)]);
      }
      using client = connectRaw(server.url);
      client.write(bytes);
      expect(await client.closed()).toMatch(/^(HTTP\/1.1 [2-4]\d\d |$)/);
    }),
    { numRuns: scaleRunCount(180) },
  );
  // Polled, because the short limit on headers can also end this request.
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
});
