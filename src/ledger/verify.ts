// Reads every record and reports the records that cannot be read or are inconsistent. Stored data is not changed.
import type { StoredMessage } from "../model/index.ts";
import { parseJson } from "../model/index.ts";
import { findBlobFault, readMarker, findMisplacedString, listReferencedBlobs } from "./blobs/index.ts";
import { decodeRow } from "./messages/message-body.ts";
import { activeLeaf } from "./messages/active-leaf.ts";
import { eachThreadId, logPages, messagePages } from "./pages.ts";
import type { MessageRow, ThreadHead } from "./store/rows.ts";
import type { LedgerScope } from "./scope.ts";
import { requireThreadHead, toThreadKey } from "./threads/threads.ts";
import type { LedgerProblem } from "./types.ts";

/**
 * Returns the problems of a thread, or of all threads of the tenant. A problem of a run has the run's id in
 * `messageId`.
 */
export async function verify(scope: LedgerScope, threadId?: string): Promise<LedgerProblem[]> {
  const verifier = new Verifier(scope);
  if (threadId !== undefined) await verifier.thread(await requireThreadHead(scope, toThreadKey(scope, threadId)));
  else {
    for await (const id of eachThreadId(scope)) {
      const head = await scope.store.reads.thread({ tenant: scope.tenant, threadId: id });
      // The thread may have been deleted after its id was listed.
      if (head !== undefined) await verifier.thread(head);
    }
  }
  return verifier.problems;
}

class Verifier {
  readonly problems: LedgerProblem[] = [];
  readonly #scope: LedgerScope;
  #threadId = "";
  /**
   * The fault of each checked blob by its hash, undefined if the blob is intact. A blob is checked once, although many
   * messages may reference it.
   */
  readonly #blobs = new Map<string, string | undefined>();

  constructor(scope: LedgerScope) {
    this.#scope = scope;
  }

  async thread(head: ThreadHead): Promise<void> {
    const scope = this.#scope;
    const key = { tenant: scope.tenant, threadId: head.id };
    this.#threadId = head.id;
    if (head.metadata !== null) this.#json("", head.metadata, "The thread's metadata");
    const ids = new Set<string>();
    for await (const rows of messagePages(scope, key, head.lastId)) {
      for (const row of rows) await this.#message(row, ids);
    }
    const leaf = activeLeaf(head);
    if (leaf !== null && !ids.has(leaf)) this.#add("", `The active leaf ${leaf} does not exist.`);
    for (const { id, error, usage, metadata } of await scope.store.reads.runs(key)) {
      for (const [name, text] of Object.entries({ error, usage, metadata })) {
        if (text !== null) this.#json(id, text, `The ${name} of this run`);
      }
    }
    for await (const rows of logPages(scope, key, head.lastId)) {
      for (const { id, kind, runId, body } of rows) {
        if (kind === "entry") this.#json(id, body, "This entry of the journal");
        else this.#json(runId, body, `The log row ${id} of this run`);
      }
    }
  }

  #add(messageId: string, reason: string): void {
    this.problems.push({ tenant: this.#scope.tenant, threadId: this.#threadId, messageId, reason });
  }

  #json(recordId: string, text: string, subject: string): void {
    try {
      parseJson(text);
    } catch (error) {
      this.#add(recordId, `${subject} cannot be read: ${toReason(error)}`);
    }
  }

  /**
   * Checks a message and adds its id to `ids`, which contains the ids of all earlier messages of the thread. A parent
   * has a smaller id than its children, so it was checked earlier: if its id is not in `ids`, the parent is missing.
   */
  async #message(row: MessageRow, ids: Set<string>): Promise<void> {
    const { id, parentId, role } = row;
    if (parentId !== null && !ids.has(parentId))
      this.#add(id, `The parent ${parentId} of this message does not exist.`);
    ids.add(id);
    let message: StoredMessage;
    try {
      message = decodeRow(row);
    } catch (error) {
      this.#add(id, toReason(error));
      return;
    }
    if (message.role !== role) this.#add(id, `The row has the role "${role}", but the message has "${message.role}".`);
    const marker = readMarker(message);
    const misplaced = marker && findMisplacedString(message, marker);
    if (misplaced !== undefined) this.#add(id, misplaced);
    const markerBlobs = marker?.strings.map(({ blob }) => blob) ?? [];
    for (const blob of new Set([...markerBlobs, ...listReferencedBlobs(message)])) await this.#blob(id, blob);
  }

  async #blob(messageId: string, blob: string): Promise<void> {
    if (!this.#blobs.has(blob)) this.#blobs.set(blob, await findBlobFault(this.#scope, blob));
    const fault = this.#blobs.get(blob);
    if (fault !== undefined) this.#add(messageId, fault);
  }
}

function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
