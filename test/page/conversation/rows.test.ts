// Tests the rows of a conversation, and the copied and edited text of a message.
import { describe, expect, test } from "vitest";
import { assistant, type Message, user } from "../../../src/model/index.ts";
import { buildTree, listPathTo } from "../../../ui/branches/branch-tree.ts";
import type { RunInProgress, OutlineNode, RunJson } from "../../../ui/data/types.ts";
import {
  findCopyTarget,
  findEditTarget,
  findRegenerateTarget,
} from "../../../ui/conversation/rows/shortcut-targets.ts";
import { buildMessageRows, type ConversationRow, buildShownRows } from "../../../ui/conversation/rows/build-rows.ts";
import { findSiblings } from "../../../ui/conversation/rows/siblings.ts";
import { editableTexts, toMarkdown, replaceTexts } from "../../../ui/conversation/rows/message-text.ts";

type TestNode = Partial<OutlineNode> & { id: string; parentId?: string };

function createTree(...testNodes: TestNode[]) {
  const nodes = testNodes.map(({ parentId = null, ...node }): OutlineNode => {
    return { parentMessageId: parentId, role: "user", createdAt: "", preview: "", ...node };
  });
  return buildTree(new Map(nodes.map((node) => [node.id, node])));
}

const answer = (id: string, after: string, runId: string, more: Partial<OutlineNode> = {}): TestNode => ({
  id,
  parentId: after,
  runId,
  role: "assistant",
  ...more,
});
const live = (runId: string, after: string | null, messages: Message[]): RunInProgress => ({
  runId,
  answeredId: after,
  messages,
  state: "streaming",
});
const call: Message = assistant([{ type: "tool-call", toolCallId: "c", toolName: "look", input: {} }]);
const result: Message = {
  role: "tool",
  parts: [{ type: "tool-result", toolCallId: "c", toolName: "look", isError: false, output: "seen" }],
};

function buildRows(
  tree: ReturnType<typeof createTree>,
  leaf: string,
  running: RunInProgress[] = [],
  failures: [string, Partial<RunJson>][] = [],
  put: string[] = [],
): readonly ConversationRow[] {
  const path = listPathTo(tree, leaf);
  return buildShownRows(buildMessageRows(tree, path), {
    tree,
    path,
    liveRuns: running,
    // The rows use only some fields of a run.
    failures: new Map(failures.map(([after, run]) => [after, run as RunJson])),
    hiddenRuns: new Set(put),
  }).rows;
}

const describeRows = (rows: readonly ConversationRow[]): string[] =>
  rows.map((row) => {
    if (row.kind === "message") return `${row.ids.join("+")}${row.offPath === false ? "" : ` ${row.offPath}`}`;
    return row.kind === "live" ? `live ${row.messageIndex}+${row.resultCount}` : `failed ${row.answeredId}`;
  });

