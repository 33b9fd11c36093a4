// What the composer does without a browser: files, drafts, what waits, settings, and how a chat begins.
import { describe, expect, test } from "vitest";
import {
  type Draft,
  EMPTY_DRAFT,
  messageForTask,
  messageOf,
  readFiles,
  withFiles,
  withMessages,
} from "../../ui/composer/attachments.ts";
import { Drafts } from "../../ui/composer/drafts.ts";
import { answering, mayFollow, nextOf, unanswered, whenSaid } from "../../ui/composer/follow-ups.ts";
import { firstModel, matchingModels, meantModel } from "../../ui/composer/model-choice.ts";
import { mistakesIn, NO_SETTINGS, settingsOf } from "../../ui/composer/settings.ts";
import { titleOf } from "../../ui/composer/start.ts";
import type { ConversationState, LiveRun, OutlineNode } from "../../ui/data/types.ts";
import { announcedApprovals, describeTask } from "../../ui/tasks/task-words.ts";
import { user } from "../../src/model/index.ts";
import type { Outgoing } from "../../ui/composer/outbox.ts";
import { TestShelf } from "./support/test-shelf.ts";

function file(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): File {
  return new File([content], name, { type });
}

describe("files", () => {
  const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 255);
  const rows: [string, File, object][] = [
    ["an image", file("a.png", "image/png", bytes), { type: "image", mimeType: "image/png", data: "iVBORwD/" }],
    ["audio", file("a.mp3", "audio/mpeg", bytes), { type: "audio", mimeType: "audio/mpeg", data: "iVBORwD/" }],
    ["a PDF", file("a.pdf", "application/pdf", bytes), { type: "file", mimeType: "application/pdf", data: "iVBORwD/" }],
    ["a text", file("a.md", "text/markdown", "# Ä"), { type: "file", mimeType: "text/markdown", text: "# Ä" }],
    ["a program, whatever it says it is", file("a.ts", "video2/x", "let a;"), { type: "file", text: "let a;" }],
    ["a text without a type", file("Makefile", "", "all:"), { type: "file", mimeType: "text/plain", text: "all:" }],
    ["a drawing, as its text", file("a.svg", "image/svg+xml", "<svg/>"), { type: "file", text: "<svg/>" }],
  ];
  test.each(rows)("%s becomes a part with its content and name", async (_, given, part) => {
    const { attachments, refused } = await readFiles([given]);
    expect(refused).toStrictEqual([]);
    expect(attachments).toMatchObject([{ name: given.name, size: given.size, part: { ...part, name: given.name } }]);
  });

  test("what no model reads, is empty or does not fit is refused in words, and the others are taken", async () => {
    const large = { name: "large.png", type: "image/png", size: 20_000_001, arrayBuffer: () => Promise.reject() };
    const files = [
      file("a.zip", "application/zip", bytes),
      file("empty.txt", "text/plain", ""),
      large,
      file("ok.txt", "text/plain", "ok"),
    ];
    const { attachments, refused } = await readFiles(files);
    expect(attachments.map(({ name }) => name)).toStrictEqual(["ok.txt"]);
    expect(refused).toStrictEqual([
      "“a.zip” is neither an image, audio, video or PDF nor text.",
      "“empty.txt” is empty.",
      "“large.png” is larger than 20 MB.",
    ]);
    expect((await readFiles([file("b.txt", "text/plain", "b")], 40_000_000)).refused).toHaveLength(1);
  });

  test("a message says its files before its words, and becomes the same draft again", async () => {
    const { attachments } = await readFiles([file("a.png", "image/png", bytes), file("b.txt", "text/plain", "b")]);
    const message = messageOf({ text: "  Look.\n", attachments });
    expect(message.parts.map(({ type }) => type)).toStrictEqual(["image", "file", "text"]);
    const back = withMessages({ text: "And more.", attachments: [] }, [message, user("Second.")]);
    // As it was typed: indentation may be what it is about.
    expect(message.parts.at(-1)).toStrictEqual({ type: "text", text: "  Look.\n" });
    expect(back.text).toBe("  Look.\n\n\nSecond.\n\nAnd more.");
    expect(messageOf(back).parts.slice(0, 2)).toStrictEqual(message.parts.slice(0, 2));
    expect(back.attachments.map(({ size }) => size)).toStrictEqual([6, 1]);
  });
});

