// Finds the stored message that a history was last known to end with: the longest match; of several, the caller's own
// scope, then the active path, then the newest.
import { activeLeaf } from "../leaf.ts";
import { findOnPath } from "../paths.ts";
import type { MessageHeader, ThreadHead } from "../rows.ts";
import type { Scope } from "../scope.ts";
import { runLater } from "../steps.ts";
import type { Place } from "./history.ts";

/** As a rule the last answer is known: it is asked for alone, and then more and more at a time. */
const FIRST = 1;
const GROWTH = 8;
const MOST = 512;
/** So many threads that say the same are compared, newest first. */
const COMPARED = 64;

export interface Match {
  at: number;
  header: MessageHeader;
}

/** The longest of the places, given longest first, that a message of the tenant stands at. */
export async function findMatch(
  scope: Scope,
  places: Iterator<Place>,
  own: string | undefined,
): Promise<Match | undefined> {
  for (let size = FIRST; ; size = Math.min(size * GROWTH, MOST)) {
    const asked: Place[] = [];
    for (let next = places.next(); next.done !== true; next = places.next()) {
      asked.push(next.value);
      if (asked.length === size) break;
    }
    if (asked.length === 0) return undefined;
    const match = await longest(scope, asked, own);
    if (match !== undefined) return match;
  }
}

async function longest(scope: Scope, asked: readonly Place[], own: string | undefined): Promise<Match | undefined> {
  const { store, tenant } = scope;
  const digests = asked.map(({ digest }) => digest);
  const found = await store.reads.findDigests(tenant, digests, COMPARED);
  if (found.length === 0) return undefined;
  // Short conversations are alike more often: they may have crowded out the longest.
  if (found.length === COMPARED && asked.length > 1) {
    for (const place of asked) {
      const match = await longest(scope, [place], own);
      if (match !== undefined) return match;
    }
    return undefined;
  }
  for (const { at, digest } of asked) {
    const header = await preferred(
      scope,
      found.filter((each) => each.digest === digest),
      own,
    );
    if (header !== undefined) return { at, header };
  }
  return undefined;
}

const OWN = 2;
const ACTIVE = 1;

/** Of messages that end the same conversation, newest first, the one to go on with. */
export async function preferred(
  scope: Scope,
  headers: readonly MessageHeader[],
  own: string | undefined,
): Promise<MessageHeader | undefined> {
  if (headers.length < 2) return headers[0];
  let best: MessageHeader | undefined;
  let rank = -1;
  for (const header of headers) {
    if (rank === (own === undefined ? ACTIVE : OWN + ACTIVE)) break;
    const head = await scope.store.reads.thread({ tenant: scope.tenant, threadId: header.threadId });
    if (head === undefined) continue;
    let mine = own !== undefined && head.scope === own ? OWN : 0;
    // The way from the leaf is walked only where it can make a difference.
    if (mine + ACTIVE > rank && (await isActive(scope, head, header.id))) mine += ACTIVE;
    if (mine > rank) [best, rank] = [header, mine];
  }
  return best;
}

async function isActive(scope: Scope, head: ThreadHead, id: string): Promise<boolean> {
  const key = { tenant: scope.tenant, threadId: head.id };
  return (await runLater(findOnPath(scope.store.reads, key, activeLeaf(head), id))) !== undefined;
}
