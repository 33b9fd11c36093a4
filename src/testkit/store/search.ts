// Store requirements: the search index, and queries that are words, never expressions.
import type { MessageRow } from "../../ledger/store/rows.ts";
import type { SearchHit } from "../../ledger/store/queries.ts";
import { assertHolds } from "../conformance-case.ts";
import { StopError } from "./fixture.ts";
import { toTestId, messageRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext } from "./store-test-context.ts";
import { assertSame, catchError } from "./store-test-context.ts";

/** The text of a message is its body. */
const bodyOf = (row: MessageRow): string => row.body;

/** More batches than any store needs. */
const MAX_ROUNDS = 1_000;

/** Indexes all messages, also those of other checks. */
async function indexAll(context: StoreTestContext, textOf = bodyOf): Promise<void> {
  for (let round = 0; (await context.store.indexMessages(textOf, 100)) > 0; round++) {
    assertHolds(round < MAX_ROUNDS, "The index never is up to date.");
  }
}

async function writeAndIndex(context: StoreTestContext, texts: readonly string[], key = context.key): Promise<void> {
  await context.write((tx) => tx.insertMessages(texts.map((body, at) => messageRow(key, at + 1, { body }))));
  await indexAll(context);
}

/** Returns the numbers of the messages that were found, sorted. */
async function searchNumbers({ store, tenant }: StoreTestContext, text: string): Promise<number[]> {
  const hits = await store.search({ tenant, text, limit: 99 });
  return hits.map(({ messageId }) => Number(messageId)).toSorted((left, right) => left - right);
}

async function waitsForTexts(context: StoreTestContext): Promise<void> {
  const { key, store } = context;
  await indexAll(context);
  const rows = Array.from({ length: 7 }, (_, at) => messageRow(key, at + 1, { body: `oar${at + 1}` }));
  await context.write((tx) => tx.insertMessages(rows));
  const requestedIds = new Set<string>();
  const lacks = (row: MessageRow): string | undefined => {
    requestedIds.add(row.id);
    return row.id === toTestId(2) ? undefined : row.body;
  };
  await assertSame(await store.indexMessages(lacks, 7), 0, "Nothing is taken where one text is not at hand.");
  await assertSame(requestedIds.size, 7, "All that are asked for together are asked for.");
  await assertSame(searchNumbers(context, "oar1"), [], "What was asked for together is not found yet.");
  await indexAll(context);
  await assertSame(searchNumbers(context, "oar2"), [2], "It is found once its text was at hand.");
  await assertSame(searchNumbers(context, "oar7"), [7], "So is what was asked for together with it.");
}

async function takesMessages(context: StoreTestContext): Promise<void> {
  const { key, store } = context;
  await indexAll(context);
  const rows = Array.from({ length: 7 }, (_, at) => messageRow(key, at + 1, { body: `letter${at + 1}` }));
  await context.write((tx) => tx.insertMessages(rows));
  const seen: MessageRow[] = [];
  const textOf = (row: MessageRow): string => {
    if (row.tenant === context.tenant) seen.push(row);
    return `the word${Number(row.id)}`;
  };
  for (let [round, taken] = [0, 1]; taken > 0; round++) {
    taken = await store.indexMessages(textOf, 3);
    assertHolds(taken <= 3, `Three were asked for at most, and ${taken} were taken.`);
    assertHolds(round < MAX_ROUNDS, "The index never is up to date.");
  }
  await assertSame(
    seen.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    rows,
    "Every message is taken once, as it was written.",
  );
  await assertSame(searchNumbers(context, "word4"), [4], "What textOf gave is found.");
  await assertSame(searchNumbers(context, "letter4"), [], "What it did not give is not.");
  await context.write((tx) => tx.insertMessages([messageRow(key, 8)]));
  await assertSame(searchNumbers(context, "word8"), [], "What was not indexed yet is not found.");
  await indexAll(context, textOf);
  await assertSame(searchNumbers(context, "word8"), [8], "A message that came later is found after it was indexed.");
  const messages = (await context.reads.messages(key, { limit: 9 })).slice(0, 7);
  await assertSame(messages, rows, "Messages are as they were.");
}

const TEXTS = [
  "The rate of exchange",
  "of exchange the rate, and a zebra",
  "A zebra and an owl",
  'say "rate" or near(exchange) and not 100% of title: rates* for you',
  "Ελλάδα και Ἀθῆναι",
  "Der naïve ÉTRANGER trinkt",
  "北京 天气 很好",
];