test("a task is told texts under their names, and pictures without", async () => {
  const given = [
    file("a.png", "image/png", "x"),
    file("b.txt", "text/plain", "b"),
    file("c.pdf", "application/pdf", "c"),
  ];
  const { attachments } = await readFiles(given);
  expect(messageForTask(messageOf({ text: "Look.", attachments })).parts).toStrictEqual([
    { type: "image", mimeType: "image/png", data: "eA==" },
    { type: "text", text: "b.txt:\n\nb\n" },
    { type: "file", mimeType: "application/pdf", name: "c.pdf", data: "Yw==" },
    { type: "text", text: "Look." },
  ]);
});

describe("drafts", () => {
  test("words outlive a reload, and the files that do not are named until they are attached again", async () => {
    const shelf = new TestShelf();
    const drafts = new Drafts(shelf);
    const { attachments } = await readFiles([file("a.txt", "text/plain", "a"), file("b.txt", "text/plain", "b")]);
    drafts.set("a", { text: " Hello", attachments });
    const after = new Drafts(shelf);
    expect(after.get("a")).toStrictEqual({ text: " Hello", attachments: [], gone: ["a.txt", "b.txt"] });
    after.change("a", (now) => withFiles(now, attachments.slice(0, 1)));
    expect(after.get("a").gone).toStrictEqual(["b.txt"]);
    after.giveBack("a", [user("First.")]);
    expect(new Drafts(shelf).get("a")).toMatchObject({ text: "First.\n\n Hello", gone: ["b.txt", "a.txt"] });
    after.set("a", EMPTY_DRAFT);
    expect([new Drafts(shelf).get("a"), new Drafts(shelf).get("b"), shelf.kept.size]).toStrictEqual([
      EMPTY_DRAFT,
      EMPTY_DRAFT,
      0,
    ]);
  });

  test("the same draft is the same object until it changes", () => {
    const drafts = new Drafts(new TestShelf());
    const draft: Draft = drafts.get("a");
    expect(drafts.get("a")).toBe(draft);
    let told = 0;
    const leave = drafts.subscribe(() => told++);
    drafts.change("a", (now) => ({ ...now, text: "x" }));
    leave();
    drafts.change("a", (now) => ({ ...now, text: "y" }));
    expect(told).toBe(1);
  });
});

describe("what waits in a chat", () => {
  const item = (stage: Outgoing["stage"]): Outgoing => ({
    id: stage,
    stage,
    mode: "follow-up",
    message: user("x"),
    ask: {},
  });
  test.each<[string, Outgoing["stage"][], boolean, RegExp]>([
    ["the first that waits", ["waiting", "waiting"], true, /by itself when/],
    ["nothing before what failed", ["failed", "waiting"], false, /until the one that was not sent/],
    ["nothing before what is on its way", ["sending", "waiting"], false, /by itself when/],
    ["nothing where nothing waits", ["failed"], false, /^$/],
  ])("is said by itself: %s", (_, stages, isNext, words) => {
    const list = stages.map(item);
    expect(nextOf(list) !== undefined).toBe(isNext);
    expect(whenSaid(list, true)).toMatch(words);
  });

  const node = (id: string, role: OutlineNode["role"], more: Partial<OutlineNode> = {}): [string, OutlineNode] => [
    id,
    { id, role, parentMessageId: null, createdAt: "", preview: "", ...more },
  ];
  const live = (after: string | null, state: LiveRun["state"] = "streaming"): LiveRun => ({
    runId: "r",
    after,
    messages: [],
    state,
  });
  const rows: [string, Partial<ConversationState>, boolean][] = [
    ["a whole answer", {}, true],
    ["an answer that was broken off", { nodes: new Map([node("b", "assistant", { interrupted: true })]) }, false],
    ["a question without an answer", { nodes: new Map([node("b", "user")]) }, false],
    ["an answer on its way", { live: [live("b")] }, false],
    ["an answer whose messages are about to arrive", { live: [live("b", "ended")] }, false],
    ["a connection that is lost", { connection: "offline" }, false],
    ["a conversation that is still read", { status: "loading" }, false],
  ];
  test.each(rows)("after %s", (_, given, expected) => {
    const nodes = new Map([node("a", "user"), node("b", "assistant")]);
    const state = { status: "ready", connection: "live", live: [], path: ["a", "b"], nodes, ...given } as const;
    expect(mayFollow(state)).toBe(expected);
  });

  test("only answers of the shown branch are on their way in it", () => {
    const runs = [live("b"), live("elsewhere"), live(null), live("b", "ended")];
    expect(answering({ path: ["a", "b"], live: runs })).toStrictEqual([runs[0], runs[2]]);
  });

  test("a question at the end that nobody was asked is offered to be", () => {
    const nodes = new Map([node("a", "user")]);
    const state = { status: "ready", path: ["a"], nodes, live: [], failures: new Map() } as const;
    expect(unanswered(state)).toBe("a");
    expect(unanswered({ ...state, live: [live("a")] })).toBeUndefined();
  });
});

