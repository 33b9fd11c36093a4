// Measures the cost of a turn, its growth, the load time and the bytes on disk of all stores in one run. The stores use
// their own files and alternate in small batches, because the load of the machine varies.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, table } from "../measure.ts";
import type { ConversationStore, StoreSession, Sync } from "./conversation-store.ts";
import { createMessage } from "./conversation-store.ts";

const BATCH = 50;
/** The message counts at which load time, size and growth are measured. */
const MARKS = [100, 1000, 5000];

interface MeasuredStore {
  store: ConversationStore;
  folder: string;
  session: StoreSession;
  count: number;
  /** The cost per turn of each batch, in microseconds. */
  batches: number[];
  loads: Map<number, number>;
}

function measureBytes(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

async function appendBatch(measured: MeasuredStore): Promise<void> {
  const messages = Array.from({ length: BATCH }, (_, i) => createMessage(measured.count + i));
  const start = performance.now();
  for (const message of messages) await measured.session.append(message);
  measured.batches.push(((performance.now() - start) * 1000) / BATCH);
  measured.count += BATCH;
}

async function timeLoad({ session, count }: MeasuredStore): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    const start = performance.now();
    const found = await session.load();
    times.push(performance.now() - start);
    if (found !== count) throw new Error(`${found} messages came back of ${count}`);
  }
  return median(times);
}

/** Appends messages to all stores, batch by batch, up to `most` messages, and measures the load time at each mark. */
async function appendUpToMarks(all: readonly MeasuredStore[], most: number): Promise<void> {
  for (let count = 0; count < most; count += BATCH) {
    const unfinished = all.filter(({ store }) => count < (store.maxMessages ?? most));
    // The store that goes first changes with each batch.
    for (const i of unfinished.keys()) {
      const measured = unfinished[(i + count / BATCH) % unfinished.length];
      if (measured !== undefined) await appendBatch(measured);
    }
    if (!MARKS.includes(count + BATCH)) continue;
    for (const measured of unfinished) measured.loads.set(count + BATCH, await timeLoad(measured));
  }
}

/** Returns the median cost of a turn in the batches that end at a mark. */
function readCostAt({ batches }: MeasuredStore, mark: number): number {
  const end = mark / BATCH;
  return median(batches.slice(Math.max(0, end - 6), end));
}

const ratio = (value: number | undefined, floor: number | undefined): string =>
  value === undefined || floor === undefined ? "" : `${(value / floor).toFixed(2)} ×`;

function report(all: readonly MeasuredStore[], sync: Sync, most: number): void {
  const floor = all[0];
  if (floor === undefined) return;
  const marks = MARKS.filter((mark) => mark <= most);
  table(
    `One turn of 1 kB appended, synchronous = ${sync}: µs, as a multiple of the floor, and at each length`,
    ["", "µs a turn", "× floor", ...marks.map((mark) => `at ${mark}`)],
    all.map((each) => [
      each.store.name,
      median(each.batches).toFixed(0),
      ratio(median(each.batches), median(floor.batches)),
      ...marks.map((mark) => (each.count >= mark ? readCostAt(each, mark).toFixed(0) : "")),
    ]),
  );
  table(
    "Loading the conversation: ms, and as a multiple of the floor",
    ["", ...marks.flatMap((mark) => [`${mark}`, "×"])],
    all.map((each) => [
      each.store.name,
      ...marks.flatMap((mark) => [
        each.loads.get(mark)?.toFixed(2) ?? "",
        ratio(each.loads.get(mark), floor.loads.get(mark)),
      ]),
    ]),
  );
}

/** Opens all stores, appends the messages, closes the stores and measures their files. */
export async function measureTurns(stores: readonly ConversationStore[], sync: Sync, most: number): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "koine-bench-"));
  try {
    const all: MeasuredStore[] = [];
    for (const [i, store] of stores.entries()) {
      if (store.gap !== undefined) {
        console.log(`${store.name}: ${store.gap}`);
        continue;
      }
      const folder = mkdtempSync(join(root, `${i}-`));
      const session = await store.open(join(folder, "data.db"), sync);
      all.push({ store, folder, session, count: 0, batches: [], loads: new Map() });
    }
    await appendUpToMarks(all, most);
    report(all, sync, most);
    for (const each of all) await each.session.close();
    table(
      "Bytes on disk for a message of 1 kB, everything included but the search index",
      ["", "messages", "bytes each"],
      all.map(({ store, folder, count }) => [store.name, `${count}`, (measureBytes(folder) / count).toFixed(0)]),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
