// Checks that a store returns values exactly as written, and that later changes of a caller's row object do not affect
// the store.
import type { RunRow } from "../../ledger/store/rows.ts";
import { RUN_STATES } from "../../ledger/store/rows.ts";
import {
  aliasRow,
  blobRow,
  chunkRow,
  toTestHash,
  toTestId,
  keyRow,
  logRow,
  messageRow,
  quarantineRow,
  refRow,
  runRow,
  threadRow,
  workRow,
} from "./rows.ts";
import type { StoreRequirement, StoreTestContext } from "./store-test-context.ts";
import { assertSame } from "./store-test-context.ts";

const LARGEST = Number.MAX_SAFE_INTEGER;

/** Texts that some databases change or reject. */
const TEXTS: readonly [what: string, text: string][] = [
  ["an empty text", ""],
  ["white space at both ends", "  \n\t text \r\n "],
  ["quotes and operators", `'; DROP TABLE messages; -- "%_*\\\\'`],
  ["characters of four bytes", "🏛️ 𐀀 𝔎𝔬𝔦𝔫𝔢 κοινή é e\u0301 \uFFFF"],
  ["control characters", "\u0001\u001f\u007f\u2028"],
  ["an escaped zero", String.raw`{"text":"\u0000 and \ud800 and \\u0000"}`],
  ["a number's spelling", '{"a": 1.0, "b":  1e3, "c": 12345678901234567890.5, "a": 2}'],
  ["text that is no JSON", '{"torn": '],
  ["a text that looks like a time", "2026-01-01T00:00:00Z"],
  ["digits alone", "00123"],
  ["a long text", "κοινή 🏛️ ".repeat(40_000)],
];

async function preservesThreads({ write, key, reads }: ValueCheckContext): Promise<void> {
  for (const [at, [what, text]] of TEXTS.entries()) {
    const own = { ...key, threadId: `thread ${at}` };
    const row = threadRow(own, {
      title: text,
      scope: text,
      metadata: text,
      leafId: toTestId(at),
      pinned: at % 2 === 0,
    });
    // The kind is shortened, because it is a key of an index, which limits the length.
    row.kind = text.slice(0, 200);
    await write((tx) => tx.insertThread(row));
    await assertSame(
      reads.thread(own),
      { ...row, newestMessageId: null, lastId: "" },
      `A thread with ${what} must be returned as it was written.`,
    );
  }
  const bare = threadRow(key);
  await write((tx) => tx.insertThread(bare));
  const row = (await reads.threads(key.tenant, { limit: 100 })).find(({ id }) => id === key.threadId);
  await assertSame(row, bare, "A thread with nulls must be returned as it was written.");
}

async function preservesMessages({ write, key, reads }: ValueCheckContext): Promise<void> {
  for (const [at, [what, text]] of TEXTS.entries()) {
    const row = messageRow(key, at + 1, { body: text, role: "assistant", runId: "run", digest: `digest ${what}` });
    await write((tx) => tx.insertMessages([row]));
    await assertSame(reads.message(key, row.id), row, `A message with ${what} must be returned as it was written.`);
    await assertSame(
      reads.messages(key, { limit: 1, order: "desc" }),
      [row],
      `A list with ${what} must be returned as it was written.`,
    );
  }
}

async function preservesRuns({ write, key, reads }: ValueCheckContext): Promise<void> {
  for (const [at, [what, text]] of TEXTS.entries()) {
    const row: RunRow = {
      ...runRow(key, `run ${at}`, { state: RUN_STATES[at % RUN_STATES.length] ?? "created" }),
      mode: at % 2 === 0 ? "replace" : "branch",
      forks: at % 2 === 0,
      compacted: at % 2 === 1,
      forkFromId: toTestId(at),
      idempotencyKey: text,
      error: text,
      usage: text,
      metadata: text,
      epoch: LARGEST,
      leaseUntil: LARGEST - 1,
      finishedAt: LARGEST - 2,
      lastSeq: LARGEST - 3,
      firstDeltaId: toTestId(1),
      lastDeltaId: toTestId(2),
    };
    await write((tx) => tx.insertRun(row));
    await assertSame(reads.run(key.tenant, row.id), row, `A run with ${what} must be returned as it was written.`);
  }
  const bare = runRow(key, "run", { leaseUntil: 0, epoch: 0 });
  await write((tx) => tx.insertRun(bare));
  await assertSame(
    reads.run(key.tenant, "run"),
    bare,
    "A run with nulls, zeros and -1 must be returned as it was written.",
  );
}

