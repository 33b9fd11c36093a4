// Which rows a conversation is shown as, and what is copied and edited of a message.
import { describe, expect, test } from "vitest";
import { assistant, type Message, user } from "../../src/model/index.ts";
import { treeOf, pathTo } from "../../ui/branches/tree.ts";
import type { LiveRun, OutlineNode, Run } from "../../ui/data/types.ts";
import { copiedBy, editedBy, regeneratedBy } from "../../ui/conversation/meant.ts";
import { messageRows, type Row, shownRows } from "../../ui/conversation/rows.ts";
import { placeOf } from "../../ui/conversation/siblings.ts";
import { editableTexts, markdownOf, withTexts } from "../../ui/conversation/words.ts";

type Told = Partial<OutlineNode> & { id: string; after?: string };

function treeFrom(...told: Told[]) {
  const nodes = told.map(({ after = null, ...node }): OutlineNode => {
    return { parentMessageId: after, role: "user", createdAt: "", preview: "", ...node };
  });
  return treeOf(new Map(nodes.map((node) => [node.id, node])));
}

const answer = (id: string, after: string, runId: string, more: Partial<OutlineNode> = {}): Told => ({
  id,
  after,
  runId,
  role: "assistant",
  ...more,
});
const live = (runId: string, after: string | null, messages: Message[]): LiveRun => ({
  runId,
  after,
  messages,
  state: "streaming",
});
const call: Message = assistant([{ type: "tool-call", toolCallId: "c", toolName: "look", input: {} }]);
const result: Message = {
  role: "tool",
  parts: [{ type: "tool-result", toolCallId: "c", toolName: "look", isError: false, output: "seen" }],
};

function show(
  tree: ReturnType<typeof treeFrom>,
  leaf: string,
  running: LiveRun[] = [],
  failures: [string, Partial<Run>][] = [],
  put: string[] = [],
): readonly Row[] {
  const path = pathTo(tree, leaf);
  return shownRows(messageRows(tree, path), {
    tree,
    path,
    live: running,
    // Only what is looked at is there.
    failures: new Map(failures.map(([after, run]) => [after, run as Run])),
    put: new Set(put),
  }).rows;
}

const words = (rows: readonly Row[]): string[] =>
  rows.map((row) => {
    if (row.kind === "message") return `${row.ids.join("+")}${row.aside === false ? "" : ` ${row.aside}`}`;
    return row.kind === "live" ? `live ${row.at}+${row.tools}` : `failed ${row.after}`;
  });

