// Tests search: the searchable text of a message, and that the index is up to date for each search.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { LedgerError } from "../../../src/ledger/errors.ts";
import { createLedger } from "../../../src/ledger/open.ts";
import { SearchIndex, extractSearchText } from "../../../src/ledger/search/index.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import type { Ledger } from "../../../src/ledger/types.ts";
import { assistant, audio, file, image, reasoning, refusal, text, toolCall, user } from "../../../src/model/index.ts";
import { createTestScope } from "../support/scope.ts";
import type { OpenLedger } from "../support/stores.ts";
import { STORES } from "../support/stores.ts";

const result = { type: "tool-result", toolCallId: "c", toolName: "lighthouse", isError: false } as const;
const DATA = Buffer.from("the bytes of an image that must not be indexed".repeat(9)).toString("base64");

describe("the searchable text of a message", () => {
  test.each([
    ["text", [text("three ships")], "three ships"],
    ["a refusal", [refusal("I will not")], "I will not"],
    ["no reasoning", [reasoning("secret thoughts")], ""],
    [
      "a tool call with its input",
      [toolCall("c", "harbour", { city: "Corinth", deep: [{ x: "yes" }], n: 7 })],
      "harbour\nCorinth\nyes",
    ],
    ["the output of a tool", [{ ...result, output: "calm sea" }], "lighthouse\ncalm sea"],
    ["the JSON output of a tool", [{ ...result, output: { wind: "west" } }], "lighthouse\nwest"],
    [
      "attachments by name",
      [{ ...result, content: [text("inner"), image({ data: DATA, name: "map.png" })] }],
      "lighthouse\ninner\nmap.png",
    ],
    ["a transcript", [audio({ data: DATA, transcript: "spoken" })], "spoken"],
    ["a document", [file({ text: "its words", name: "log.txt" })], "log.txt\nits words"],
    ["no data, also not in a tool result", [{ ...result, output: `see ${DATA} there` }], "lighthouse\nsee   there"],
    ["long words of scripts without spaces", [text("港".repeat(300))], "港".repeat(300)],
    ["no unknown part types", [{ type: "constructor", text: "x" }], ""],
    ["characters that databases reject, replaced", [text("a\u0000b\uD800")], "a b\uFFFD"],
  ])("%s", (_sentence, parts, expected) => {
    expect(extractSearchText({ parts: parts as never })).toBe(expected);
  });

  test("is limited in length", () => {
    expect(extractSearchText(user("ship ".repeat(100_000))).length).toBe(262_144);
  });
});

