// Export, import, blobs and search over HTTP.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, ManualModel, createTask, toMessageLines } from "../tasks/support.ts";
import type { Api } from "./support.ts";
import { replied, userMessage, startApi, textsOf, threadOf } from "./support.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi({ limits: { bodyBytes: 1 << 19, importBytes: 1 << 20 } });
});
afterAll(() => api[Symbol.asyncDispose]());

describe("export and import", () => {
  test("an export is imported completely by another server, and its export is identical", async () => {
    await using other = await startApi();
    await using third = await startApi();
    for (const n of [1, 2, 3])
      await threadOf(other, userMessage(`Question ${n}, ${"long ".repeat(10_000)}`), replied("Ja: größer 🙂."));
    const exported = await other.get("/v1/export");
    expect(exported.headers.get("content-type")).toBe("application/x-ndjson");
    const imported = await third.post("/v1/import", exported.text);
    expect(imported).toMatchObject({ status: 200, body: { threads: 3, messages: 6, known: 0 } });
    expect((await third.get("/v1/export")).text).toBe(exported.text);
    expect((await third.post("/v1/import", exported.text)).body).toMatchObject({ threads: 0 });
  });

  test("single threads are exported by their ids", async () => {
    const one = await threadOf(api, userMessage("One."));
    const two = await threadOf(api, userMessage("Two."));
    await threadOf(api, userMessage("Three."));
    const single = await api.get(`/v1/export?thread=${one.id}`);
    expect(single.text).toContain('"One."');
    expect(single.text).not.toContain('"Two."');
    const both = await api.get(`/v1/export?thread=${one.id}&thread=${two.id}`);
    expect(both.text).toContain('"Two."');
    expect(both.text).not.toContain('"Three."');
    await using other = await startApi();
    expect((await other.post("/v1/import", both.text)).body.threads).toBe(2);
    expect(await textsOf(other, two.id)).toEqual(["Two."]);
  });

  test.each([
    [
      "a truncated export",
      (lines: string) => lines.slice(0, lines.lastIndexOf("\n", lines.length - 2) + 1),
      400,
      "The file is incomplete",
    ],
    ["lines of another format", () => '{"hello": true}\n', 400, "Line 1"],
    ["invalid UTF-8", () => Buffer.from([0xff, 0xfe, 0x00]), 400, "UTF-8"],
    ["a body above the size limit", () => `${" ".repeat((1 << 20) + 1)}\n`, 413, ""],
  ] as const)("%s is rejected", async (_, spoil, status, message) => {
    await using other = await startApi();
    await threadOf(other, userMessage("One."));
    const body = spoil((await other.get("/v1/export")).text);
    const reply = await fetch(`${api.koine.url}/v1/import`, { method: "POST", body });
    expect(reply.status).toBe(status);
    expect(await reply.text()).toContain(message);
  });

  test("an unknown thread is an error before anything is sent", async () => {
    expect((await api.get("/v1/export?thread=nobody")).status).toBe(404);
  });
});

describe("blobs", () => {
  test("bytes are stored once, referenced by a message, and returned unchanged, never as a page", async () => {
    const bytes = Buffer.from("<script>alert(1)</script>".repeat(4000));
    const put = async (): Promise<{ blob: string; size: number }> =>
      (await fetch(`${api.koine.url}/v1/blobs`, { method: "POST", body: bytes })).json() as never;
    const first = await put();
    expect(first.size).toBe(bytes.length);
    expect(await put()).toEqual(first);
    const picture = { type: "image", mimeType: "image/png", blob: first.blob };
    await threadOf(api, { role: "user", parts: [picture] });
    const reply = await fetch(`${api.koine.url}/v1/blobs/${first.blob}`);
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true);
    expect(reply.headers.get("content-type")).toBe("application/octet-stream");
    expect(reply.headers.get("content-security-policy")).toContain("sandbox");
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("a missing blob and an invalid reference are errors", async () => {
    expect((await api.get(`/v1/blobs/sha256-${"0".repeat(64)}`)).status).toBe(404);
    expect((await api.get("/v1/blobs/nobody")).status).toBe(404);
  });
});

describe("search", () => {
  test("messages with all words are found, in all threads or in one", async () => {
    const { id, ids } = await threadOf(api, userMessage("The colossus of Rhodes."), replied("A statue of Helios."));
    await threadOf(api, userMessage("The colossus again."));
    const results = await api.get("/v1/search?q=colossus+rhodes");
    expect(results.body.hits).toMatchObject([{ threadId: id, messageId: ids[0] }]);
    expect((await api.get("/v1/search?q=colossus")).body.hits).toHaveLength(2);
    expect((await api.get("/v1/search?q=colossus&limit=1")).body.hits).toHaveLength(1);
    expect((await api.get(`/v1/search?q=colossus&thread=${id}`)).body.hits).toHaveLength(1);
  });

  test.each([
    ["an empty search", "/v1/search", 400],
    ["an unknown thread", "/v1/search?q=x&thread=nobody", 404],
    ["too many words", `/v1/search?q=${Array.from({ length: 70 }, (_, n) => `w${n}`).join("+")}`, 400],
  ])("%s is an error", async (_, path, status) => {
    expect((await api.get(path)).status).toBe(status);
  });
});

test("compressed bodies are stored decompressed", async () => {
  const put = await fetch(`${api.koine.url}/v1/blobs`, {
    method: "POST",
    headers: { "content-encoding": "gzip" },
    body: gzipSync("hello hello"),
  });
  const { blob, size } = (await put.json()) as { blob: string; size: number };
  expect([put.status, size]).toEqual([201, 11]);
  expect((await api.get(`/v1/blobs/${blob}`)).text).toBe("hello hello");
});

test("a task that was running at its export is idle after its import, and continues with the next message", async () => {
  const model = new ManualModel();
  const config = { providers: { test: model.provider }, tasks: { model: "test/manual" } };
  await using one = await startApi(config);
  await using other = await startApi(config);
  const task = await createTask(one.koine.url, { message: "First." });
  const id = task.split("/").at(-1) ?? "";
  const pendingCall = await model.nextCall();
  const exported = await one.get(`/v1/export?thread=${id}`);
  expect((await other.post("/v1/import", exported.text)).body).toMatchObject({ threads: 1 });
  const copy = `${other.koine.url}/v1/task/${id}`;
  expect((await call(copy)).body.task.state).toBe("idle");
  expect((await call(`${copy}/message`, { message: "Second." })).body.queued).toBe(false);
  const again = await model.nextCall();
  expect(toMessageLines(again.request)).toEqual(["user: First.", "user: Second."]);
  again.complete("Two.");
  pendingCall.complete("One.");
});

test("the media types of import and blob bodies are documented", () => {
  const { paths } = api.document;
  const content = ["post", "requestBody", "content"];
  expect(paths["/v1/import"]).toHaveProperty([...content, "application/x-ndjson"]);
  expect(paths["/v1/blobs"]).toHaveProperty([...content, "application/octet-stream"]);
});
