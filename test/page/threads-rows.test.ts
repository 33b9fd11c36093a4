// What the list of threads says of each, without a browser.
import { describe, expect, test } from "vitest";
import { arrivedSince } from "../../ui/home/arrived.ts";
import type { Thread, ThreadListState, ThreadSummary } from "../../ui/data/types.ts";
import { nameOf } from "../../ui/data/names.ts";
import { factsOf, markWords, plainSnippet, rowsOf } from "../../ui/threads/rows.ts";

function thread(id: string, more: Partial<Thread> = {}, summary: Partial<ThreadSummary> = {}): Thread {
  const bare = {
    title: null,
    scope: null,
    kind: null,
    metadata: {},
    createdAt: "2026-11-16T10:00:00Z",
    activeLeafId: null,
  };
  const told = { updatedAt: "2026-11-16T10:00:00Z", messages: 2, models: [], live: 0, preview: "" };
  return { id, ...bare, summary: { ...told, ...summary }, ...more };
}
const usage = (totalTokens: number, cost?: number) => ({
  inputTokens: totalTokens,
  outputTokens: 0,
  totalTokens,
  ...(cost !== undefined && { cost }),
});

test.each([
  ["its title", { title: "Berths" }, { preview: "Where should I" }, "Berths"],
  ["its first words where it has no title", {}, { preview: "Where should I" }, "Where should I"],
  ["its first words where the title is blank", { title: "  " }, { preview: "Where should I" }, "Where should I"],
  ["untitled where nothing was said", {}, {}, "Untitled"],
])("a thread is called by %s", (_, head, summary, name) => {
  expect(nameOf(thread("a", head, summary))).toBe(name);
});

test.each([
  ["nothing but how many messages", {}, ["2 messages"]],
  ["one message as one", { messages: 1 }, ["1 message"]],
  ["the model without its provider", { models: ["openai/gpt-5"] }, ["gpt-5", "2 messages"]],
  ["how many other models there were", { models: ["a/x", "b/y", "c/z"] }, ["x +2", "2 messages"]],
  ["tokens instead of messages, and the cost", { usage: usage(4310, 0.0143) }, ["4.3k tokens", "$0.014"]],
  ["no cost that is nothing", { usage: usage(12, 0) }, ["12 tokens"]],
])("of a thread is told: %s", (_, summary, facts) => {
  expect(factsOf(thread("a", {}, summary))).toStrictEqual(facts);
});

describe("rows", () => {
  const chat = thread("chat");
  const task = thread("task", { kind: "task" });
  const hit = { threadId: "task", messageId: "m", snippet: "…" };
  test("have the hits of their thread, and the same empty list where there are none", () => {
    const [first, second] = rowsOf([chat, task], [hit]);
    expect(second?.hits).toStrictEqual([hit]);
    expect(first?.hits).toBe(rowsOf([chat], [])[0]?.hits);
  });
});

test.each([
  ["headings", "… ## The harbour of Kos", "… The harbour of Kos"],
  ["lists and quotations", "> one - two\n* three 1. four", "one two three four"],
  ["emphasis and code", "**bold** _soft_ `code` ~~gone~~", "bold soft code gone"],
  ["links and pictures", "see [the map](https://x.example/a_b) and ![it](i.png)", "see the map and it"],
  ["not what belongs to words", "snake_case, 3 * 4 stays 12, #7, a-b", "snake_case, 3 4 stays 12, #7, a-b"],
])("what was found is shown without the signs of Markdown: %s", (_, snippet, words) => {
  expect(plainSnippet(snippet)).toBe(words);
});

describe("what has arrived since one looks", () => {
  const listed = (ids: string[], made: string[] = [], more: Partial<ThreadListState> = {}): ThreadListState => ({
    status: "ready",
    connection: "live",
    search: "",
    filter: "all",
    threads: ids.map((id) => thread(id)),
    hits: [],
    more: false,
    made: new Set(made),
    ...more,
  });
  test.each([
    ["nothing where nothing is new", listed(["a"]), listed(["a"]), undefined],
    ["the first one of all", listed([]), listed(["a"]), "a"],
    ["one that was made since", listed(["a"]), listed(["b", "a"], ["b"]), "b"],
    ["none that was made before", listed(["b", "a"], ["b"]), listed(["b", "a"], ["b"]), undefined],
    ["none that was only read later", listed(["a"]), listed(["a", "old", "older"]), undefined],
    ["none that a search hid", listed([], [], { search: "x" }), listed(["a"]), undefined],
    ["none that a filter hid", listed([], [], { filter: "tasks" }), listed(["a"]), undefined],
  ])("is %s", (_, before, now, id) => {
    expect(arrivedSince(before, now)?.id).toBe(id);
  });
});

describe("words of a search", () => {
  const marked = (text: string, search: string): string =>
    markWords(text, search)
      .map(({ text: words, marked }) => (marked ? `[${words}]` : words))
      .join("");
  test.each([
    ["whole words", "The mole of Kos", "mole", "The [mole] of Kos"],
    ["words typed half", "to Corinth, by sea", "corin", "to [Corinth], by sea"],
    ["several words, wherever they stand", "sea and mole", "mole sea", "[sea] and [mole]"],
    ["whatever their case and accents", "CAFÉ crème", "cafe creme", "[CAFÉ] [crème]"],
    ["nothing for signs", "a.b*c", ".*", "a.b*c"],
    ["nothing without a search", "mole", "", "mole"],
    ["nothing in an empty text", "", "mole", ""],
  ])("are marked: %s", (_, text, search, expected) => {
    expect(marked(text, search)).toBe(expected);
  });
});
