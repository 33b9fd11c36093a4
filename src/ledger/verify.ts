// Reads every record and says which cannot be read, or cannot be what was written. It changes nothing.
import type { StoredMessage } from "../model/index.ts";
import { parseJson } from "../model/index.ts";
import { faultOf, markerOf, misplacedIn, namedBlobs } from "./blobs/index.ts";
import { decodeRow } from "./body.ts";
import { activeLeaf } from "./leaf.ts";
import { everyThread, logPages, messagePages } from "./pages.ts";
import type { MessageRow, ThreadHead } from "./rows.ts";
import type { Scope } from "./scope.ts";
import { threadHead, threadKey } from "./threads.ts";
import type { LedgerProblem } from "./types.ts";

/** The problems of a thread, or of all threads of the tenant. Those of a run have the run's id in place of a message's. */
export async function verify(scope: Scope, threadId?: string): Promise<LedgerProblem[]> {
  const verifier = new Verifier(scope);
  if (threadId !== undefined) await verifier.thread(await threadHead(scope, threadKey(scope, threadId)));
  else {
    for await (const id of everyThread(scope)) {
      const head = await scope.store.reads.thread({ tenant: scope.tenant, threadId: id });
      // It may have been deleted since.
      if (head !== undefined) await verifier.thread(head);
    }
  }
  return verifier.problems;
}

class Verifier {
  readonly problems: LedgerProblem[] = [];
  readonly #scope: Scope;
  #threadId = "";
  /** What was found out about blobs: many messages may hold the same one. */
  readonly #blobs = new Map<string, string | undefined>();

  constructor(scope: Scope) {
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
    if (leaf !== null && !ids.has(leaf)) this.#add("", `The active leaf ${leaf} is not there.`);
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

  #json(recordId: string, text: string, what: string): void {
    try {
      parseJson(text);
    } catch (error) {
      this.#add(recordId, `${what} cannot be read: ${reasonOf(error)}`);
    }
  }

  /** Parents have smaller ids, so that they have been seen by then. */
  async #message(row: MessageRow, ids: Set<string>): Promise<void> {
    const { id, parentId, role } = row;
    ids.add(id);
    if (parentId !== null && !ids.has(parentId)) this.#add(id, `Its parent ${parentId} is not there.`);
    let message: StoredMessage;
    try {
      message = decodeRow(row);
    } catch (error) {
      this.#add(id, reasonOf(error));
      return;
    }
    if (message.role !== role) this.#add(id, `Its row says "${role}", and it says "${message.role}".`);
    const marker = markerOf(message);
    const misplaced = marker && misplacedIn(message, marker);
    if (misplaced !== undefined) this.#add(id, misplaced);
    const held = marker?.strings.map(({ blob }) => blob) ?? [];
    for (const blob of new Set([...held, ...namedBlobs(message)])) await this.#blob(id, blob);
  }

  async #blob(messageId: string, blob: string): Promise<void> {
    if (!this.#blobs.has(blob)) this.#blobs.set(blob, await faultOf(this.#scope, blob));
    const fault = this.#blobs.get(blob);
    if (fault !== undefined) this.#add(messageId, fault);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
