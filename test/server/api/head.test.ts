// HEAD on streaming routes: the same head, and no resource stays open.
import { afterEach, expect, test, vi } from "vitest";
import { StoreLedger } from "../../../src/ledger/ledger.ts";
import { startApi, threadOf } from "./support.ts";

afterEach(() => void vi.restoreAllMocks());

test("HEAD does not watch the events of all threads", async () => {
  const watch = vi.spyOn(StoreLedger.prototype, "watch");
  await using api = await startApi();
  const reply = await fetch(`${api.koine.url}/v1/events`, { method: "HEAD" });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect(watch).toHaveBeenCalledTimes(1);
  const changes = await watch.mock.results[0]?.value;
  const next = changes?.next();
  // A change that a watch would report.
  await api.post("/v1/threads", {});
  expect(await next).toStrictEqual({ done: true, value: undefined });
});

test("HEAD does not follow the events of a thread", async () => {
  const follow = vi.spyOn(StoreLedger.prototype, "follow");
  await using api = await startApi();
  const { id } = await threadOf(api);
  const reply = await fetch(`${api.koine.url}/v1/threads/${id}/events`, { method: "HEAD" });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  // The cursor is checked with an aborted signal.
  for (const [options] of follow.mock.calls) expect(options.signal?.aborted).toBe(true);
});
