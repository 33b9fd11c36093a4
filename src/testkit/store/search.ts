// Checks the search index and the queries of a store. A query consists of words and is never an expression.
import type { MessageRow } from "../../ledger/store/rows.ts";
import type { SearchHit } from "../../ledger/store/queries.ts";
import { assertHolds } from "../conformance-case.ts";
import { StopError } from "./fixture.ts";
import { toTestId, messageRow } from "./rows.ts";
import type { StoreRequirement, StoreTestContext } from "./store-test-context.ts";
import { assertSame, catchError } from "./store-test-context.ts";

/** Returns the text that is indexed for a message: its body. */
const bodyOf = (row: MessageRow): string => row.body;

/** The maximum number of calls of indexMessages, which is higher than any store needs. */
const MAX_ROUNDS = 1_000;

/** Indexes all messages of the store, including messages of other checks. */
async function indexAll(context: StoreTestContext, textOf = bodyOf): Promise<void> {
  for (let round = 0; (await context.store.indexMessages(textOf, 100)) > 0; round++) {
    assertHolds(round < MAX_ROUNDS, "indexMessages never returned 0, so the index is never up to date.");
  }
}

async function writeAndIndex(context: StoreTestContext, texts: readonly string[], key = context.key): Promise<void> {
  await context.write((tx) => tx.insertMessages(texts.map((body, at) => messageRow(key, at + 1, { body }))));
  await indexAll(context);
}

/** Returns the numbers of the found messages, sorted. */
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
  await assertSame(
    await store.indexMessages(lacks, 7),
    0,
    "indexMessages must index no message of a batch if the text of one message is missing.",
  );
  await assertSame(requestedIds.size, 7, "indexMessages must request the text of every message of a batch.");
  await assertSame(
    searchNumbers(context, "oar1"),
    [],
    "search must not find a message of a batch that was not indexed.",
  );
  await indexAll(context);
  await assertSame(
    searchNumbers(context, "oar2"),
    [2],
    "search must find a message after its missing text was provided.",
  );
  await assertSame(
    searchNumbers(context, "oar7"),
    [7],
    "search must find the other messages of a batch after the missing text was provided.",
  );
}

async function indexesInBatches(context: StoreTestContext): Promise<void> {
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
    assertHolds(taken <= 3, `indexMessages must index at most 3 messages, but indexed ${taken}.`);
    assertHolds(round < MAX_ROUNDS, "indexMessages never returned 0, so the index is never up to date.");
  }
  await assertSame(
    seen.toSorted((left, right) => (left.id < right.id ? -1 : 1)),
    rows,
    "indexMessages must pass every message to textOf once, as it was written.",
  );
  await assertSame(searchNumbers(context, "word4"), [4], "search must find the text that textOf returned.");
  await assertSame(searchNumbers(context, "letter4"), [], "search must not find a text that textOf did not return.");
  await context.write((tx) => tx.insertMessages([messageRow(key, 8)]));
  await assertSame(searchNumbers(context, "word8"), [], "search must not find a message that is not indexed yet.");
  await indexAll(context, textOf);
  await assertSame(searchNumbers(context, "word8"), [8], "search must find a later message after it was indexed.");
  const messages = (await context.reads.messages(key, { limit: 9 })).slice(0, 7);
  await assertSame(messages, rows, "indexMessages must not change the messages.");
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
  ["rate", [1, 2, 4], "the query is one word"],
  ["RATE", [1, 2, 4], "upper and lower case are equal"],
  ["rate zebra", [2], "both words must occur"],
  ["zebra rate", [2], "the words may occur in any order"],
  ["  zebra \n\t rate  ", [2], "any white space separates words"],
  ["rate unicorn", [], "one of the two words does not occur"],
  ["rat", [], "a part of a word is another word"],
  ["rat*", [], "a star makes no prefix"],
  ["rate*", [1, 2, 4], "a star is no word"],
  ["ra%", [], "a percent sign is no wildcard"],
  ["r_te", [], "an underscore is no wildcard"],
  ["rate OR unicorn", [], "OR is a word"],
  ["rate or exchange", [4], "`or` is a word, which one message contains"],
  ["rate NOT unicorn", [], "NOT is a word"],
  ["rate AND zebra", [2], "AND is a word"],
  ["rate -zebra", [2], "a minus excludes nothing"],
  ["rate !zebra", [2], "an exclamation mark excludes nothing"],
  ["rate & zebra", [2], "an ampersand is no operator"],
  ["rate | unicorn", [], "a bar is no operator"],
  ["rate <-> exchange", [1, 2, 4], "an arrow does not require adjacent words"],
  ['"exchange of"', [1, 2, 4], "quotes make no phrase"],
  ['"rate', [1, 2, 4], "an unpaired quote is no word"],
  ["rate\\", [1, 2, 4], "a backslash is no word"],
  ["rate's", [], "the letter after the apostrophe does not occur"],
  ["'rate'", [1, 2, 4], "single quotes are no words"],
  ["near(exchange)", [4], "a function is two words"],
  ["(rate", [1, 2, 4], "an unpaired bracket is no word"],
  ["title:rates", [4], "a column name is a word"],
  ["{rate} ^rate :rate", [1, 2, 4], "braces, a caret and a colon are no operators"],
  ["rate:*", [1, 2, 4], "a label is no operator"],
  ["100", [4], "a number is a word"],
  ["ελλάδα", [5], "Greek is found in lower case"],
  ["ΕΛΛΆΔΑ", [5], "Greek is found in upper case"],
  ["étranger NAÏVE", [6], "letters with accents are found in any case"],
  ["naive Etranger", [6], "letters are found without their accents"],
  ["nai\u0308ve", [6], "letters are found with combining accents"],
  ["Ελλαδα ΑΘΗΝΑΙ", [5], "Greek is found without its accents"],
  ["天气", [7], "words of a script without letters are found"],
];