const QUERIES: readonly [query: string, numbers: readonly number[], why: string][] = [
  ["rate", [1, 2, 4], "a word"],
  ["RATE", [1, 2, 4], "a word in capitals"],
  ["rate zebra", [2], "both words must occur"],
  ["zebra rate", [2], "in any order"],
  ["  zebra \n\t rate  ", [2], "whatever stands between them"],
  ["rate unicorn", [], "one of two does not occur"],
  ["rat", [], "a part of a word is another word"],
  ["rat*", [], "a star makes no prefix"],
  ["rate*", [1, 2, 4], "a star is no word"],
  ["ra%", [], "a percent sign stands for nothing"],
  ["r_te", [], "nor does an underscore"],
  ["rate OR unicorn", [], "OR is a word"],
  ["rate or exchange", [4], "a word that occurs"],
  ["rate NOT unicorn", [], "NOT is a word"],
  ["rate AND zebra", [2], "AND is a word"],
  ["rate -zebra", [2], "a minus excludes nothing"],
  ["rate !zebra", [2], "nor does an exclamation mark"],
  ["rate & zebra", [2], "an ampersand is no operator"],
  ["rate | unicorn", [], "nor is a bar"],
  ["rate <-> exchange", [1, 2, 4], "an arrow asks for no neighbourhood"],
  ['"exchange of"', [1, 2, 4], "quotes make no phrase"],
  ['"rate', [1, 2, 4], "a quote alone"],
  ["rate\\", [1, 2, 4], "a backslash"],
  ["rate's", [], "an apostrophe"],
  ["'rate'", [1, 2, 4], "single quotes"],
  ["near(exchange)", [4], "a function is two words"],
  ["(rate", [1, 2, 4], "a bracket alone"],
  ["title:rates", [4], "a column is a word"],
  ["{rate} ^rate :rate", [1, 2, 4], "other operators"],
  ["rate:*", [1, 2, 4], "a label"],
  ["100", [4], "a number"],
  ["ελλάδα", [5], "another script, in small letters"],
  ["ΕΛΛΆΔΑ", [5], "another script, in capitals"],
  ["étranger NAÏVE", [6], "letters with accents"],
  ["naive Etranger", [6], "letters without their accents"],
  ["nai\u0308ve", [6], "letters whose accents stand apart"],
  ["Ελλαδα ΑΘΗΝΑΙ", [5], "another script without its accents"],
  ["天气", [7], "a word of a script without letters"],
];

async function findsTerms(context: StoreTestContext): Promise<void> {
  await writeAndIndex(context, TEXTS);
  for (const [query, numbers, why] of QUERIES) {
    const attempt = await catchError(() => context.store.search({ tenant: context.tenant, text: query, limit: 9 }));
    assertHolds(attempt === undefined, `The query ${query} failed: ${String(attempt?.error)}`);
    await assertSame(searchNumbers(context, query), numbers, `The query ${query}: ${why}.`);
  }
}

const PREFIX_QUERIES: readonly [query: string, numbers: readonly number[], why: string][] = [
  ["rat", [1, 2, 4], "the beginning of a word"],
  ["rate", [1, 2, 4], "a whole word"],
  ["zebra RA", [2], "whole words before it"],
  ["ra zebra", [], "only the last may be a beginning"],
  ["zeb ", [2, 3], "whatever follows it"],
  ["etr", [6], "without its accents"],
  ["ate", [], "no end of a word"],
  ["rat*", [1, 2, 4], "a star is no word"],
  ['"ra', [1, 2, 4], "nor is a quote"],
  ["天", [7], "of a script without letters"],
  ["", [], "nothing"],
];

async function findsBeginnings(context: StoreTestContext): Promise<void> {
  const { store, tenant } = context;
  await writeAndIndex(context, TEXTS);
  for (const [text, numbers, why] of PREFIX_QUERIES) {
    const hits = await store.search({ tenant, text, prefix: true, limit: 9 });
    const ids = hits.map(({ messageId }) => Number(messageId)).toSorted((left, right) => left - right);
    await assertSame(ids, numbers, `The beginning ${JSON.stringify(text)}: ${why}.`);
  }
  const filler = "Nothing is said here of birds. ".repeat(20);
  await context.write((tx) =>
    tx.insertMessages([messageRow(context.key, 20, { body: `${filler}An albatross came.` })]),
  );
  await indexAll(context);
  const [hit] = await store.search({ tenant, text: "alba", prefix: true, limit: 9 });
  assertHolds(hit?.snippet.includes("albatross") === true, "A snippet shows the word.", hit?.snippet);
}

async function findsNothingInNothing(context: StoreTestContext): Promise<void> {
  await writeAndIndex(context, TEXTS);
  for (const query of ["", "   ", "%", "*", '"', '""', "()", "-", "!?", "🏛️", "\\", "' OR 1=1 --", ":*", "\0"]) {
    await assertSame(searchNumbers(context, query), [], `The query ${JSON.stringify(query)} has no word that occurs.`);
  }
}

