// Tests the rows of the thread list, without a browser.
import { describe, expect, test } from "vitest";
import { findArrivedThread } from "../../../ui/home/find-arrived-thread.ts";
import type { ThreadJson, ThreadListState, ThreadListSummary } from "../../../ui/data/types.ts";
import { formatThreadName } from "../../../ui/data/thread-names.ts";
import { listThreadDetails, highlightTerms, toPlainText, buildThreadRows } from "../../../ui/threads/thread-rows.ts";

function thread(id: string, more: Partial<ThreadJson> = {}, summary: Partial<ThreadListSummary> = {}): ThreadJson {
  const bare = {
    title: null,
    scope: null,
    kind: null,
    metadata: {},
    createdAt: "2026-11-16T10:00:00Z",
    activeLeafId: null,
  };
  const summaryDefaults = { updatedAt: "2026-11-16T10:00:00Z", messages: 2, models: [], live: 0, preview: "" };
  return { id, ...bare, summary: { ...summaryDefaults, ...summary }, ...more };
}
const usage = (totalTokens: number, cost?: number) => ({
  inputTokens: totalTokens,
  outputTokens: 0,
  totalTokens,
  ...(cost !== undefined && { cost }),
});

test.each([
  ["its title", { title: "Berths" }, { preview: "Where should I" }, "Berths"],
  ["the start of its text if it has no title", {}, { preview: "Where should I" }, "Where should I"],
  ["the start of its text if the title is blank", { title: "  " }, { preview: "Where should I" }, "Where should I"],
  ["untitled if it is empty", {}, {}, "Untitled"],
])("a thread is named by %s", (_, head, summary, name) => {
  expect(formatThreadName(thread("a", head, summary))).toBe(name);
});

test.each([
  ["only the number of messages", {}, ["2 messages"]],
  ["one message as one", { messages: 1 }, ["1 message"]],
  ["the model without its provider", { models: ["openai/gpt-5"] }, ["gpt-5", "2 messages"]],
  ["how many other models there were", { models: ["a/x", "b/y", "c/z"] }, ["x +2", "2 messages"]],
  ["tokens instead of messages, and the cost", { usage: usage(4310, 0.0143) }, ["4.3k tokens", "$0.014"]],
  ["no cost of zero", { usage: usage(12, 0) }, ["12 tokens"]],
])("a thread has these details: %s", (_, summary, facts) => {
  expect(listThreadDetails(thread("a", {}, summary))).toStrictEqual(facts);
});

describe("rows", () => {
  const chat = thread("chat");
  const task = thread("task", { kind: "task" });
  const hit = { threadId: "task", messageId: "m", snippet: "…" };
  test("have the hits of their thread, and share one empty list without hits", () => {
    const [first, second] = buildThreadRows([chat, task], [hit]);
    expect(second?.hits).toStrictEqual([hit]);
    expect(first?.hits).toBe(buildThreadRows([chat], [])[0]?.hits);
  });
});

test.each([
  ["headings", "… ## The harbour of Kos", "… The harbour of Kos"],
  ["lists and quotations", "> one - two\n* three 1. four", "one two three four"],
  ["emphasis and code", "**bold** _soft_ `code` ~~gone~~", "bold soft code gone"],
  ["links and pictures", "see [the map](https://x.example/a_b) and ![it](i.png)", "see the map and it"],
  ["signs within words stay", "snake_case, 3 * 4 stays 12, #7, a-b", "snake_case, 3 4 stays 12, #7, a-b"],
])("a search snippet is shown without Markdown syntax: %s", (_, snippet, plain) => {
  expect(toPlainText(snippet)).toBe(plain);
});

describe("the thread that has arrived", () => {
  const listed = (ids: string[], made: string[] = [], more: Partial<ThreadListState> = {}): ThreadListState => ({
    status: "ready",
    connection: "live",
    search: "",
    filter: "all",
    threads: ids.map((id) => thread(id)),
    hits: [],
    more: false,
    createdIds: new Set(made),
    ...more,
  });
  test.each([
    ["no thread if none is new", listed(["a"]), listed(["a"]), undefined],
    ["the first one of all", listed([]), listed(["a"]), "a"],
    ["one that was made since", listed(["a"]), listed(["b", "a"], ["b"]), "b"],
    ["no thread that existed before", listed(["b", "a"], ["b"]), listed(["b", "a"], ["b"]), undefined],
    ["no thread that was only loaded later", listed(["a"]), listed(["a", "old", "older"]), undefined],
    ["no thread that a search hid", listed([], [], { search: "x" }), listed(["a"]), undefined],
    ["no thread that a filter hid", listed([], [], { filter: "tasks" }), listed(["a"]), undefined],
  ])("is %s", (_, before, now, id) => {
    expect(findArrivedThread(before, now)?.id).toBe(id);
  });
});

describe("search terms", () => {
  const marked = (text: string, search: string): string =>
    highlightTerms(text, search)
      .map(({ text: part, isMatch }) => (isMatch ? `[${part}]` : part))
      .join("");
  test.each([
    ["whole words", "The mole of Kos", "mole", "The [mole] of Kos"],
    ["partial words", "to Corinth, by sea", "corin", "to [Corinth], by sea"],
    ["several words in any order", "sea and mole", "mole sea", "[sea] and [mole]"],
    ["regardless of case and accents", "CAFÉ crème", "cafe creme", "[CAFÉ] [crème]"],
    ["no match for punctuation", "a.b*c", ".*", "a.b*c"],
    ["no match without a search", "mole", "", "mole"],
    ["no match in an empty text", "", "mole", ""],
  ])("are highlighted: %s", (_, text, search, expected) => {
    expect(marked(text, search)).toBe(expected);
  });
});