async function findsTerms(context: StoreTestContext): Promise<void> {
  await writeAndIndex(context, TEXTS);
  for (const [query, numbers, why] of QUERIES) {
    const attempt = await catchError(() => context.store.search({ tenant: context.tenant, text: query, limit: 9 }));
    assertHolds(attempt === undefined, `The query ${query} failed: ${String(attempt?.error)}`);
    await assertSame(
      searchNumbers(context, query),
      numbers,
      `The query ${query} must find exactly the expected messages: ${why}.`,
    );
  }
}

const PREFIX_QUERIES: readonly [query: string, numbers: readonly number[], why: string][] = [
  ["rat", [1, 2, 4], "the query is the beginning of a word"],
  ["rate", [1, 2, 4], "a whole word is a prefix of itself"],
  ["zebra RA", [2], "the words before the prefix are whole words"],
  ["ra zebra", [], "only the last word may be a prefix"],
  ["zeb ", [2, 3], "white space may follow the prefix"],
  ["etr", [6], "a prefix is found without its accents"],
  ["ate", [], "the end of a word is no prefix"],
  ["rat*", [1, 2, 4], "a star is no word"],
  ['"ra', [1, 2, 4], "a quote is no word"],
  ["天", [7], "prefixes of a script without letters are found"],
  ["", [], "an empty query finds nothing"],
];

async function findsPrefixes(context: StoreTestContext): Promise<void> {
  const { store, tenant } = context;
  await writeAndIndex(context, TEXTS);
  for (const [text, numbers, why] of PREFIX_QUERIES) {
    const hits = await store.search({ tenant, text, prefix: true, limit: 9 });
    const ids = hits.map(({ messageId }) => Number(messageId)).toSorted((left, right) => left - right);
    await assertSame(
      ids,
      numbers,
      `The prefix query ${JSON.stringify(text)} must find exactly the expected messages: ${why}.`,
    );
  }
  const filler = "Nothing is said here of birds. ".repeat(20);
  await context.write((tx) =>
    tx.insertMessages([messageRow(context.key, 20, { body: `${filler}An albatross came.` })]),
  );
  await indexAll(context);
  const [hit] = await store.search({ tenant, text: "alba", prefix: true, limit: 9 });
  assertHolds(
    hit?.snippet.includes("albatross") === true,
    "The snippet of a prefix query must contain the whole word.",
    hit?.snippet,
  );
}

async function findsNothingWithoutWords(context: StoreTestContext): Promise<void> {
  await writeAndIndex(context, TEXTS);
  for (const query of ["", "   ", "%", "*", '"', '""', "()", "-", "!?", "🏛️", "\\", "' OR 1=1 --", ":*", "\0"]) {
    await assertSame(
      searchNumbers(context, query),
      [],
      `The query ${JSON.stringify(query)} has no word of a message and must find nothing.`,
    );
  }
}

