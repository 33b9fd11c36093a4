// How each kind of operation is done, and what of its result is told.
import type { Run } from "../../../src/ledger/types.ts";
import { type Message, type StoredMessage, user } from "../../../src/model/index.ts";
import { messageOf, scriptOf } from "./content.ts";
import type { Operation, OperationKind, Result, Written } from "./journal.ts";
import type { Lane } from "./lane.ts";
import { Seeded } from "./seeded.ts";
import type { HeldRun } from "./view.ts";

type Of<Kind extends OperationKind> = Extract<Operation, { kind: Kind }>;
type Performers = { [Kind in OperationKind]: (lane: Lane, what: Of<Kind>, name: string) => Promise<Result> };

const written = (messages: readonly StoredMessage[]): Written[] =>
  messages.map(({ id, parentMessageId }) => [id, parentMessageId]);

/** A client that resends more than this is not needed to find a mistake. */
const MOST_HISTORY = 40;

const PERFORMERS: Performers = {
  async create({ tools }, { threadId }) {
    await tools.ledger.createThread({ id: threadId });
    return {};
  },

  async observe(lane, { threadId }) {
    const { messages, activeLeafId } = await lane.tools.ledger.tree(threadId);
    const ids = messages.map(({ id }) => id);
    lane.view(threadId).saw(ids, activeLeafId);
    return { leaf: activeLeafId, count: ids.length };
  },

  async append(lane, { threadId, drafts, parent, expectedLeaf, key }, name) {
    const stored = await lane.tools.ledger.append(threadId, drafts.map(messageOf), {
      ...(parent === undefined ? {} : { parentMessageId: parent }),
      ...(expectedLeaf === undefined ? {} : { expectedLeaf }),
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });
    const view = lane.view(threadId);
    view.wrote(
      stored.map(({ id }) => id),
      stored.at(-1)?.id ?? null,
    );
    if (key !== undefined) view.keys.push(name);
    return { written: written(stored) };
  },

  async misuse({ tools }, { threadId, drafts, key }) {
    await tools.ledger.append(threadId, drafts.map(messageOf), { idempotencyKey: key });
    return {};
  },

  async begin(lane, { threadId, fork, mode, key, script }, name) {
    const run = await lane.tools.ledger.beginRun({
      threadId,
      mode,
      metadata: { operation: name },
      ...(fork === undefined ? {} : { forkFromMessageId: fork }),
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });
    if (!run.attached) lane.view(threadId).held.push({ run, script: scriptOf(script), given: 0 });
    return { runId: run.id, attached: run.attached };
  },

  async deltas(lane, { threadId, runId, from, to }) {
    const held = heldRun(lane, threadId, runId);
    await held.run.append(held.script.slice(from, to));
    held.given = to;
    return {};
  },

  async commit(lane, { threadId, runId, drafts }) {
    const { run } = heldRun(lane, threadId, runId);
    const { messages, supersededRunIds } = await run.commit(drafts?.map(messageOf));
    const view = lane.view(threadId);
    view.drop(runId);
    const moved = run.info.mode === "branch" ? view.leaf : (messages.at(-1)?.id ?? null);
    view.wrote(
      messages.map(({ id }) => id),
      moved,
    );
    return { written: written(messages), superseded: supersededRunIds };
  },

  fail: (lane, what) => end(lane, what, (run) => run.fail("the campaign wants it so")),
  cancel: (lane, what) => end(lane, what, (run) => run.cancel()),

  async select(lane, { threadId, messageId }) {
    await lane.tools.ledger.select(threadId, messageId);
    lane.view(threadId).leaf = messageId;
    return {};
  },

  async purge({ tools }, { threadId }) {
    return { deleted: await tools.ledger.purge({ threadId, what: "replaced" }) };
  },

  async recognise({ tools }, { threadId }) {
    const stored = await tools.ledger.transcript(threadId, { limit: MOST_HISTORY + 1 });
    const wanted = stored.at(-1)?.id ?? null;
    if (stored.at(-1)?.role !== "assistant" || stored.length > MOST_HISTORY) {
      return { recognised: { sent: 0, known: 0, threadId, leaf: null, wanted } };
    }
    const history = stored.map(({ role, parts }): Message => ({ role, parts }));
    const found = await tools.ledger.recognise([...history, user("something new")]);
    const { known, parentMessageId: leaf } = found;
    return { recognised: { sent: history.length, known, threadId: found.threadId, leaf, wanted } };
  },

  async blob({ tools }, { seed, size }) {
    const random = new Seeded(seed);
    const { blob } = await tools.ledger.putBlob(Uint8Array.from({ length: size }, () => random.below(256)));
    return { blob };
  },

  async recover({ tools }) {
    const recovered = await (tools.late ?? tools.ledger).recover();
    return { recovered: recovered.map(({ runId, messages }) => ({ runId, written: written(messages) })) };
  },

  async compact({ tools }) {
    return { count: await tools.ledger.compact() };
  },

  open: () => Promise.resolve({}),
};

/** Does the operation. Throws what the ledger throws. */
export function perform(lane: Lane, name: string, what: Operation): Promise<Result> {
  // The table has a performer for the kind of each operation.
  const performer = PERFORMERS[what.kind] as (lane: Lane, what: Operation, name: string) => Promise<Result>;
  return performer(lane, what, name);
}

function heldRun(lane: Lane, threadId: string, runId: string): HeldRun {
  const held = lane.view(threadId).heldRun(runId);
  if (held === undefined) throw new Error(`A lane without the run ${runId}.`);
  return held;
}

async function end(
  lane: Lane,
  { threadId, runId }: Of<"fail" | "cancel">,
  how: (run: Run) => Promise<{ messages: StoredMessage[] }>,
): Promise<Result> {
  const { messages } = await how(heldRun(lane, threadId, runId).run);
  const view = lane.view(threadId);
  view.drop(runId);
  view.wrote(messages.map(({ id }) => id));
  return { written: written(messages) };
}
