// Tests the composer without a browser: files, drafts, queued messages, settings and model choice.
import { describe, expect, test } from "vitest";
import {
  type MessageDraft,
  EMPTY_DRAFT,
  toTaskMessage,
  toMessage,
  readFiles,
  addFiles,
  prependMessages,
} from "../../../ui/composer/draft/attachments.ts";
import { DraftStore } from "../../../ui/composer/draft/drafts.ts";
import {
  listAnsweringRuns,
  canSendFollowUp,
  findNextFollowUp,
  findSendableFollowUp,
  findUnansweredMessage,
  describeSendTime,
  type SentFollowUp,
} from "../../../ui/composer/outbox/follow-ups.ts";
import { chooseDefaultModel, filterModels, resolveTypedModel } from "../../../ui/composer/model/model-choice.ts";
import { validateSettings, NO_SETTINGS, parseSettings } from "../../../ui/composer/model/settings-form.ts";
import { makeTitle } from "../../../ui/composer/start/start-conversation.ts";
import type { ConversationState, RunInProgress, OutlineNode } from "../../../ui/data/types.ts";
import { announceApprovals, describeTask, hasUnannouncedApproval } from "../../../ui/tasks/task-descriptions.ts";
import { type StoredMessage, user } from "../../../src/model/index.ts";
import type { OutboxMessage } from "../../../ui/composer/outbox/outbox.ts";
import { TestStorage } from "../support/test-storage.ts";

function createFile(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): File {
  return new File([content], name, { type });
}

describe("files", () => {
  const bytes = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 255);
  const rows: [string, File, object][] = [
    ["an image", createFile("a.png", "image/png", bytes), { type: "image", mimeType: "image/png", data: "iVBORwD/" }],
    ["audio", createFile("a.mp3", "audio/mpeg", bytes), { type: "audio", mimeType: "audio/mpeg", data: "iVBORwD/" }],
    [
      "a PDF",
      createFile("a.pdf", "application/pdf", bytes),
      { type: "file", mimeType: "application/pdf", data: "iVBORwD/" },
    ],
    ["a text", createFile("a.md", "text/markdown", "# Ä"), { type: "file", mimeType: "text/markdown", text: "# Ä" }],
    ["a program with any MIME type", createFile("a.ts", "video2/x", "let a;"), { type: "file", text: "let a;" }],
    [
      "a text without a type",
      createFile("Makefile", "", "all:"),
      { type: "file", mimeType: "text/plain", text: "all:" },
    ],
    ["an SVG image, as its text", createFile("a.svg", "image/svg+xml", "<svg/>"), { type: "file", text: "<svg/>" }],
  ];
  test.each(rows)("%s becomes a part with its content and name", async (_, given, part) => {
    const { attachments, rejected } = await readFiles([given]);
    expect(rejected).toStrictEqual([]);
    expect(attachments).toMatchObject([{ name: given.name, size: given.size, part: { ...part, name: given.name } }]);
  });

  test("unsupported, empty and too large files are rejected with a reason, and the others are accepted", async () => {
    const large = { name: "large.png", type: "image/png", size: 20_000_001, arrayBuffer: () => Promise.reject() };
    const files = [
      createFile("a.zip", "application/zip", bytes),
      createFile("empty.txt", "text/plain", ""),
      large,
      createFile("ok.txt", "text/plain", "ok"),
    ];
    const { attachments, rejected } = await readFiles(files);
    expect(attachments.map(({ name }) => name)).toStrictEqual(["ok.txt"]);
    expect(rejected).toStrictEqual([
      "“a.zip” is neither an image, audio, video or PDF nor text.",
      "“empty.txt” is empty.",
      "“large.png” is larger than 20 MB.",
    ]);
    expect((await readFiles([createFile("b.txt", "text/plain", "b")], 40_000_000)).rejected).toHaveLength(1);
  });

  test("a message has its files before its text, and converts back to the same draft", async () => {
    const { attachments } = await readFiles([
      createFile("a.png", "image/png", bytes),
      createFile("b.txt", "text/plain", "b"),
    ]);
    const message = toMessage({ text: "  Look.\n", attachments });
    expect(message.parts.map(({ type }) => type)).toStrictEqual(["image", "file", "text"]);
    const back = prependMessages({ text: "And more.", attachments: [] }, [message, user("Second.")]);
    // Indentation is preserved as typed.
    expect(message.parts.at(-1)).toStrictEqual({ type: "text", text: "  Look.\n" });
    expect(back.text).toBe("  Look.\n\n\nSecond.\n\nAnd more.");
    expect(toMessage(back).parts.slice(0, 2)).toStrictEqual(message.parts.slice(0, 2));
    expect(back.attachments.map(({ size }) => size)).toStrictEqual([6, 1]);
  });
});

