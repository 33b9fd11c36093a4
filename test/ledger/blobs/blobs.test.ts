// Tests blobs: long strings of messages are restored exactly and stored once, and failed uploads leave nothing.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeBlobs, readMarker, extractBlobs } from "../../../src/ledger/blobs/index.ts";
import type { BlobRow } from "../../../src/ledger/store/rows.ts";
import type { LedgerScope } from "../../../src/ledger/scope.ts";
import type { LedgerTransaction } from "../../../src/ledger/store/contract.ts";
import { memoryStore } from "../../../src/ledger/stores/memory/index.ts";
import type { LedgerProblem } from "../../../src/ledger/types.ts";
import {
  assistant,
  file,
  image,
  type Message,
  parseJson,
  stringifyJson,
  text,
  user,
} from "../../../src/model/index.ts";
import { json, response } from "../../support/arbitrary.ts";
import { expectSameJson } from "../../support/expect-same-json.ts";
import { deepFreeze, collect, createTestScope, toUnstoredMessage } from "../support/scope.ts";
import type { OpenLedger } from "../support/stores.ts";
import { STORES } from "../support/stores.ts";
import { codePoint } from "../../support/code-points.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";

/** The smallest threshold, so that many strings are extracted. */
const THRESHOLD = 0;

const PICTURE = Buffer.from("a picture of a small ship before Corinth, ".repeat(4)).toString("base64");
const LONG = "The ship left Corinth in the morning, and did not return. ".repeat(2);

function own(message: Message, fields: object): Message {
  return Object.assign({}, message, fields);
}

const MESSAGES: readonly [sentence: string, message: Message][] = [
  ["a text", user(LONG)],
  ["a picture", user([image({ data: PICTURE, mimeType: "image/png" })])],
  ["the same image twice", user([image({ data: PICTURE }), file({ data: PICTURE, name: "a.png" })])],
  ["a document of text", user([file({ text: LONG.repeat(3), mimeType: "text/plain" })])],
  ["base64 without padding", user([image({ data: PICTURE.replace(/=+$/, "") })])],
  ["base64 with nonzero trailing bits", user([image({ data: `${"A".repeat(80)}AB==` })])],
  ["base64url", user([image({ data: "-_".repeat(40) })])],
  ["base64 over several lines", user([image({ data: `${PICTURE}\n${PICTURE}` })])],
  ["a lone surrogate", user(`${LONG}\uD83D${LONG}`)],
  ["U+0000 and U+FFFD", user(`\u0000${LONG}\uFFFD`)],
  ["a byte order mark", user(`\uFEFF${LONG}`)],
  ["a text that starts like base64", user(`${"Abcd".repeat(30)}, and so on`)],
  ["a field with the marker's name", own(user(LONG), { $blobs: { strings: [], why: LONG } })],
  ["a field with the marker's name and no long string", own(user("Hi."), { $blobs: 7 })],
  ["a nested value that looks like a marker", user([text("x", { extra: { a: { $blobs: { strings: [LONG] } } } })])],
  [
    "fields with unusual names",
    user([text("x", { extra: { a: JSON.parse(`{"__proto__":{"b/c~d":"${LONG}"}}`) as {} } })]),
  ],
];

