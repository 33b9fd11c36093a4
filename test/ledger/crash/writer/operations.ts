// Performs each kind of operation, and selects the part of its result that is logged.
import type { Run } from "../../../../src/ledger/types.ts";
import { type Message, type StoredMessage, user } from "../../../../src/model/index.ts";
import { toMessage, createRunScript } from "./content.ts";
import type { Operation, OperationKind, OperationResult, WrittenMessage } from "./writer-log.ts";
import type { Lane } from "./lane.ts";
import { SeededRandom } from "../campaign/seeded-random.ts";
import type { LiveLaneRun } from "./lane-view.ts";

type Of<Kind extends OperationKind> = Extract<Operation, { kind: Kind }>;
type Performers = { [Kind in OperationKind]: (lane: Lane, what: Of<Kind>, name: string) => Promise<OperationResult> };

const written = (messages: readonly StoredMessage[]): WrittenMessage[] =>
  messages.map(({ id, parentMessageId }) => [id, parentMessageId]);

/** The maximum length of a resent history. */
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
    const stored = await lane.tools.ledger.append(threadId, drafts.map(toMessage), {
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
    await tools.ledger.append(threadId, drafts.map(toMessage), { idempotencyKey: key });
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
    if (!run.attached) lane.view(threadId).liveRuns.push({ run, script: createRunScript(script), given: 0 });
    return { runId: run.id, attached: run.attached };
  },

  async deltas(lane, { threadId, runId, from, to }) {
    const liveRun = requireLiveRun(lane, threadId, runId);
    await liveRun.run.append(liveRun.script.slice(from, to));
    liveRun.given = to;
    return {};
  },

  async commit(lane, { threadId, runId, drafts }) {
    const { run } = requireLiveRun(lane, threadId, runId);
    const { messages, supersededRunIds } = await run.commit(drafts?.map(toMessage));
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

  async findThread({ tools }, { threadId }) {
    const stored = await tools.ledger.transcript(threadId, { limit: MOST_HISTORY + 1 });
    const expectedIds = stored.at(-1)?.id ?? null;
    if (stored.at(-1)?.role !== "assistant" || stored.length > MOST_HISTORY) {
      return { threadMatch: { sent: 0, known: 0, threadId, leaf: null, wanted: expectedIds } };
    }
    const history = stored.map(({ role, parts }): Message => ({ role, parts }));
    const match = await tools.ledger.findThread([...history, user("something new")]);
    const { known, parentMessageId: leaf } = match;
    return { threadMatch: { sent: history.length, known, threadId: match.threadId, leaf, wanted: expectedIds } };
  },

  async blob({ tools }, { seed, size }) {
    const random = new SeededRandom(seed);
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

/** Performs the operation. Throws the ledger's errors. */
export function performOperation(lane: Lane, name: string, what: Operation): Promise<OperationResult> {
  // The table has an entry for the kind of each operation.
  const performer = PERFORMERS[what.kind] as (lane: Lane, what: Operation, name: string) => Promise<OperationResult>;
  return performer(lane, what, name);
}

function requireLiveRun(lane: Lane, threadId: string, runId: string): LiveLaneRun {
  const liveRun = lane.view(threadId).findLiveRun(runId);
  if (liveRun === undefined) throw new Error(`A lane without the run ${runId}.`);
  return liveRun;
}

async function end(
  lane: Lane,
  { threadId, runId }: Of<"fail" | "cancel">,
  how: (run: Run) => Promise<{ messages: StoredMessage[] }>,
): Promise<OperationResult> {
  const { messages } = await how(requireLiveRun(lane, threadId, runId).run);
  const view = lane.view(threadId);
  view.drop(runId);
  view.wrote(messages.map(({ id }) => id));
  return { written: written(messages) };
}