test("a task receives texts under their names, and images without names", async () => {
  const given = [
    createFile("a.png", "image/png", "x"),
    createFile("b.txt", "text/plain", "b"),
    createFile("c.pdf", "application/pdf", "c"),
  ];
  const { attachments } = await readFiles(given);
  expect(toTaskMessage(toMessage({ text: "Look.", attachments })).parts).toStrictEqual([
    { type: "image", mimeType: "image/png", data: "eA==" },
    { type: "text", text: "b.txt:\n\nb\n" },
    { type: "file", mimeType: "application/pdf", name: "c.pdf", data: "Yw==" },
    { type: "text", text: "Look." },
  ]);
});

describe("drafts", () => {
  test("the text survives a reload, and lost files are named until they are attached again", async () => {
    const storage = new TestStorage();
    const drafts = new DraftStore(storage);
    const { attachments } = await readFiles([
      createFile("a.txt", "text/plain", "a"),
      createFile("b.txt", "text/plain", "b"),
    ]);
    drafts.set("a", { text: " Hello", attachments });
    const after = new DraftStore(storage);
    expect(after.get("a")).toStrictEqual({ text: " Hello", attachments: [], lostFileNames: ["a.txt", "b.txt"] });
    after.change("a", (now) => addFiles(now, attachments.slice(0, 1)));
    expect(after.get("a").lostFileNames).toStrictEqual(["b.txt"]);
    after.restoreMessages("a", [user("First.")]);
    expect(new DraftStore(storage).get("a")).toMatchObject({
      text: "First.\n\n Hello",
      lostFileNames: ["b.txt", "a.txt"],
    });
    after.set("a", EMPTY_DRAFT);
    expect([new DraftStore(storage).get("a"), new DraftStore(storage).get("b"), storage.entries.size]).toStrictEqual([
      EMPTY_DRAFT,
      EMPTY_DRAFT,
      0,
    ]);
  });

  test("a draft keeps its identity until it changes", () => {
    const drafts = new DraftStore(new TestStorage());
    const draft: MessageDraft = drafts.get("a");
    expect(drafts.get("a")).toBe(draft);
    let notified = 0;
    const leave = drafts.subscribe(() => notified++);
    drafts.change("a", (now) => ({ ...now, text: "x" }));
    leave();
    drafts.change("a", (now) => ({ ...now, text: "y" }));
    expect(notified).toBe(1);
  });
});

describe("queued messages of a chat", () => {
  const item = (stage: OutboxMessage["stage"]): OutboxMessage => ({
    id: stage,
    stage,
    mode: "follow-up",
    message: user("x"),
    answerSettings: {},
  });
  test.each<[string, OutboxMessage["stage"][], boolean, RegExp]>([
    ["the first waiting message", ["waiting", "waiting"], true, /automatically after/],
    ["none before a failed message", ["failed", "waiting"], false, /paused until/],
    ["none before a message that is being sent", ["sending", "waiting"], false, /automatically after/],
    ["none if no message waits", ["failed"], false, /^$/],
  ])("are sent automatically: %s", (_, stages, isNext, description) => {
    const list = stages.map(item);
    expect(findNextFollowUp(list) !== undefined).toBe(isNext);
    expect(describeSendTime(list, true)).toMatch(description);
  });

  const node = (id: string, role: OutlineNode["role"], more: Partial<OutlineNode> = {}): [string, OutlineNode] => [
    id,
    { id, role, parentMessageId: null, createdAt: "", preview: "", ...more },
  ];
  const live = (after: string | null, state: RunInProgress["state"] = "streaming"): RunInProgress => ({
    runId: "r",
    answeredId: after,
    messages: [],
    state,
  });
  const rows: [string, Partial<ConversationState>, boolean][] = [
    ["a whole answer", {}, true],
    ["an interrupted answer", { nodes: new Map([node("b", "assistant", { interrupted: true })]) }, false],
    ["a question without an answer", { nodes: new Map([node("b", "user")]) }, false],
    ["a streaming answer", { liveRuns: [live("b")] }, false],
    ["an answer whose messages are about to arrive", { liveRuns: [live("b", "ended")] }, false],
    ["a lost connection", { connection: "offline" }, false],
    ["a conversation that is still loading", { status: "loading" }, false],
  ];
  test.each(rows)("after %s", (_, given, expected) => {
    const nodes = new Map([node("a", "user"), node("b", "assistant")]);
    const state = { status: "ready", connection: "live", liveRuns: [], path: ["a", "b"], nodes, ...given } as const;
    expect(canSendFollowUp(state)).toBe(expected);
  });

  const sendable: [string, SentFollowUp | undefined, string | undefined][] = [
    ["nothing was sent before", undefined, "next"],
    ["the last one is under way", { id: "last", leafId: "b" }, undefined],
    ["the last one is stored and answered", { id: "last", leafId: "a" }, "next"],
    ["another tab stored the last one before the leaf", { id: "stored", leafId: "b" }, "next"],
  ];
  test.each(sendable)("the next one is sent if %s", (_, lastSent, expected) => {
    const nodes = new Map([node("a", "user"), node("b", "assistant")]);
    const stored = { ...user("x"), id: "a", metadata: { page: { key: "stored" } } } as unknown as StoredMessage;
    const bodies = new Map([["a", stored]]);
    const state = { status: "ready", connection: "live", liveRuns: [], path: ["a", "b"], nodes, bodies } as const;
    expect(findSendableFollowUp([{ ...item("waiting"), id: "next" }], state, lastSent)?.id).toBe(expected);
  });

  test("only runs of the shown branch count as answering", () => {
    const runs = [live("b"), live("elsewhere"), live(null), live("b", "ended")];
    expect(listAnsweringRuns({ path: ["a", "b"], liveRuns: runs })).toStrictEqual([runs[0], runs[2]]);
  });

  test("an unanswered message at the end is offered for an answer", () => {
    const nodes = new Map([node("a", "user")]);
    const state = { status: "ready", path: ["a"], nodes, liveRuns: [], failures: new Map() } as const;
    expect(findUnansweredMessage(state)).toBe("a");
    expect(findUnansweredMessage({ ...state, liveRuns: [live("a")] })).toBeUndefined();
  });
});

