// `/v1/events`: changes of all threads, and the events of selected threads.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Delta } from "../../../src/model/index.ts";
import type { Ledger, Run } from "../../../src/ledger/index.ts";
import { openLedger } from "../../../src/ledger/index.ts";
import { MergedIterator } from "../../../src/server/api/merge-iterators.ts";
import { tenantsOf, tokenOf } from "../security/support.ts";
import { openEvents, type Reader } from "./read-sse.ts";
import type { Api } from "./support.ts";
import { userMessage, startApi, threadOf } from "./support.ts";

let api: Api;
let ledger: Ledger;
beforeAll(async () => {
  api = await startApi();
  ledger = api.koine.ledger;
});
afterAll(() => api[Symbol.asyncDispose]());

const bearer = (name: string): Record<string, string> => ({ authorization: `Bearer ${tokenOf(name)}` });
const START: Delta = { kind: "start", payload: { modelId: "m", requestId: "r" } };
const DONE: Delta = { kind: "done", payload: { finishReason: "stop" } };
const textDeltaOf = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });

async function startRun(): Promise<{ id: string; run: Run }> {
  const { id } = await threadOf(api, userMessage("Begin."));
  const run = await ledger.beginRun({ threadId: id });
  await run.append([START, textDeltaOf("One "), textDeltaOf("two ")]);
  return { id, run };
}

const follow = (...cursors: string[]): Promise<Reader> => {
  const query = new URLSearchParams(cursors.map((threadCursor) => ["thread", threadCursor]));
  return openEvents(`${api.koine.url}/v1/events?${query}`);
};
const isOf = (id: string, what: string) => (event: { id?: string; data: string }) =>
  event.id?.startsWith(`${id}@`) === true && event.data.includes(what);

test("the events of several threads are sent over one connection, each with its thread and cursor, together with changes", async () => {
  const one = await startRun();
  const two = await startRun();
  await using reader = await follow(`${one.id}@`, `${two.id}@`);
  const seen = [...(await reader.until(isOf(one.id, '"two "')))];
  if (!seen.some(isOf(two.id, '"two "'))) seen.push(...(await reader.until(isOf(two.id, '"two "'))));
  await two.run.append([textDeltaOf("three."), DONE]);
  await two.run.commit();
  seen.push(...(await reader.until(isOf(two.id, '"committed"'))));
  await api.call("PATCH", `/v1/threads/${one.id}`, { title: "T" });
  seen.push(...(await reader.until(({ data }) => data.includes('"updated"'))));
  const past = ["message", "run", "run", "delta", "delta", "delta"];
  const of = (id: string) => seen.filter((event) => event.id?.startsWith(`${id}@`));
  expect(of(one.id).map(({ event }) => event)).toEqual(past);
  expect(of(two.id).map(({ event }) => event)).toEqual([...past, "delta", "delta", "message", "run"]);
  for (const { data, id } of seen)
    expect(JSON.parse(data).threadId).toBe(id?.split("@")[0] ?? JSON.parse(data).threadId);
  expect(seen.filter(({ event }) => event === "thread").every(({ id }) => id === undefined)).toBe(true);
});

test("B96: each thread resumes after its own cursor; the last event id wins", async () => {
  const { id, run } = await startRun();
  await run.append([DONE]);
  await run.commit();
  await using whole = await follow(`${id}@`);
  const all = await whole.until(isOf(id, '"committed"'));
  const own = all.filter((event) => event.id !== undefined);
  for (const [at, { id: threadCursor = "" }] of own.slice(0, -1).entries()) {
    await using reader = await follow(threadCursor);
    const rest = (await reader.until(isOf(id, '"committed"'))).filter((event) => event.id !== undefined);
    expect(rest).toEqual(own.slice(at + 1));
  }
  const last = own.at(-2)?.id ?? "";
  await using again = await openEvents(`${api.koine.url}/v1/events?thread=${id}@`, {
    headers: { "last-event-id": last },
  });
  expect((await again.until(isOf(id, '"committed"'))).filter((event) => event.id !== undefined)).toEqual(own.slice(-1));
});

test("an id with any characters is followed", async () => {
  const id = "a b@c\nd";
  await api.post("/v1/threads", { id, messages: [userMessage("Hello.")] });
  await using reader = await follow(`${encodeURIComponent(id)}@`);
  const [event] = (await reader.until(({ event: name }) => name === "message")).slice(-1);
  expect(event?.id).toMatch(/^a%20b%40c%0Ad@[0-9A-Z]{26}$/);
  expect(JSON.parse(event?.data ?? "").threadId).toBe(id);
});