async function preservesLog({ write, key, reads }: ValueCheckContext): Promise<void> {
  for (const [at, [what, text]] of TEXTS.entries()) {
    const row = logRow(key, at, { body: text, kind: (["delta", "run", "entry"] as const)[at % 3] ?? "run" });
    await write((tx) => tx.insertLog([row]));
    await assertSame(
      reads.log(key, { limit: 1, order: "desc" }),
      [row],
      `A log row with ${what} must be returned as it was written.`,
    );
  }
}

async function preservesKeys({ write, key, reads }: ValueCheckContext): Promise<void> {
  for (const [what, text] of TEXTS) {
    // The name is shortened, because a name of 400,000 characters exceeds the limit of an index.
    const row = keyRow(key, text.slice(0, 200), { hash: text, result: text, createdAt: LARGEST });
    await write((tx) => tx.insertKey(row));
    await assertSame(reads.idempotencyKey(key, row.key), row, `A key with ${what} must be returned as it was written.`);
  }
}

async function preservesAliasesAndWork({ write, key, reads }: ValueCheckContext): Promise<void> {
  for (const [what, text] of TEXTS) {
    const name = text.slice(0, 200);
    const alias = { ...aliasRow(key, name), runId: name };
    await write((tx) => tx.putAlias(alias));
    await assertSame(reads.alias(key.tenant, name), alias, `An alias with ${what} must be returned as it was written.`);
    const own = { ...key, threadId: `thread ${what}` };
    const row = workRow(own, { wants: LARGEST, wantedAt: LARGEST, holder: text, leaseId: name, leaseUntil: LARGEST });
    await write((tx) => tx.addWork(row));
    await assertSame(reads.work(own), row, `Work with ${what} must be returned as it was written.`);
  }
  await write((tx) => tx.addWork(workRow(key)));
  await assertSame(reads.work(key), workRow(key), "Work with nulls must be returned as it was written.");
}

async function preservesBlobs({ write, key, reads }: ValueCheckContext): Promise<void> {
  const row = blobRow(key.tenant, toTestHash("aa"), { size: LARGEST, createdAt: LARGEST });
  await write((tx) => tx.insertBlob(row));
  await assertSame(
    reads.blob(key.tenant, row.hash),
    row,
    "A blob with large numbers must be returned as it was written.",
  );
  const every = Array.from({ length: 256 }, (_, byte) => byte);
  const long = Array.from({ length: 1_000_000 }, (_, at) => (at * 7) % 256);
  for (const [position, bytes] of [every, [], [0], long].entries()) {
    const chunk = chunkRow(key.tenant, row.blobId, position, bytes);
    await write((tx) => tx.insertChunk(chunk));
    await assertSame(
      reads.chunk(key.tenant, row.blobId, position),
      chunk,
      `A chunk of ${bytes.length} bytes must be returned as it was written.`,
    );
  }
  // The chunk is a view of a larger buffer; only the bytes of the view must be stored.
  const bytes = Uint8Array.from(every).subarray(10, 20);
  const chunk = { ...chunkRow(key.tenant, row.blobId, 9), bytes };
  await write((tx) => tx.insertChunk(chunk));
  await assertSame(
    reads.chunk(key.tenant, row.blobId, 9),
    chunk,
    "A chunk that is a part of a buffer must be returned as it was written.",
  );
}

async function preservesQuarantine({ write, key, reads }: ValueCheckContext): Promise<void> {
  for (const [at, [what, text]] of TEXTS.entries()) {
    const row = { ...quarantineRow(key, at, text), body: text, foundAt: text.slice(0, 100) };
    await write((tx) => tx.quarantine(row));
    const quarantined = (await reads.quarantined(key.tenant, 100)).find(({ messageId }) => messageId === row.messageId);
    await assertSame(quarantined, row, `A quarantined record with ${what} must be returned as it was written.`);
  }
}