describe("settings", () => {
  test("only set fields are included", () => {
    expect(parseSettings(NO_SETTINGS)).toBeUndefined();
    expect(parseSettings({ temperature: "0", maxOutputTokens: " 100 ", effort: "low" })).toStrictEqual({
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
    expect(Object.keys(validateSettings({ temperature, maxOutputTokens, effort: "" }))).toStrictEqual(mistakes);
  });
});

describe("models", () => {
  const models = ["openai/gpt-5", "demo/koine", "fast"].map((id) => ({ id, provider: id.split("/")[0] ?? "" }));
  test.each([
    ["the last one used", "openai/gpt-5", "openai/gpt-5"],
    ["an unlisted model of a configured provider", "openai/gpt-6", "openai/gpt-6"],
    ["the demo, if the provider of the last model is missing", "gemini/flash", "demo/koine"],
    ["the demo at first", "", "demo/koine"],
  ])("start with %s", (_, last, expected) => {
    expect(chooseDefaultModel(models, last)).toBe(expected);
  });

  test("are filtered by the typed text, and all are offered beside an exact match", () => {
    const found = (typed: string): string[] => filterModels(models, typed).map(({ id }) => id);
    expect([found("GPT"), found("koine de"), found("x"), found("fast").length]).toStrictEqual([
      ["openai/gpt-5"],
      ["demo/koine"],
      [],
      3,
    ]);
  });
});

test.each([
  ["a listed name", "fast", "fast"],
  ["the only remaining choice", "gpt", "openai/gpt-5"],
  ["a name with a provider", "openai/gpt-7", "openai/gpt-7"],
  ["a part of several names", "o", undefined],
  ["an unknown name", "hel", undefined],
  ["an empty field, for the server's default", " ", ""],
])("leaving the model field resolves %s", (_, typed, expected) => {
  const models = ["openai/gpt-5", "demo/koine", "fast"].map((id) => ({ id, provider: id.split("/")[0] ?? "" }));
  expect(resolveTypedModel(models, typed)).toBe(expected);
});

test("a title is the start of the text on one line, without a split character", () => {
  expect(makeTitle(user("a\n b"))).toBe("a b");
  expect(makeTitle(user(" "))).toBeUndefined();
  const long = makeTitle(user(`${"x".repeat(78)}😀 and more`));
  expect(long).toBe(`${"x".repeat(78)}…`);
});

test.each([
  ["running", {}, "Working…"],
  ["cancelled", {}, "Stopped. Send a message to continue."],
  [
    "failed",
    { error: { code: "rate-limit", message: "Slow down" } },
    "Failed (rate-limit): Slow down. Send a message to continue.",
  ],
  ["idle", { approval: "ask" }, "Ready. Tools will wait for your approval."],
] as const)("a task that is %s is described", (state, more, description) => {
  expect(describeTask({ state, approval: "never", queue: [], approvals: [], ...more })).toBe(description);
});

test("an announcement names all tool calls that wait, and is empty once one of them is decided", () => {
  const [a, b, c] = ["a", "b", "c"].map((id) => ({ toolCallId: id, toolName: id, argumentsText: "" }));
  if (a === undefined || b === undefined || c === undefined) throw new Error("There are three.");
  expect([hasUnannouncedApproval([], [a]), announceApprovals([], [a])]).toStrictEqual([true, ""]);
  // The calls of one answer may arrive one after the other.
  expect([hasUnannouncedApproval([a], [a, b]), announceApprovals([a], [a, b])]).toStrictEqual([
    true,
    "a waits for your approval.",
  ]);
  expect([hasUnannouncedApproval([a, b], [a, b]), announceApprovals([a, b], [a, b])]).toStrictEqual([
    false,
    "a, b wait for your approval.",
  ]);
  expect([hasUnannouncedApproval([a, b], [b]), announceApprovals([a, b], [b])]).toStrictEqual([false, ""]);
  expect([hasUnannouncedApproval([a, b], [b, c]), announceApprovals([a, b], [b, c])]).toStrictEqual([true, ""]);
  expect([hasUnannouncedApproval([a, b], []), announceApprovals([a, b], [])]).toStrictEqual([false, ""]);
});