describe.each(STORES)("$name", (store) => {
  let opened: OpenLedger;
  const problems: LedgerProblem[] = [];
  beforeAll(async () => {
    opened = await store.open({ blobThreshold: THRESHOLD, onProblem: (problem) => problems.push(problem) });
  });
  afterAll(() => opened.close());

  async function roundTrip(message: Message): Promise<Message> {
    const { id } = await opened.ledger.createThread();
    await opened.ledger.append(id, [deepFreeze(message)]);
    const [stored] = await opened.ledger.transcript(id);
    if (stored === undefined) throw new Error("There is no message.");
    return toUnstoredMessage(stored);
  }

  test.each(MESSAGES)("%s is restored exactly", async (_sentence, message) => {
    expect(await roundTrip(message)).toStrictEqual(message);
  });

  test("any message with any strings is restored exactly", async () => {
    const long = fc.oneof(
      fc.string({ unit: "grapheme", minLength: 50, maxLength: 120 }),
      fc.string({ unit: codePoint, minLength: 50, maxLength: 120 }),
      fc.base64String({ minLength: 50, maxLength: 120 }),
      fc.stringMatching(/^[A-Za-z0-9+/]{60,80}={0,2}$/),
    );
    const extended = fc.tuple(response, fc.array(long, { maxLength: 4 }), json).map(([{ message }, strings, value]) => {
      const parts = strings.map((each) => text(each, { extra: { x: { deep: [{ each }, 1, each] } } }));
      return own(message, { parts: [...message.parts, ...parts], unknown: value });
    });
    await fc.assert(
      fc.asyncProperty(extended, async (message) => {
        // The run of a message is set by the ledger.
        delete message.metadata;
        expectSameJson(await roundTrip(message), message);
      }),
      { numRuns: scaleRunCount(store.name === "postgres" ? 60 : 180) },
    );
  });

  test("B98: digits that a double cannot represent survive next to extracted strings", async () => {
    const value = `{"role":"user","parts":[{"type":"text","text":"${LONG}","extra":{"x":{"n":[12345678901234567890,"${LONG}"],"m":0.10000000000000000001}}}]}`;
    // The text shows that it is a message.
    const { id } = await opened.ledger.createThread();
    await opened.ledger.append(id, [parseJson(value) as unknown as Message]);
    const [stored] = await opened.ledger.transcript(id);
    expect(stringifyJson(stored)).toContain('"n":[12345678901234567890,');
    expect(stringifyJson(stored)).toContain('"m":0.10000000000000000001');
  });

  test("B97: equal contents are stored once for a tenant, and separately for another", async () => {
    const { ledger, store } = opened;
    const data = Buffer.from("stored once for each tenant, ".repeat(3)).toString("base64");
    for (const each of [ledger, ledger, ledger.forTenant("other")]) {
      const { id } = await each.createThread();
      await each.append(id, [user([image({ data })]), user([file({ data })])]);
    }
    const { blob } = await ledger.putBlob(Buffer.from(data, "base64"));
    const rows: (BlobRow | undefined)[] = [];
    for (const tenant of ["default", "other", "third"]) rows.push(await store.reads.blob(tenant, blob));
    expect(rows.map((row) => row?.size)).toStrictEqual([87, 87, undefined]);
    expect(rows[0]?.blobId).not.toBe(rows[1]?.blobId);
    await expect(collect(ledger.forTenant("third").blob(blob))).rejects.toMatchObject({ code: "unknown-blob" });
  });

  test("B97: an acknowledged upload outlives the purge of an earlier reference to the same bytes", async () => {
    for (const upload of [Buffer.alloc(300, "x"), Buffer.alloc(5_000_000, "y")]) {
      let time = Date.now();
      const ledger = (await opened.another({ clock: () => time, blobThreshold: THRESHOLD })).forTenant("uploads");
      const [before, after] = [await ledger.createThread(), await ledger.createThread()];
      await ledger.append(before.id, [user([image({ data: upload.toString("base64") })])]);
      time += 2 * 86_400_000;
      async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
        yield upload;
      }
      for (const each of [upload, pieces()]) expect(await ledger.putBlob(each)).toHaveProperty("size", upload.length);
      const { blob } = await ledger.putBlob(upload);
      const purged = await ledger.purge({ threadId: before.id, what: "thread" });
      expect([purged.threads, purged.blobs]).toStrictEqual([1, 0]);
      await ledger.append(after.id, [user([image({ blob })])]);
      expect(Buffer.concat(await collect(ledger.blob(blob))).equals(upload)).toBe(true);
      time += 2 * 86_400_000;
      expect(await ledger.purge({ threadId: after.id, what: "thread" })).toMatchObject({ threads: 1, blobs: 1 });
      await expect(collect(ledger.blob(blob))).rejects.toMatchObject({ code: "unknown-blob" });
    }
  });

  test("a message with a reference to a missing blob is rejected with the path, and nothing of it is written", async () => {
    const { ledger } = opened;
    const { id } = await ledger.createThread();
    const blob = `sha256-${"0".repeat(64)}`;
    const result = {
      type: "tool-result",
      toolCallId: "c",
      toolName: "t",
      isError: false,
      content: [text("x"), image({ blob })],
    } as const;
    const call = { type: "tool-call", toolCallId: "c", toolName: "t", input: {} } as const;
    const named = [user("Hi."), assistant([call]), { role: "tool", parts: [result] }] as Message[];
    const refusal = { code: "unknown-blob", path: "/messages/2/parts/0/content/1/blob" };
    await expect(ledger.append(id, named)).rejects.toMatchObject(refusal);
    expect(await ledger.transcript(id)).toStrictEqual([]);
    const run = await ledger.beginRun({ threadId: id });
    const answer = assistant([image({ blob })]);
    await expect(run.commit([answer])).rejects.toMatchObject({
      code: "unknown-blob",
      path: "/messages/0/parts/0/blob",
    });
    await run.cancel();
    expect(await opened.store.reads.blobRefs({ tenant: "default", threadId: id })).toStrictEqual([]);
  });

  test("a failed call stores its partial answer although a blob of the answer is missing", async () => {
    const { ledger } = opened;
    const { id } = await ledger.createThread();
    const blob = `sha256-${"0".repeat(64)}`;
    const error = { kind: "overloaded", message: "full" } as const;
    const partial = assistant([text("Half of"), image({ blob })]);
    const input = { messages: [user("Hi.")] };
    const { run, messages } = await ledger.record({ threadId: id, input, messages: [partial], error });
    expect(run.state).toBe("failed");
    expect(messages.map(({ parts }) => parts)).toStrictEqual([partial.parts]);
  });

  test.each([
    ["a string", "text"],
    ["a list", [new Uint8Array(3)]],
    ["undefined", undefined],
    [
      "a stream of strings",
      (async function* () {
        yield "text";
      })(),
    ],
  ])("%s is rejected as a blob", async (_what, bytes) => {
    const refusal = { code: "invalid-input", path: "bytes" };
    await expect(opened.ledger.putBlob(bytes as never)).rejects.toMatchObject(refusal);
    const mediaMessage = collect(opened.ledger.blob(5 as never));
    await expect(mediaMessage).rejects.toMatchObject({ code: "invalid-input", path: "reference" });
  });

  test("by reference, media contain their blob and its size, and texts are still inline", async () => {
    const { ledger } = opened;
    const { id } = await ledger.createThread();
    await ledger.append(id, [
      user([text(LONG), image({ data: PICTURE, mimeType: "image/png" }), file({ text: LONG })]),
    ]);
    const [stored] = await ledger.transcript(id, { blobs: "reference" });
    const { blob } = await ledger.putBlob(Buffer.from(PICTURE, "base64"));
    expect(stored?.parts).toStrictEqual([
      text(LONG),
      image({ mimeType: "image/png", blob, size: 168 }),
      file({ text: LONG }),
    ]);
    expect(Buffer.concat(await collect(ledger.blob(blob))).toString("base64")).toBe(PICTURE);
  });

  test("data that is not base64 is never returned as a reference, because the blob does not contain the image's bytes", async () => {
    const { ledger } = opened;
    const { id } = await ledger.createThread();
    const parts = [image({ data: "-_".repeat(40) })];
    await ledger.append(id, [user(parts)]);
    expect((await ledger.transcript(id, { blobs: "reference" }))[0]?.parts).toStrictEqual(parts);
  });

  test("a part with a blob reference stays so in the transcript, and contains the data in the context", async () => {
    const { ledger } = opened;
    const bytes = Buffer.from("x".repeat(5));
    const { blob } = await ledger.putBlob(bytes);
    const { id } = await ledger.createThread();
    const result = { type: "tool-result", toolCallId: "c", toolName: "t", isError: false } as const;
    await ledger.append(id, [
      user([image({ blob })]),
      { role: "tool", parts: [{ ...result, content: [file({ content: [image({ blob, mimeType: "image/gif" })] })] }] },
    ]);
    expect((await ledger.transcript(id))[0]?.parts).toStrictEqual([image({ blob })]);
    const [first, second] = await ledger.context(id);
    const data = bytes.toString("base64");
    expect(first?.parts).toStrictEqual([image({ data })]);
    expect(second?.parts[0]).toMatchObject({ content: [{ content: [{ mimeType: "image/gif", data }] }] });
    expect(await opened.store.reads.blobRefs({ tenant: "default", threadId: id })).toHaveLength(2);
  });

  test("B91: a missing blob is reported, and the rest of the message is readable", async () => {
    const { ledger, store } = opened;
    const { id } = await ledger.createThread();
    const lost = Buffer.from("the bytes of a blob that is lost".repeat(3)).toString("base64");
    const [stored] = await ledger.append(id, [user([text("See:"), image({ data: lost }), text(`${LONG} Lost.`)])]);
    const refs = await store.reads.blobRefs({ tenant: "default", threadId: id });
    await store.write(function* lose(tx): Generator<PromiseLike<unknown>, void, unknown> {
      for (const { hash } of refs) {
        const row = yield* wait(tx.blob("default", hash));
        if (row !== undefined) yield* wait(tx.deleteChunks("default", row.blobId));
      }
    });
    problems.length = 0;
    const [read] = await ledger.transcript(id);
    const { blob } = await ledger.putBlob(Buffer.from(lost, "base64"));
    expect(read?.parts).toStrictEqual([
      text("See:"),
      image({ blob, size: 96 }),
      text(expect.stringMatching(/^sha256-[0-9a-f]{64}$/) as string),
    ]);
    expect(problems).toStrictEqual([
      {
        tenant: "default",
        threadId: id,
        messageId: stored?.id,
        reason: expect.stringMatching(/missing.*missing/) as string,
      },
    ]);
    expect(await ledger.verify(id)).toHaveLength(2);
  });

  test("an upload of any chunks is one blob, and the same bytes come back", async () => {
    const { ledger } = opened;
    const bytes = Buffer.from(Array.from({ length: 700_001 }, (_, at) => (at * 7919) % 251));
    async function* inPieces(size: number): AsyncGenerator<Uint8Array, void, void> {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    }
    const uploads = [bytes, inPieces(1000), inPieces(262_144), inPieces(600_000)];
    const names = new Set<string>();
    for (const upload of uploads) names.add((await ledger.putBlob(upload)).blob);
    expect(names.size).toBe(1);
    const chunks = await collect(ledger.blob([...names].join()));
    expect(chunks.map(({ length }) => length)).toStrictEqual([262_144, 262_144, 175_713]);
    expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0);
  });

  test("an empty blob is stored", async () => {
    const { blob, size } = await opened.ledger.putBlob(new Uint8Array());
    expect(size).toBe(0);
    expect(await collect(opened.ledger.blob(blob))).toStrictEqual([]);
  });

  test.each(["", "sha256-", `sha256-${"0".repeat(64)}`, "md5-1"])("the blob %j does not exist", async (name) => {
    await expect(collect(opened.ledger.blob(name))).rejects.toMatchObject({ code: "unknown-blob" });
  });
});