describe.each(STORES)("$name", (under) => {
  let opened: OpenLedger;
  let ledger: Ledger;
  beforeAll(async () => {
    opened = await under.open({ blobThreshold: 64 });
    ({ ledger } = opened);
  });
  afterAll(() => opened.close());

  test("finds messages that were just written, best first, with a snippet", async () => {
    const { id: threadId } = await ledger.createThread();
    const [first, second] = await ledger.append(threadId, [
      user("Which harbour has the most ships, and why does everybody ask me about them?"),
      assistant("Corinth has ships, ships and more ships."),
    ]);
    const hits = await ledger.search("SHIPS");
    expect(hits.map(({ messageId }) => messageId)).toStrictEqual([second?.id, first?.id]);
    expect(hits[0]).toMatchObject({ threadId, snippet: expect.stringContaining("ships") as string });
    await ledger.append(threadId, [user("Ships again.")]);
    expect(await ledger.search("ships")).toHaveLength(3);
    expect(await ledger.search("ships", { limit: 1 })).toHaveLength(1);
    expect(await ledger.search("ships harbour")).toHaveLength(1);
  });

  test("searches one thread if it is named, and never another tenant", async () => {
    const [here, there] = [await ledger.createThread(), await ledger.createThread()];
    for (const { id } of [here, there]) await ledger.append(id, [user("a trireme")]);
    expect(await ledger.search("trireme")).toHaveLength(2);
    expect(await ledger.search("trireme", { threadId: here.id })).toMatchObject([{ threadId: here.id }]);
    expect(await ledger.forTenant("other").search("trireme")).toStrictEqual([]);
  });

  test.each(['"', "(", "trireme OR", "a AND -b", "*", "x:y", "NEAR(", "'; --", "\\", "%", "_", "🚢"])(
    "%j is searched like any other text",
    async (query) => {
      await expect(ledger.search(query)).resolves.toBeInstanceOf(Array);
    },
  );

  test("a query without words finds nothing", async () => {
    expect(await ledger.search("  ")).toStrictEqual([]);
    await expect(ledger.search(7 as never)).rejects.toMatchObject({ code: "invalid-input", path: "query" });
  });

  test("a query may have 64 words and 4096 characters; a longer one is rejected, not truncated", async () => {
    const { id: threadId } = await ledger.createThread();
    const queries = Array.from({ length: 65 }, (_, at) => `oar${at}`);
    await ledger.append(threadId, [user(queries.join(" "))]);
    const most = queries.slice(1).join(" ");
    expect(await ledger.search(`${most} ${most}`, { threadId })).toHaveLength(1);
    expect(await ledger.search("oar1 ".repeat(819).padEnd(4096), { threadId })).toHaveLength(1);
    for (const query of [queries.join(" "), queries.join("-"), "oar1 ".repeat(819).padEnd(4097)]) {
      await expect(ledger.search(query)).rejects.toMatchObject({ code: "invalid-input", path: "query" });
    }
  });

  test("texts in blobs are found, also among others", async () => {
    const { id: threadId } = await ledger.createThread();
    const long = (word: string): string => `${"on and on it goes ".repeat(20)}${word}`;
    const messages = ["alpha", "beta", "gamma"].flatMap((word) => [
      user("short"),
      user(long(word)),
      user([text(long(`${word}one`)), file({ text: long(`${word}two`) }), image({ data: DATA })]),
    ]);
    await ledger.append(threadId, messages);
    for (const word of ["alpha", "beta", "gamma", "betaone", "gammatwo"]) {
      expect(await ledger.search(word, { threadId })).toHaveLength(1);
    }
  });

  test("texts in blobs are read once, however many messages are indexed together", async () => {
    const { id: threadId } = await ledger.createThread();
    await ledger.search("anything");
    const count = 120;
    await ledger.append(
      threadId,
      Array.from({ length: count }, (_, at) => user(`keel${at} ${"on and on it goes ".repeat(9)}`)),
    );
    const chunks = vi.spyOn(opened.store.reads, "chunk");
    const batches = vi.spyOn(opened.store, "indexMessages");
    expect(await ledger.search(`keel${count - 1}`, { threadId })).toHaveLength(1);
    expect(chunks).toHaveBeenCalledTimes(count);
    expect(batches.mock.calls.length).toBeLessThan(8);
    vi.restoreAllMocks();
  });

  test.each(["read-only", "disk-full", "corrupt"] as const)(
    "a database that is %s is searched as far as it is indexed, or throws",
    async (code) => {
      const { id: threadId } = await ledger.createThread();
      await ledger.append(threadId, [user("an anchor")]);
      expect(await ledger.search("anchor", { threadId })).toHaveLength(1);
      await ledger.append(threadId, [user("another anchor")]);
      const error = new LedgerError(code, "It cannot be written to.");
      const indexed = vi.spyOn(opened.store, "indexMessages").mockRejectedValue(error);
      const search = ledger.search("anchor", { threadId });
      await (code === "corrupt" ? expect(search).rejects.toBe(error) : expect(search).resolves.toHaveLength(1));
      indexed.mockRestore();
      expect(await ledger.search("anchor", { threadId })).toHaveLength(2);
    },
  );

  test("B91: a damaged message does not affect the search of others", async () => {
    const { id: threadId } = await ledger.createThread();
    const row = { tenant: "default", threadId, parentId: null, runId: null, role: "user", digest: "" };
    await opened.store.write(function* damaged(tx) {
      const rows = ['{"parts', "[]", '{"parts":7}'].map((body, at) =>
        Object.assign({ id: `${at}`.padStart(26, "0"), body }, row),
      );
      const written = tx.insertMessages(rows);
      if (typeof written === "object") yield written;
    });
    await ledger.append(threadId, [user("a penteconter")]);
    expect(await ledger.search("penteconter")).toHaveLength(1);
  });

  test("many messages are indexed in several batches", async () => {
    const { id: threadId } = await ledger.createThread();
    for (let count = 0; count < 3; count++) {
      await ledger.append(
        threadId,
        Array.from({ length: 400 }, (_, at) => user(`boat number${count}x${at}`)),
      );
    }
    expect(await ledger.search("boat number0x0", { threadId })).toHaveLength(1);
    expect(await ledger.search("boat number2x399", { threadId })).toHaveLength(1);
  });
});

describe("the background index", () => {
  test("catches up soon after a write, and not after the ledger was closed", async () => {
    vi.useFakeTimers();
    try {
      const scope = createTestScope(memoryStore());
      const indexed = vi.spyOn(scope.store, "indexMessages");
      const index = new SearchIndex(scope, 50);
      index.scheduleUpdate();
      index.scheduleUpdate();
      expect(indexed).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(60);
      expect(indexed).toHaveBeenCalledTimes(1);
      index.scheduleUpdate();
      await index.close();
      index.scheduleUpdate();
      await vi.advanceTimersByTimeAsync(200);
      expect(indexed).toHaveBeenCalledTimes(1);
    } finally {
      vi.useRealTimers();
    }
  });

  const waits: [indexMs: number | false, times: number][] = [
    [50, 1],
    [false, 0],
  ];
  test.each(waits)(
    "with indexMs %j, appended and committed messages are indexed %i times after a pause",
    async (indexMs, times) => {
      vi.useFakeTimers();
      try {
        const store = memoryStore();
        const indexed = vi.spyOn(store, "indexMessages");
        const ledger = createLedger(store, { indexMs });
        const { id: threadId } = await ledger.createThread();
        await ledger.append(threadId, [user("a")]);
        await vi.advanceTimersByTimeAsync(40);
        await (await ledger.beginRun({ threadId })).commit([assistant("b")]);
        await vi.advanceTimersByTimeAsync(40);
        expect(indexed).not.toHaveBeenCalled();
        await vi.advanceTimersByTimeAsync(40);
        expect(indexed).toHaveBeenCalledTimes(times);
        await ledger.close();
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test("the search rejects with the error of the index", async () => {
    const scope = createTestScope(memoryStore());
    vi.spyOn(scope.store, "indexMessages").mockRejectedValue(new Error("The line is dead."));
    await expect(new SearchIndex(scope).update()).rejects.toThrow("The line is dead.");
  });
});