describe("settings", () => {
  test("only what is set is said", () => {
    expect(settingsOf(NO_SETTINGS)).toBeUndefined();
    expect(settingsOf({ temperature: "0", maxOutputTokens: " 100 ", effort: "low" })).toStrictEqual({
      sampling: { temperature: 0, maxOutputTokens: 100 },
      reasoning: { effort: "low" },
    });
  });

  test.each([
    ["0.7", "", []],
    ["-1", "", ["temperature"]],
    ["warm", "1.5", ["temperature", "maxOutputTokens"]],
    ["", "0", ["maxOutputTokens"]],
  ])("a temperature of “%s” and “%s” tokens", (temperature, maxOutputTokens, mistakes) => {
    expect(Object.keys(mistakesIn({ temperature, maxOutputTokens, effort: "" }))).toStrictEqual(mistakes);
  });
});

describe("models", () => {
  const models = ["openai/gpt-5", "demo/koine", "fast"].map((id) => ({ id, provider: id.split("/")[0] ?? "" }));
  test.each([
    ["the last one used", "openai/gpt-5", "openai/gpt-5"],
    ["one that is not listed, of a provider that is there", "openai/gpt-6", "openai/gpt-6"],
    ["the demo, where the last one's provider is gone", "gemini/flash", "demo/koine"],
    ["the demo at first", "", "demo/koine"],
  ])("begins with %s", (_, last, expected) => {
    expect(firstModel(models, last)).toBe(expected);
  });

  test("offers those that hold what was typed, and all beside one that was chosen", () => {
    const found = (typed: string): string[] => matchingModels(models, typed).map(({ id }) => id);
    expect([found("GPT"), found("koine de"), found("x"), found("fast").length]).toStrictEqual([
      ["openai/gpt-5"],
      ["demo/koine"],
      [],
      3,
    ]);
  });
});

test.each([
  ["a name that is listed", "fast", "fast"],
  ["all that is left to choose from", "gpt", "openai/gpt-5"],
  ["a name with a provider's", "openai/gpt-7", "openai/gpt-7"],
  ["a part of several names", "o", undefined],
  ["a name of nobody's", "hel", undefined],
  ["nothing: whatever the server would ask", " ", ""],
])("whoever leaves the field of models means %s", (_, typed, meant) => {
  const models = ["openai/gpt-5", "demo/koine", "fast"].map((id) => ({ id, provider: id.split("/")[0] ?? "" }));
  expect(meantModel(models, typed)).toBe(meant);
});

test("a title is the first words on one line, never half of a character", () => {
  expect(titleOf(user("a\n b"))).toBe("a b");
  expect(titleOf(user(" "))).toBeUndefined();
  const long = titleOf(user(`${"x".repeat(78)}😀 and more`));
  expect(long).toBe(`${"x".repeat(78)}…`);
});

test.each([
  ["running", {}, "Working…"],
  ["cancelled", {}, "Stopped. Say something to go on."],
  [
    "failed",
    { error: { code: "rate-limit", message: "Slow down" } },
    "Failed (rate-limit): Slow down. Say something to go on.",
  ],
  ["idle", { approval: "ask" }, "Ready. Tools will wait for your approval."],
] as const)("a task that is %s says so", (state, more, words) => {
  expect(describeTask({ state, approval: "never", queue: [], approvals: [], ...more })).toBe(words);
});

test("calls that wait are announced when they come, and not again while others are decided", () => {
  const [a, b, c] = ["a", "b", "c"].map((id) => ({ toolCallId: id, toolName: id, argumentsText: "" }));
  if (a === undefined || b === undefined || c === undefined) throw new Error("There are three.");
  const first = announcedApprovals([], [a, b], "");
  expect(first).toBe("a, b wait for your approval.");
  expect(announcedApprovals([a, b], [b], first)).toBe(first);
  expect(announcedApprovals([b], [b, c], first)).toBe("c waits for your approval.");
  expect(announcedApprovals([b], [], first)).toBe("");
});