/** Waits for a value in a transaction. */
function* wait<T>(value: T | PromiseLike<T>): Generator<PromiseLike<unknown>, T, unknown> {
  const isLater = typeof value === "object" && value !== null && "then" in value;
  return (isLater ? yield value : value) as T;
}

describe("the written rows", () => {
  const message = user([image({ data: PICTURE }), text(LONG)]);

  /** Returns the names of the writing methods that storing a message calls. */
  async function callsOf(scope: LedgerScope): Promise<string[]> {
    const calls: string[] = [];
    const key = { tenant: scope.tenant, threadId: "t" };
    await scope.store.write((tx) => {
      const calledMethods = new Proxy(tx, {
        get: (target, name: keyof LedgerTransaction) => {
          calls.push(name);
          return target[name].bind(target);
        },
      });
      return writeBlobs(scope, calledMethods, key, new Map([[scope.nextId(""), extractBlobs(message, THRESHOLD)]]));
    });
    return calls.filter((name) => name !== "blob");
  }

  test("B97: an existing blob costs only a reference", async () => {
    const scope = createTestScope(memoryStore(), { blobThreshold: THRESHOLD });
    expect(await callsOf(scope)).toStrictEqual([
      "insertBlobRefs",
      "insertBlob",
      "insertChunk",
      "insertBlob",
      "insertChunk",
    ]);
    expect(await callsOf(scope)).toStrictEqual(["insertBlobRefs"]);
  });

  test("blobs are locked and written in one order, regardless of the order of the messages", async () => {
    const orders: string[][] = [];
    const many = Array.from(
      { length: 8 },
      (_, at) => [`m${at}`, extractBlobs(user(`${at} ${LONG}`), THRESHOLD)] as const,
    );
    for (const messages of [many, many.toReversed()]) {
      const scope = createTestScope(memoryStore());
      const calls: string[] = [];
      await scope.store.write((tx) => {
        const calledMethods = Object.assign(Object.create(tx) as LedgerTransaction, {
          insertBlobRefs: () => void calls.push("refs"),
          insertChunk: () => {},
          insertBlob: (row: BlobRow) => (calls.push(row.hash), tx.insertBlob(row)),
        });
        return writeBlobs(scope, calledMethods, { tenant: "default", threadId: "t" }, new Map(messages));
      });
      orders.push(calls);
    }
    const [first = [], second] = orders;
    expect(first).toHaveLength(9);
    expect(first).toStrictEqual(["refs", ...first.slice(1).sort()]);
    expect(second).toStrictEqual(first);
  });

  test("the stored form is still a message, and contains the paths of its strings", () => {
    const stored = extractBlobs(message, THRESHOLD).message;
    expect(stored.parts).toStrictEqual([image({ data: "" }), text("")]);
    expect(readMarker(stored)?.strings).toMatchObject([
      { at: ["parts", 0, "data"], as: "base64", size: 168 },
      { at: ["parts", 1, "text"], as: "utf8", size: LONG.length },
    ]);
  });

  test("an upload that fails midway leaves no rows", async () => {
    const store = memoryStore();
    const scope = createTestScope(store);
    const written: string[] = [];
    const watched = {
      ...scope,
      nextId: (last: string): string => {
        const id = scope.nextId(last);
        written.push(id);
        return id;
      },
    };
    async function* broken(): AsyncGenerator<Uint8Array, void, void> {
      // More than one write of chunks.
      for (let count = 0; count < 20; count++) yield Buffer.alloc(262_144, count);
      throw new Error("The line is dead.");
    }
    const { putBlob } = await import("../../../src/ledger/blobs/index.ts");
    await expect(putBlob(watched, broken())).rejects.toThrow("The line is dead.");
    expect(written).toHaveLength(1);
    expect(await store.reads.chunk("default", written.join(), 0)).toBeUndefined();
  });

  test("a message without a long string is not copied", () => {
    const answer = assistant(LONG);
    expect(extractBlobs(answer, 1000).message).toBe(answer);
  });
});