test("a missing or deleted thread, or a lost cursor, sends `gone`, and the others continue", async () => {
  const forgetful = await openLedger("memory:", { deltaRetentionMs: 0 });
  await using shortLived = await startApi({}, { ledger: forgetful });
  const { ledger: own } = shortLived.koine;
  const { id } = await threadOf(shortLived, userMessage("Begin."));
  const { id: doomed } = await threadOf(shortLived, userMessage("Not for long."));
  const run = await own.beginRun({ threadId: id });
  await run.append([START, textDeltaOf("One ")]);
  let cursor = "";
  for await (const event of own.follow({ threadId: id })) {
    cursor = event.cursor;
    if (event.type === "delta") break;
  }
  await run.append([textDeltaOf("two."), DONE]);
  await run.commit();
  await own.compact();
  const cursors = [`${id}@${cursor}`, `${doomed}@`, "nobody@", `else@nonsense`];
  const query = new URLSearchParams(cursors.map((threadCursor) => ["thread", threadCursor]));
  await using reader = await openEvents(`${shortLived.koine.url}/v1/events?${query}`);
  const gone = new Map<string, string>();
  const note = async (count: number): Promise<void> => {
    while (gone.size < count) {
      const event = await reader.next();
      if (event?.event !== "gone") continue;
      expect(event.id).toBe(undefined);
      const { threadId, error } = JSON.parse(event.data);
      gone.set(threadId, error.code);
    }
  };
  await note(3);
  expect(Object.fromEntries(gone)).toEqual({ [id]: "gone", nobody: "not-found", else: "invalid-request" });
  await shortLived.call("DELETE", `/v1/threads/${doomed}`);
  await note(4);
  expect(gone.get(doomed)).toBe("not-found");
  await shortLived.post("/v1/threads", { id: "later" });
  await reader.until(({ data }) => data.includes('"later"'));
});

test.each([
  ["more threads than are followed at once", Array.from({ length: 21 }, (_, at) => `t${at}@`)],
  ["a cursor without a thread", ["@01ARZ3NDEKTSV4RRFFQ69G5FAV"]],
  ["a thread without a cursor", ["thread"]],
  ["an invalid escape", ["%E0%A4%A@"]],
])("%s is rejected before an event is sent", async (_, cursors) => {
  const query = new URLSearchParams(cursors.map((threadCursor) => ["thread", threadCursor]));
  const { status, body } = await api.get(`/v1/events?${query}`);
  expect({ status, code: body.error.code, path: body.error.path }).toEqual({
    status: 400,
    code: "invalid-request",
    path: "thread",
  });
});

test("a tenant cannot follow threads of another one", async () => {
  await using shared = await startApi({ tenants: tenantsOf({ acme: ["ann"], other: ["eve"] }) });
  await shared.post("/v1/threads", { id: "theirs", messages: [userMessage("Secret.")] }, bearer("eve"));
  await using reader = await openEvents(`${shared.koine.url}/v1/events?thread=theirs@`, { headers: bearer("ann") });
  const [event] = await reader.until(() => true);
  expect(event).toMatchObject({ event: "gone", data: expect.stringContaining('"not-found"') });
  await shared.post("/v1/threads", { id: "ours" }, bearer("ann"));
  const rest = await reader.until(({ data }) => data.includes('"ours"'));
  expect(rest.map(({ data }) => data).join()).not.toContain("theirs");
});

test("HEAD leaves no resource open", async () => {
  const { id } = await threadOf(api, userMessage("Quiet."));
  const watching = vi.spyOn(ledger, "watch");
  const reply = await fetch(`${api.koine.url}/v1/events?thread=${id}@`, { method: "HEAD" });
  expect([reply.status, await reply.text()]).toEqual([200, ""]);
  const [watched] = watching.mock.calls[0] ?? [];
  await expect.poll(() => watched?.signal?.aborted).toBe(true);
  const changes = await watching.mock.results[0]?.value;
  expect(await changes.next()).toEqual({ done: true, value: undefined });
  watching.mockRestore();
});

describe("merged iterators", () => {
  /** Yields numbers up to a limit and records whether it was closed. */
  function counting(name: string, to: number, ended: string[]): AsyncIterator<string, void> {
    let at = 0;
    return {
      next: async () => (at < to ? { done: false, value: `${name}${++at}` } : { done: true, value: undefined }),
      return: async () => (ended.push(name), { done: true, value: undefined }),
    };
  }
  const forever = (ended: string[]): AsyncIterator<string, void> => ({
    next: () => new Promise(() => undefined),
    return: async () => (ended.push("silent"), { done: true, value: undefined }),
  });

  test("are read only as far as requested, and closed together", async () => {
    const ended: string[] = [];
    const merged = new MergedIterator(counting("a", 9, ended), [counting("b", 2, ended), forever(ended)]);
    const seen: string[] = [];
    for await (const each of merged) seen.push(each);
    expect(seen.filter((each) => each.startsWith("a"))).toEqual(Array.from({ length: 9 }, (_, at) => `a${at + 1}`));
    expect(seen.filter((each) => each.startsWith("b"))).toEqual(["b1", "b2"]);
    expect(ended.sort()).toEqual(["a", "b", "silent"]);
  });

  test("end with the first failure, after earlier values", async () => {
    const ended: string[] = [];
    const failing: AsyncIterator<string, void> = { next: () => Promise.reject(new Error("It broke.")) };
    const merged = new MergedIterator(forever(ended), [failing]);
    await expect(merged.next()).rejects.toThrow("It broke.");
    expect(await merged.next()).toEqual({ done: true, value: undefined });
    expect(ended).toEqual(["silent"]);
  });

  test("wake a waiting reader when they are closed", async () => {
    const merged = new MergedIterator(forever([]), []);
    const waiting = merged.next();
    await merged.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});
