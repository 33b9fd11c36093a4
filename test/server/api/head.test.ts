// HEAD on routes that stream: the same head, and nothing stays open behind it.
import { afterEach, expect, test, vi } from "vitest";
import { StoreLedger } from "../../../src/ledger/ledger.ts";
import { startApi, threadOf } from "./support.ts";

afterEach(() => void vi.restoreAllMocks());

test("the events of all threads are not watched for somebody who asks for the head alone", async () => {
  const watch = vi.spyOn(StoreLedger.prototype, "watch");
  await using api = await startApi();
  const reply = await fetch(`${api.koine.url}/v1/events`, { method: "HEAD" });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  expect(watch).toHaveBeenCalledTimes(1);
  const changes = await watch.mock.results[0]?.value;
  const next = changes?.next();
  // Something that a watch would tell.
  await api.post("/v1/threads", {});
  expect(await next).toStrictEqual({ done: true, value: undefined });
});

test("the events of a thread are not followed for somebody who asks for the head alone", async () => {
  const follow = vi.spyOn(StoreLedger.prototype, "follow");
  await using api = await startApi();
  const { id } = await threadOf(api);
  const reply = await fetch(`${api.koine.url}/v1/threads/${id}/events`, { method: "HEAD" });
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
  // The cursor is looked at, with a signal that is aborted already.
  for (const [options] of follow.mock.calls) expect(options.signal?.aborted).toBe(true);
});