async function findsWithin(context: StoreTestContext): Promise<void> {
  const { store, tenant, other } = context;
  await writeAndIndex(context, ["one owl", "two owls and an owl"]);
  await writeAndIndex(context, ["another owl"], other);
  const foreign = { tenant: `${tenant}-twin`, threadId: "thread" };
  await writeAndIndex(context, ["a foreign owl"], foreign);
  const places = async (threadId?: string, limit = 9): Promise<string[]> => {
    const query = { tenant, text: "owl", limit, ...(threadId === undefined ? {} : { threadId }) };
    return (await store.search(query)).map((hit) => `${hit.threadId} ${Number(hit.messageId)}`).toSorted();
  };
  await assertSame(places(), ["thread 1", "thread 2", "thread-other 1"], "All threads of the tenant, and no other's.");
  await assertSame(places(other.threadId), ["thread-other 1"], "One thread.");
  await assertSame(places("none"), [], "A thread that is not there.");
  assertHolds((await places(undefined, 2)).length === 2, "Two were asked for.");
}

async function findsSomeOfEach(context: StoreTestContext): Promise<void> {
  const { store, tenant, other } = context;
  await writeAndIndex(context, ["an owl", "an owl and an owl", "owl owl owl owl", "owl"]);
  await writeAndIndex(context, [`An owl. ${"Nothing is said here of birds. ".repeat(20)}`], other);
  const searchThreadIds = async (perThread: number, limit = 9): Promise<string[]> =>
    (await store.search({ tenant, text: "owl", perThread, limit })).map(({ threadId }) => threadId);
  await assertSame(searchThreadIds(2), ["thread", "thread", "thread-other"], "Two of a thread, the best first.");
  await assertSame(searchThreadIds(1), ["thread", "thread-other"], "One of each.");
  await assertSame(searchThreadIds(2, 1), ["thread"], "One at all.");
  const [best] = await store.search({ tenant, text: "owl", limit: 1 });
  const [first] = await store.search({ tenant, text: "owl", perThread: 1, limit: 9 });
  await assertSame(first, best, "Of a thread, its best.");
}

async function showsSnippets(context: StoreTestContext): Promise<void> {
  const { store, tenant } = context;
  const filler = "Nothing is said here of birds. ".repeat(200);
  await writeAndIndex(context, [`${filler}Then an OWL came. ${filler}`, "owl owl owl owl owl owl"]);
  const hits: SearchHit[] = await store.search({ tenant, text: "owl", limit: 9 });
  await assertSame(
    hits.map(({ messageId }) => messageId),
    [toTestId(2), toTestId(1)],
    "The best comes first.",
  );
  for (const { snippet } of hits) assertHolds(/owl/i.test(snippet), "A snippet shows what was found.", snippet);
  assertHolds((hits[1]?.snippet.length ?? 0) < 2_000, "A snippet is a stretch of the text.", hits[1]?.snippet);
}

async function forgetsDeleted(context: StoreTestContext): Promise<void> {
  const { key, other } = context;
  await writeAndIndex(context, ["owl", "owl", "owl"]);
  await writeAndIndex(context, ["owl"], other);
  await context.write((tx) => tx.insertMessages([messageRow(key, 9, { body: "owl" })]));
  const stop = new StopError();
  await catchError(() =>
    context.write(
      (tx) => tx.deleteMessages(key, [toTestId(1)]),
      () => {
        throw stop;
      },
    ),
  );
  await assertSame(searchNumbers(context, "owl"), [1, 1, 2, 3], "A delete that was undone.");
  // One of them is not in the index yet.
  await context.write((tx) => tx.deleteMessages(key, [toTestId(2), toTestId(9)]));
  await indexAll(context);
  await assertSame(searchNumbers(context, "owl"), [1, 1, 3], "Deleted messages are not found.");
  await context.write((tx) => tx.deleteThread(key));
  await assertSame(searchNumbers(context, "owl"), [1], "Messages of a deleted thread are not found.");
  await context.write((tx) => tx.insertMessages([messageRow(key, 3, { body: "raven" })]));
  await indexAll(context);
  await assertSame(searchNumbers(context, "raven"), [3], "An id that is used again is indexed again.");
  await assertSame(searchNumbers(context, "owl"), [1], "With its new words alone.");
}

export const SEARCH_CLAIMS: readonly StoreRequirement[] = [
  ["indexMessages takes every message once, so many at a time", takesMessages],
  ["indexMessages takes nothing while a text is not at hand, and all of it later", waitsForTexts],
  ["search finds messages that have all the words; quotes and operators are words", findsTerms],
  ["search finds the beginning of the last word where that is asked for", findsBeginnings],
  ["search finds nothing where the query has no word that occurs", findsNothingInNothing],
  ["search keeps to the tenant, the thread and the limit", findsWithin],
  ["search gives so many of each thread where that is asked for", findsSomeOfEach],
  ["search gives the best first, each with a snippet around what was found", showsSnippets],
  ["search does not find what was deleted", forgetsDeleted],
];