async function limitsResults(context: StoreTestContext): Promise<void> {
  const { store, tenant, other } = context;
  await writeAndIndex(context, ["one owl", "two owls and an owl"]);
  await writeAndIndex(context, ["another owl"], other);
  const foreign = { tenant: `${tenant}-twin`, threadId: "thread" };
  await writeAndIndex(context, ["a foreign owl"], foreign);
  const places = async (threadId?: string, limit = 9): Promise<string[]> => {
    const query = { tenant, text: "owl", limit, ...(threadId === undefined ? {} : { threadId }) };
    return (await store.search(query)).map((hit) => `${hit.threadId} ${Number(hit.messageId)}`).toSorted();
  };
  await assertSame(
    places(),
    ["thread 1", "thread 2", "thread-other 1"],
    "search must find messages in all threads of the tenant, and not of other tenants.",
  );
  await assertSame(
    places(other.threadId),
    ["thread-other 1"],
    "search with a thread id must find only messages of that thread.",
  );
  await assertSame(places("none"), [], "search in a thread that does not exist must find nothing.");
  assertHolds((await places(undefined, 2)).length === 2, "search with limit 2 must return two hits.");
}

async function limitsResultsPerThread(context: StoreTestContext): Promise<void> {
  const { store, tenant, other } = context;
  await writeAndIndex(context, ["an owl", "an owl and an owl", "owl owl owl owl", "owl"]);
  await writeAndIndex(context, [`An owl. ${"Nothing is said here of birds. ".repeat(20)}`], other);
  const searchThreadIds = async (perThread: number, limit = 9): Promise<string[]> =>
    (await store.search({ tenant, text: "owl", perThread, limit })).map(({ threadId }) => threadId);
  await assertSame(
    searchThreadIds(2),
    ["thread", "thread", "thread-other"],
    "search with `perThread` 2 must return at most two hits of each thread, the best first.",
  );
  await assertSame(
    searchThreadIds(1),
    ["thread", "thread-other"],
    "search with `perThread` 1 must return one hit of each thread.",
  );
  await assertSame(searchThreadIds(2, 1), ["thread"], "search with `perThread` 2 and limit 1 must return one hit.");
  const [best] = await store.search({ tenant, text: "owl", limit: 1 });
  const [first] = await store.search({ tenant, text: "owl", perThread: 1, limit: 9 });
  await assertSame(first, best, "search with `perThread` 1 must return the best hit of each thread.");
}

async function showsSnippets(context: StoreTestContext): Promise<void> {
  const { store, tenant } = context;
  const filler = "Nothing is said here of birds. ".repeat(200);
  await writeAndIndex(context, [`${filler}Then an OWL came. ${filler}`, "owl owl owl owl owl owl"]);
  const hits: SearchHit[] = await store.search({ tenant, text: "owl", limit: 9 });
  await assertSame(
    hits.map(({ messageId }) => messageId),
    [toTestId(2), toTestId(1)],
    "search must return the best hit first.",
  );
  for (const { snippet } of hits) assertHolds(/owl/i.test(snippet), "A snippet must contain the found word.", snippet);
  assertHolds(
    (hits[1]?.snippet.length ?? 0) < 2_000,
    "The snippet of a long text must be shorter than 2,000 characters.",
    hits[1]?.snippet,
  );
}

async function removesDeleted(context: StoreTestContext): Promise<void> {
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
  await assertSame(
    searchNumbers(context, "owl"),
    [1, 1, 2, 3],
    "search must find a message whose delete was rolled back.",
  );
  // Message 9 was written after the last call of `indexAll`, so it is not in the index.
  await context.write((tx) => tx.deleteMessages(key, [toTestId(2), toTestId(9)]));
  await indexAll(context);
  await assertSame(searchNumbers(context, "owl"), [1, 1, 3], "search must not find deleted messages.");
  await context.write((tx) => tx.deleteThread(key));
  await assertSame(searchNumbers(context, "owl"), [1], "search must not find messages of a deleted thread.");
  await context.write((tx) => tx.insertMessages([messageRow(key, 3, { body: "raven" })]));
  await indexAll(context);
  await assertSame(
    searchNumbers(context, "raven"),
    [3],
    "A new message with the id of a deleted message must be indexed.",
  );
  await assertSame(
    searchNumbers(context, "owl"),
    [1],
    "search must not find the text of a deleted message whose id is used again.",
  );
}

export const SEARCH_CLAIMS: readonly StoreRequirement[] = [
  ["indexMessages indexes every message once, and at most the given number per call", indexesInBatches],
  ["indexMessages does not index a message while its text is missing, and indexes it later", waitsForTexts],
  ["search finds messages that contain all words of the query, and has no operators and no phrases", findsTerms],
  ["search finds prefixes of the last word if `prefix` is true", findsPrefixes],
  ["search finds nothing if no message contains a word of the query", findsNothingWithoutWords],
  ["search respects the tenant, the thread and the limit", limitsResults],
  ["search returns at most `perThread` hits of each thread", limitsResultsPerThread],
  ["search returns the best hit first, each hit with a snippet around the match", showsSnippets],
  ["search does not find deleted messages", removesDeleted],
];