/** Requires that a change of a row object after it was written, or after it was read, does not change the store. */
async function copiesRows({ write, key, reads }: ValueCheckContext): Promise<void> {
  const given = { thread: threadRow(key), message: messageRow(key, 1), run: runRow(key, "run"), log: logRow(key, 2) };
  const rest = {
    key: keyRow(key, "key"),
    blob: blobRow(key.tenant, toTestHash("aa")),
    ref: refRow(key, 1, toTestHash("aa")),
  };
  const chunk = chunkRow(key.tenant, "blob", 0, [1, 2, 3]);
  const should = structuredClone({ ...given, ...rest, chunk });
  await write(
    (tx) => tx.insertThread(given.thread),
    (tx) => tx.insertMessages([given.message]),
    (tx) => tx.insertRun(given.run),
    (tx) => tx.insertLog([given.log]),
    (tx) => tx.insertKey(rest.key),
    (tx) => tx.insertBlob(rest.blob),
    (tx) => tx.insertChunk(chunk),
    (tx) => tx.insertBlobRefs([rest.ref]),
  );
  for (const row of [...Object.values(given), ...Object.values(rest)]) changeTexts(row);
  chunk.bytes.fill(9);
  const read = async (): Promise<typeof should | undefined> => {
    const thread = (await reads.threads(key.tenant, { limit: 1 }))[0];
    const message = await reads.message(key, toTestId(1));
    const run = await reads.run(key.tenant, "run");
    const log = (await reads.log(key, { limit: 1 }))[0];
    const name = await reads.idempotencyKey(key, "key");
    const blob = await reads.blob(key.tenant, toTestHash("aa"));
    const ref = (await reads.blobRefs(key))[0];
    const bytes = await reads.chunk(key.tenant, "blob", 0);
    if (!thread || !message || !run || !log || !name || !blob || !ref || !bytes) return undefined;
    return { thread, message, run, log, key: name, blob, ref, chunk: bytes };
  };
  const first = await read();
  await assertSame(first, should, "A change of a row object after a write must not change the stored row.");
  for (const row of Object.values(first ?? {})) changeTexts(row);
  first?.chunk.bytes.fill(9);
  await assertSame(read(), should, "A change of a row object after a read must not change the stored row.");
}

/** Changes every text of a row object, unless the object is frozen, which a store may do with its rows. */
function changeTexts(row: object): void {
  if (Object.isFrozen(row)) return;
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === "string") Object.assign(row, { [name]: "spoiled" });
  }
}

/** The members of the context that these checks destructure; `write` is bound to the context. */
interface ValueCheckContext extends Pick<StoreTestContext, "key" | "reads"> {
  write: StoreTestContext["write"];
}

function withValueContext(
  check: (tools: ValueCheckContext) => Promise<void>,
): (context: StoreTestContext) => Promise<void> {
  return (context) => check({ key: context.key, reads: context.reads, write: (...steps) => context.write(...steps) });
}

export const VALUE_CLAIMS: readonly StoreRequirement[] = [
  ["threads come back exactly as they were written", withValueContext(preservesThreads)],
  ["messages come back exactly as they were written", withValueContext(preservesMessages)],
  ["runs come back exactly as they were written", withValueContext(preservesRuns)],
  ["log rows come back exactly as they were written", withValueContext(preservesLog)],
  ["idempotency keys come back exactly as they were written", withValueContext(preservesKeys)],
  ["aliases and work come back exactly as they were written", withValueContext(preservesAliasesAndWork)],
  ["blobs and chunks come back exactly as they were written", withValueContext(preservesBlobs)],
  ["quarantined records come back exactly as they were written", withValueContext(preservesQuarantine)],
  [
    "rows that were passed to the store or returned by it can be changed without changing the store",
    withValueContext(copiesRows),
  ],
];