describe("rows", () => {
  const withTools = createTree(
    { id: "u" },
    answer("a", "u", "r", { toolCalls: ["look"] }),
    { id: "t", parentId: "a", runId: "r", role: "tool", toolResults: 1 },
    answer("b", "t", "r"),
  );

  test("tool results belong to the row of their calls; those without a call have their own row", () => {
    expect(describeRows(buildRows(withTools, "b"))).toStrictEqual(["u", "a+t", "b"]);
    const lonely = createTree({ id: "u" }, { id: "t", parentId: "u", role: "tool", toolResults: 1 });
    expect(describeRows(buildRows(lonely, "t"))).toStrictEqual(["u", "t"]);
  });

  test("all tool results after a call belong to its row", () => {
    const tree = createTree(
      { id: "u" },
      answer("a", "u", "r", { toolCalls: ["look", "listen"] }),
      { id: "t1", parentId: "a", runId: "r", role: "tool", toolResults: 2 },
      { id: "t2", parentId: "t1", runId: "r", role: "tool" },
      { id: "t3", parentId: "t2", runId: "r", role: "tool", toolResults: 1 },
    );
    expect(describeRows(buildRows(tree, "t3"))).toStrictEqual(["u", "a+t1+t2+t3"]);
    const streaming = buildRows(createTree({ id: "u" }), "u", [live("r", "u", [call, result, result, result])]);
    expect(describeRows(streaming)).toStrictEqual(["u", "live 0+3"]);
  });

  test("a shortcut targets the focused row, else the last one, never one before a failure or a live answer", () => {
    const tree = createTree({ id: "u" }, answer("a", "u", "r"), { id: "v", parentId: "a" });
    const failed = buildRows(tree, "v", [], [["v", { id: "x" }]]);
    const running = buildRows(tree, "v", [live("y", "v", [])]);
    const settled = buildRows(tree, "a");
    expect([failed, running, settled].map((rows) => findRegenerateTarget(rows, undefined))).toStrictEqual([
      "v",
      undefined,
      "a",
    ]);
    expect([failed, running, settled].map((rows) => findCopyTarget(rows, undefined))).toStrictEqual([
      undefined,
      undefined,
      "a",
    ]);
    expect([failed, running, settled].map((rows) => findEditTarget(rows, undefined))).toStrictEqual(["v", "v", "u"]);
    expect(failed.map((row) => findRegenerateTarget(failed, row))).toStrictEqual([undefined, "a", undefined, "v"]);
    expect(failed.map((row) => findEditTarget(failed, row))).toStrictEqual(["u", undefined, "v", undefined]);
  });

  test("B100: an answer has the same keys while it streams, when it is stored, and when it is interrupted", () => {
    const keysOf = (rows: readonly ConversationRow[]): string[] => rows.slice(1).map(({ key }) => key);
    const streaming = keysOf(
      buildRows(createTree({ id: "u" }), "u", [live("r", "u", [call, result, assistant("Done")])]),
    );
    expect(streaming).toStrictEqual(keysOf(buildRows(withTools, "b")));
    const waiting = keysOf(buildRows(createTree({ id: "u" }), "u", [live("r", "u", [])]));
    expect(waiting).toStrictEqual(streaming.slice(0, 1));
    const cut = [...withTools.nodes.values()].map((node) =>
      node.runId ? { ...node, interrupted: true as const } : node,
    );
    const interrupted = buildTree(new Map(cut.map((node) => [node.id, node])));
    expect(keysOf(buildRows(interrupted, "u"))).toStrictEqual(streaming);
    expect(describeRows(buildRows(interrupted, "u"))).toStrictEqual(["u", "a+t alone", "b alone"]);
  });

  test("a live answer replaces the rest of the path, unless the user has hidden it", () => {
    const tree = createTree({ id: "u" }, answer("a", "u", "r1"), { id: "v", parentId: "a" });
    const running = [live("r2", "u", [assistant("Again")])];
    expect(describeRows(buildRows(tree, "v", running))).toStrictEqual(["u", "live 0+0"]);
    expect(describeRows(buildRows(tree, "v", running, [], ["r2"]))).toStrictEqual(["u", "a", "v"]);
    expect(describeRows(buildRows(tree, "v", [live("r3", "elsewhere", [])]))).toStrictEqual(["u", "a", "v"]);
    const [, shown] = buildRows(tree, "v", running);
    const place = shown?.kind === "live" ? findSiblings(shown, tree, running) : undefined;
    expect(place).toStrictEqual({
      siblings: [
        { id: "a", kind: "message" },
        { id: "r2", kind: "run" },
      ],
      siblingIndex: 1,
    });
  });

  test("a failure is the last row, after the partial answer", () => {
    const tree = createTree({ id: "u" }, answer("a", "u", "r", { interrupted: true }));
    expect(describeRows(buildRows(tree, "u", [], [["u", { id: "r" }]]))).toStrictEqual([
      "u",
      "a explained",
      "failed u",
    ]);
  });
});

describe("the text of a message", () => {
  const picture = { type: "image", url: "https://example.com/a.png" } as const;
  const mixed = user([{ type: "text", text: "Look:" }, picture, { type: "text", text: "Nice?" }]);

  test("an edit replaces each text in place and keeps everything else", () => {
    const cached = { type: "text", text: "Nice?", cache: { ttl: "1h" }, extra: { anthropic: { a: 1 } } } as const;
    const message = {
      ...user([{ type: "text", text: "Look:" }, picture, cached]),
      name: "Ann",
      extra: { gemini: { b: 2 } },
    };
    expect(editableTexts(message)).toStrictEqual(["Look:", "Nice?"]);
    expect(replaceTexts(message, ["Look:", "Nice?"])).toStrictEqual(message);
    const { parts } = replaceTexts(message, ["See:", "Nice?"]);
    expect(parts).toStrictEqual([{ type: "text", text: "See:" }, picture, cached]);
    expect(parts[2]).toBe(cached);
    expect(replaceTexts(message, ["Look:", "Well?"]).parts[2]).toStrictEqual({
      type: "text",
      text: "Well?",
      cache: { ttl: "1h" },
    });
    expect(replaceTexts(mixed, ["", ""])).toStrictEqual(user([picture]));
    expect(editableTexts(user([picture]))).toStrictEqual([""]);
    expect(replaceTexts(user([picture]), ["See:"])).toStrictEqual(user([{ type: "text", text: "See:" }, picture]));
  });

  test("a message without text is copied as its media", () => {
    expect(toMarkdown(user([picture]))).toBe("![image](<https://example.com/a.png>)");
    expect(toMarkdown(user([{ type: "file", data: "AA", name: "a.pdf" }]))).toBe("[file: a.pdf]");
  });

  test("copied Markdown cannot break out of its fence", () => {
    expect(toMarkdown(mixed)).toBe("Look:\n\nNice?");
    const text = "```\nnot the end\n```";
    const markdown = toMarkdown({
      parts: [{ type: "tool-result", toolCallId: "c", toolName: "cat", isError: false, output: text }],
    });
    expect(markdown).toBe(`cat:\n\n\`\`\`\`\n${text}\n\`\`\`\``);
  });
});
