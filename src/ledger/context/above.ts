// What a context wants to know of the path above the part of it that was read: the instructions that the path begins
// with, and the user message that came last. Both are found by a walk up to the root, which ends early where an earlier
// walk of this process has been: messages never change, and neither does what stands above them.
import { setImmediate as otherWork } from "node:timers/promises";
import { climb, firstSize, nextSize } from "../paths.ts";
import type { MessageHeader } from "../rows.ts";
import type { Scope } from "../scope.ts";
import type { LedgerStore, ThreadKey } from "../store.ts";

/** What stands from a message, with it, up to the root. */
export interface Above {
  /** The last of the instructions that the path begins with. */
  instructionId: string | null;
  /** Whether there is nothing but instructions. */
  isAll: boolean;
  /** The nearest user message. */
  userId: string | null;
}

export function isInstruction(role: string): boolean {
  return role === "system" || role === "developer";
}

/** Rows after which the rest of the process gets its turn. */
const CHUNK = 1000;

export async function lookAbove({ store }: Scope, key: ThreadKey, from: string | null): Promise<Above> {
  const above: Above = { instructionId: null, isAll: true, userId: null };
  const known = landmarks(store, key);
  let steps = 0;
  let size = firstSize(Number.POSITIVE_INFINITY);
  for (let wanted = from; wanted !== null;) {
    const read: MessageHeader[] = await store.reads.headers(key, { upTo: wanted, order: "down", limit: size });
    const { rows, next, missing } = climb(read, wanted);
    const met = rows.findIndex(({ id }) => known.has(id));
    for (const row of met === -1 ? rows : rows.slice(0, met)) include(above, row);
    steps += met === -1 ? rows.length : met;
    const landmark = known.get(rows[met]?.id ?? "");
    if (landmark !== undefined) {
      join(above, landmark);
      break;
    }
    // What stands above a message that is missing may come back with it: nothing to remember.
    if (missing) return above;
    if (read.length >= CHUNK) await otherWork();
    size = nextSize(size, rows.length, read.length);
    wanted = next;
  }
  if (from !== null && steps >= APART) keepLandmark(store, key, from, { ...above });
  return above;
}

/** Adds the message above all that were looked at. */
function include(above: Above, { id, role }: MessageHeader): void {
  if (isInstruction(role)) above.instructionId ??= id;
  else [above.instructionId, above.isAll] = [null, false];
  if (role === "user") above.userId ??= id;
}

/** Adds what is known of all that stands above. */
function join(above: Above, rest: Above): void {
  above.instructionId = rest.isAll ? (above.instructionId ?? rest.instructionId) : rest.instructionId;
  above.isAll &&= rest.isAll;
  above.userId ??= rest.userId;
}

/** Threads that are remembered per store, and messages of each: those that came last, for several branches. */
const MOST_THREADS = 1000;
const MOST_LANDMARKS = 8;
/** How far apart they are, at least: a walk to the next one is about as quick as a shorter walk. */
const APART = 64;

const kept = new WeakMap<LedgerStore, Map<string, Map<string, Above>>>();
const NONE: ReadonlyMap<string, Above> = new Map();

function nameOf({ tenant, threadId }: ThreadKey): string {
  return JSON.stringify([tenant, threadId]);
}

function landmarks(store: LedgerStore, key: ThreadKey): ReadonlyMap<string, Above> {
  return kept.get(store)?.get(nameOf(key)) ?? NONE;
}

function keepLandmark(store: LedgerStore, key: ThreadKey, id: string, above: Above): void {
  let threads = kept.get(store);
  if (threads === undefined) kept.set(store, (threads = new Map()));
  const name = nameOf(key);
  const ofThread = threads.get(name) ?? new Map<string, Above>();
  // Anew, so that the first of a map is always the one that was not in use for longest.
  threads.delete(name);
  ofThread.delete(id);
  trim(threads.set(name, ofThread), MOST_THREADS);
  trim(ofThread.set(id, above), MOST_LANDMARKS);
}

function trim(map: Map<string, unknown>, most: number): void {
  if (map.size <= most) return;
  const [first] = map.keys();
  if (first !== undefined) map.delete(first);
}

/** Forgets a thread of which something was deleted: an import may bring its ids back with other messages. */
export function dropLandmarks(store: LedgerStore, key: ThreadKey): void {
  kept.get(store)?.delete(nameOf(key));
}
