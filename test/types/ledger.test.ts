// Types of the ledger: calls need no cast, options may be undefined, and an expected leaf may not. The
// assertions are checked by the compiler (`npm run check`); at run time they only have to run.
import { expectTypeOf, test } from "vitest";
import type { Delta, Message, MessageDelta, ProviderError, StoredMessage } from "koine";
import type {
  AppendOptions,
  CommitOptions,
  CommitResult,
  ContextOptions,
  FollowOptions,
  Ledger,
  LedgerEvent,
  LedgerOptions,
  LedgerTimers,
  NewRun,
  NewThread,
  PurgeOptions,
  FindThreadOptions,
  Run,
  SearchOptions,
  ThreadChanges,
  TranscriptOptions,
} from "koine/ledger";
import { openLedger } from "koine/ledger";

/** The whole contract in one piece. Compiled, never called. */
async function contract(deltas: Delta[], messages: Message[], lines: string[], signal: AbortSignal): Promise<void> {
  const timers: LedgerTimers = { now: () => 0, after: () => () => undefined };
  const options = { tenant: "t", clock: Date.now, timers, leaseMs: 1, sync: "full", blobThreshold: 1 } as const;
  const ledger = await openLedger("sqlite:koine.db", options);
  const { id: threadId } = await ledger.createThread({ title: "a" });
  const [first] = await ledger.append(threadId, messages, { expectedLeaf: null, idempotencyKey: "k" });
  const leaf = first?.id ?? null;
  const run = await ledger.beginRun({ threadId, forkFromMessageId: leaf, mode: "replace", idempotencyKey: "k" });
  await run.append(deltas);
  const { supersededRunIds } = await run.commit();
  await ledger.append(threadId, messages, { parentMessageId: leaf, expectedLeaf: leaf });
  await Promise.all(supersededRunIds.map((id) => ledger.run(id)));
  await run.cancel();
  await ledger.runs(threadId);
  await ledger.transcript(threadId, { branch: "active", limit: 1, before: run.id });
  const { messages: all } = await ledger.tree(threadId);
  await ledger.findThread(await ledger.context(threadId, { maxMessages: 1, branch: all[0]?.id }));
  await ledger.select(threadId, leaf);
  let cursor: string | undefined;
  for await (const event of ledger.follow({ threadId, runId: run.id, after: cursor, signal })) {
    cursor = event.cursor;
    if (event.type === "delta") expectTypeOf(event.delta).toEqualTypeOf<MessageDelta>();
    else if (event.type === "message") expectTypeOf(event.message).toEqualTypeOf<StoredMessage>();
  }
  await ledger.recover();
  await ledger.search("words");
  for await (const line of ledger.export(threadId)) lines.push(line);
  await ledger.import(lines);
  await ledger.purge({ threadId, what: "replaced", before: new Date(), dryRun: true });
  try {
    await run.commit(messages);
  } catch (error) {
    await run.fail(error);
  }
  await ledger.close();
}

test("the contract compiles as it is written", () => {
  expectTypeOf(contract).returns.toEqualTypeOf<Promise<void>>();
  expectTypeOf<Run["commit"]>().returns.toEqualTypeOf<Promise<CommitResult>>();
  expectTypeOf<Ledger["follow"]>().returns.toEqualTypeOf<AsyncIterableIterator<LedgerEvent>>();
});

/** The names of fields that may be left out, but not be undefined. */
type Strict<T> = {
  [Name in keyof T]-?: T extends Record<Name, unknown> ? never : undefined extends Exact<T>[Name] ? never : Name;
}[keyof T];
/** The fields as they are declared: without the `undefined` that reading one that is left out gives. */
type Exact<T> = { [Name in keyof T]-?: Record<Name, undefined> extends Pick<T, Name> ? undefined : T[Name] };

test("options may be undefined", () => {
  type Options = [
    LedgerOptions,
    NewThread,
    ThreadChanges,
    TranscriptOptions,
    ContextOptions,
    FindThreadOptions,
    FollowOptions,
    PurgeOptions,
    SearchOptions,
    NonNullable<Parameters<Ledger["threads"]>[0]>,
    NonNullable<Parameters<Ledger["resumeRun"]>[1]>,
  ];
  expectTypeOf<{ [At in keyof Options]: Strict<Options[At]> }[number]>().toEqualTypeOf<never>();
  expectTypeOf<Strict<{ a?: string }>>().toEqualTypeOf<"a">();
});

test("an expected leaf may not, because a guard that is undefined guards nothing", () => {
  expectTypeOf<Strict<AppendOptions>>().toEqualTypeOf<"expectedLeaf">();
  expectTypeOf<Strict<NewRun>>().toEqualTypeOf<"expectedLeaf">();
  expectTypeOf<Strict<CommitOptions>>().toEqualTypeOf<"expectedLeaf">();
});

test("a run can fail with any caught value", () => {
  expectTypeOf<Run["fail"]>().parameter(0).toEqualTypeOf<unknown>();
  expectTypeOf<ProviderError>().toExtend<Parameters<Run["fail"]>[0]>();
});