describe("rows", () => {
  const withTools = treeFrom(
    { id: "u" },
    answer("a", "u", "r", { toolCalls: ["look"] }),
    { id: "t", after: "a", runId: "r", role: "tool", toolResults: 1 },
    answer("b", "t", "r"),
  );

  test("results stand with the calls that they answer; those without a call stand alone", () => {
    expect(words(show(withTools, "b"))).toStrictEqual(["u", "a+t", "b"]);
    const lonely = treeFrom({ id: "u" }, { id: "t", after: "u", role: "tool", toolResults: 1 });
    expect(words(show(lonely, "t"))).toStrictEqual(["u", "t"]);
  });

  test("everything that tools gave back behind a call stands with it, however much there is of it", () => {
    const tree = treeFrom(
      { id: "u" },
      answer("a", "u", "r", { toolCalls: ["look", "listen"] }),
      { id: "t1", after: "a", runId: "r", role: "tool", toolResults: 2 },
      { id: "t2", after: "t1", runId: "r", role: "tool" },
      { id: "t3", after: "t2", runId: "r", role: "tool", toolResults: 1 },
    );
    expect(words(show(tree, "t3"))).toStrictEqual(["u", "a+t1+t2+t3"]);
    const streaming = show(treeFrom({ id: "u" }), "u", [live("r", "u", [call, result, result, result])]);
    expect(words(streaming)).toStrictEqual(["u", "live 0+3"]);
  });

  test("a key means the row with the focus, else the last one: never what stands before a failure or an answer on its way", () => {
    const tree = treeFrom({ id: "u" }, answer("a", "u", "r"), { id: "v", after: "a" });
    const failed = show(tree, "v", [], [["v", { id: "x" }]]);
    const running = show(tree, "v", [live("y", "v", [])]);
    const settled = show(tree, "a");
    expect([failed, running, settled].map((rows) => regeneratedBy(rows, undefined))).toStrictEqual([
      "v",
      undefined,
      "a",
    ]);
    expect([failed, running, settled].map((rows) => copiedBy(rows, undefined))).toStrictEqual([
      undefined,
      undefined,
      "a",
    ]);
    expect([failed, running, settled].map((rows) => editedBy(rows, undefined))).toStrictEqual(["v", "v", "u"]);
    expect(failed.map((row) => regeneratedBy(failed, row))).toStrictEqual([undefined, "a", undefined, "v"]);
    expect(failed.map((row) => editedBy(failed, row))).toStrictEqual(["u", undefined, "v", undefined]);
  });

  test("B100: an answer has the same keys while it streams, when it is recorded, and where it was cut off", () => {
    const keysOf = (rows: readonly Row[]): string[] => rows.slice(1).map(({ key }) => key);
    const streaming = keysOf(show(treeFrom({ id: "u" }), "u", [live("r", "u", [call, result, assistant("Done")])]));
    expect(streaming).toStrictEqual(keysOf(show(withTools, "b")));
    const waiting = keysOf(show(treeFrom({ id: "u" }), "u", [live("r", "u", [])]));
    expect(waiting).toStrictEqual(streaming.slice(0, 1));
    const cut = [...withTools.nodes.values()].map((node) =>
      node.runId ? { ...node, interrupted: true as const } : node,
    );
    const interrupted = treeOf(new Map(cut.map((node) => [node.id, node])));
    expect(keysOf(show(interrupted, "u"))).toStrictEqual(streaming);
    expect(words(show(interrupted, "u"))).toStrictEqual(["u", "a+t alone", "b alone"]);
  });

  test("an answer on its way stands in the place of what it will replace, unless its reader put it away", () => {
    const tree = treeFrom({ id: "u" }, answer("a", "u", "r1"), { id: "v", after: "a" });
    const running = [live("r2", "u", [assistant("Again")])];
    expect(words(show(tree, "v", running))).toStrictEqual(["u", "live 0+0"]);
    expect(words(show(tree, "v", running, [], ["r2"]))).toStrictEqual(["u", "a", "v"]);
    expect(words(show(tree, "v", [live("r3", "elsewhere", [])]))).toStrictEqual(["u", "a", "v"]);
    const [, shown] = show(tree, "v", running);
    const place = shown?.kind === "live" ? placeOf(shown, tree, running) : undefined;
    expect(place).toStrictEqual({
      siblings: [
        { id: "a", kind: "message" },
        { id: "r2", kind: "run" },
      ],
      at: 1,
    });
  });

  test("why there is no answer is the last row, behind what had arrived of it", () => {
    const tree = treeFrom({ id: "u" }, answer("a", "u", "r", { interrupted: true }));
    expect(words(show(tree, "u", [], [["u", { id: "r" }]]))).toStrictEqual(["u", "a told", "failed u"]);
  });
});

describe("the words of a message", () => {
  const picture = { type: "image", url: "https://example.com/a.png" } as const;
  const mixed = user([{ type: "text", text: "Look:" }, picture, { type: "text", text: "Nice?" }]);

  test("an edit changes each text in its place and leaves everything else as it is", () => {
    const cached = { type: "text", text: "Nice?", cache: { ttl: "1h" }, extra: { anthropic: { a: 1 } } } as const;
    const said = {
      ...user([{ type: "text", text: "Look:" }, picture, cached]),
      name: "Ann",
      extra: { gemini: { b: 2 } },
    };
    expect(editableTexts(said)).toStrictEqual(["Look:", "Nice?"]);
    expect(withTexts(said, ["Look:", "Nice?"])).toStrictEqual(said);
    const { parts } = withTexts(said, ["See:", "Nice?"]);
    expect(parts).toStrictEqual([{ type: "text", text: "See:" }, picture, cached]);
    expect(parts[2]).toBe(cached);
    expect(withTexts(said, ["Look:", "Well?"]).parts[2]).toStrictEqual({
      type: "text",
      text: "Well?",
      cache: { ttl: "1h" },
    });
    expect(withTexts(mixed, ["", ""])).toStrictEqual(user([picture]));
    expect(editableTexts(user([picture]))).toStrictEqual([""]);
    expect(withTexts(user([picture]), ["See:"])).toStrictEqual(user([{ type: "text", text: "See:" }, picture]));
  });

  test("of a message that only shows something, what it shows is copied", () => {
    expect(markdownOf(user([picture]))).toBe("![image](<https://example.com/a.png>)");
    expect(markdownOf(user([{ type: "file", data: "AA", name: "a.pdf" }]))).toBe("[file: a.pdf]");
  });

  test("what is copied is Markdown that cannot break out of its fence", () => {
    expect(markdownOf(mixed)).toBe("Look:\n\nNice?");
    const text = "```\nnot the end\n```";
    const told = markdownOf({
      parts: [{ type: "tool-result", toolCallId: "c", toolName: "cat", isError: false, output: text }],
    });
    expect(told).toBe(`cat:\n\n\`\`\`\`\n${text}\n\`\`\`\``);
  });
});
