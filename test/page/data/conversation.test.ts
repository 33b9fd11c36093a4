// Tests the conversation store against a real server on SQLite: sending, streaming, selecting and changing, in several
// tabs and after a reload.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assistant, getText, user } from "../../../src/model/index.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../../server/support/start-koine.ts";
import { ManualModel } from "../../server/tasks/support.ts";
import { listShownTexts, TestEffects, TestTab, waitForState } from "../support/page-data.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-page-data-"));
const model = new ManualModel();
let koine: KoineServer;
beforeAll(async () => {
  const ledger = { url: `sqlite:${join(folder, "koine.db")}`, sync: "normal" } as const;
  koine = await startKoine({ ledger, providers: { test: model.provider } });
});
afterAll(async () => {
  await koine.close();
  rmSync(folder, { recursive: true, force: true });
});

const ASK = { model: "test/manual" };

/** Opens a thread with one user message and its answer. */
async function answered(tab: TestTab, question = "Where is Corinth?", answer = "On the isthmus.") {
  const { id } = await tab.data.api.createThread({ id: tab.data.api.newId(), title: "A thread" });
  const store = tab.conversation(id);
  await waitForState(store, ({ status }) => status === "ready");
  const sending = store.actions.sendMessage(user(question), ASK);
  (await model.nextCall()).complete(answer);
  await sending;
  await waitForState(store, ({ path, liveRuns }) => path.length === 2 && liveRuns.length === 0);
  return store;
}

test("a message is stored and its answer streams in; a reload in the middle shows the same state", async () => {
  using tab = new TestTab(koine.url);
  const store = await answered(tab);
  const before = store.getSnapshot();
  expect(listShownTexts(before)).toStrictEqual(["Where is Corinth?", "On the isthmus."]);
  const sending = store.actions.sendMessage(user("And Argos?"), {});
  const pendingCall = await model.nextCall();
  expect(pendingCall.request.messages.map(getText)).toStrictEqual([
    "Where is Corinth?",
    "On the isthmus.",
    "And Argos?",
  ]);
  // Before the first delta.
  await sending;
  pendingCall.begin("Further ");
  const midway = await waitForState(store, (state) => listShownTexts(state).at(-1) === "~Further ");
  expect(midway.liveRuns[0]).toMatchObject({ answeredId: midway.path[2], state: "streaming", model: "manual" });
  // Settled messages keep their identity (B100).
  expect(midway.path.slice(0, 2).every((id) => midway.bodies.get(id) === before.bodies.get(id))).toBe(true);

  using reloaded = new TestTab(koine.url);
  const again = reloaded.conversation(store.id);
  const reread = await waitForState(
    again,
    (state) => state.connection === "live" && listShownTexts(state).at(-1) === "~Further ",
  );
  expect(reread).toStrictEqual(midway);
  pendingCall.complete("south.");
  const done = await waitForState(store, ({ path, liveRuns }) => path.length === 4 && liveRuns.length === 0);
  expect(listShownTexts(done).at(-1)).toBe("Further south.");
  expect(await waitForState(again, ({ path, liveRuns }) => path.length === 4 && liveRuns.length === 0)).toStrictEqual(
    done,
  );
});

test("B93: a second answer is beside the first, and the selected branch is selected in every tab and after a reload", async () => {
  using tab = new TestTab(koine.url);
  using other = new TestTab(koine.url);
  const store = await answered(tab);
  const elsewhere = other.conversation(store.id);
  await waitForState(elsewhere, ({ path }) => path.length === 2);
  const [question = "", first = ""] = store.getSnapshot().path;
  const asking = store.actions.regenerate(first);
  (await model.nextCall()).complete("By the gulf.");
  await asking;
  // The event that marks the first answer as superseded may follow the second answer.
  const { path, nodes } = await waitForState(
    store,
    (state) => listShownTexts(state)[1] === "By the gulf." && state.nodes.get(first)?.superseded === true,
  );
  expect(nodes.get(path[1] ?? "")?.superseded).toBeUndefined();
  await waitForState(elsewhere, (state) => listShownTexts(state)[1] === "By the gulf.");

  for (const [id, text] of [
    [first, "On the isthmus."],
    [path[1] ?? "", "By the gulf."],
    [first, "On the isthmus."],
  ] as const) {
    await elsewhere.actions.select(id);
    for (const each of [elsewhere, store]) await waitForState(each, (state) => listShownTexts(state)[1] === text);
  }
  using reloaded = new TestTab(koine.url);
  const chosen = await waitForState(reloaded.conversation(store.id), ({ bodies }) => bodies.size >= 2);
  expect(chosen.path).toStrictEqual([question, first]);
});

test("an edit creates a branch with its own answer, and selecting a message shows its branch up to its end", async () => {
  using tab = new TestTab(koine.url);
  const store = await answered(tab);
  const [question = ""] = store.getSnapshot().path;
  const editing = store.actions.edit(question, user("Where is Delphi?"), ASK);
  (await model.nextCall()).complete("On Parnassus.");
  await editing;
  await waitForState(store, (state) => listShownTexts(state).join() === "Where is Delphi?,On Parnassus.");
  await store.actions.select(question);
  await waitForState(store, (state) => listShownTexts(state).join() === "Where is Corinth?,On the isthmus.");
  const forked = await store.actions.fork(question, "From the question");
  const fork = await waitForState(tab.conversation(forked), ({ bodies }) => bodies.size === 1);
  expect([fork.thread?.title, ...listShownTexts(fork)]).toStrictEqual(["From the question", "Where is Corinth?"]);
});

test("a failed answer shows its error until there is a new one; a stopped answer keeps its partial text", async () => {
  using tab = new TestTab(koine.url);
  const store = await answered(tab);
  const asking = store.actions.sendMessage(user("And Argos?"), ASK).catch((error: unknown) => error);
  const failing = await model.nextCall();
  failing.fail("invalid-request");
  await asking;
  const failed = await waitForState(store, ({ path, failures }) => path.length === 3 && failures.size === 1);
  const question = failed.path[2] ?? "";
  expect(failed.failures.get(question)).toMatchObject({ state: "failed", error: { kind: "invalid-request" } });
  expect(failed.liveRuns).toStrictEqual([]);
  using reloaded = new TestTab(koine.url);
  const again = reloaded.conversation(store.id);
  expect((await waitForState(again, ({ failures }) => failures.size === 1)).failures).toStrictEqual(failed.failures);

  const retrying = store.actions.regenerate(question);
  const pendingCall = await model.nextCall();
  pendingCall.begin("Further ");
  await retrying;
  await waitForState(store, ({ liveRuns, failures }) => liveRuns[0]?.state === "streaming" && failures.size === 0);
  expect(await store.actions.stop()).toStrictEqual([]);
  const stopped = await waitForState(store, ({ liveRuns }) => liveRuns.length === 0);
  expect(stopped.path).toStrictEqual(failed.path);
  const partial = [...stopped.nodes.values()].at(-1);
  expect(partial).toMatchObject({ parentMessageId: question, interrupted: true, preview: "Further" });
  expect(stopped.failures.size).toBe(0);
  expect((await waitForState(again, ({ nodes }) => nodes.size === 4)).nodes).toStrictEqual(stopped.nodes);
});

test("a message that is sent after the thread has grown follows the new messages", async () => {
  using tab = new TestTab(koine.url);
  const store = await answered(tab);
  // Appended between reading and sending.
  await koine.ledger.append(store.id, [user("From elsewhere."), assistant("Noted.")]);
  const sending = store.actions.sendMessage(user("And Argos?"), ASK);
  (await model.nextCall()).complete("South.");
  await sending;
  const { length } = (await waitForState(store, ({ path }) => path.length === 6)).path;
  expect(listShownTexts(store.getSnapshot()).slice(2)).toStrictEqual([
    "From elsewhere.",
    "Noted.",
    "And Argos?",
    "South.",
  ]);
  expect(await koine.ledger.transcript(store.id)).toHaveLength(length);
});

test("a call of an SDK is shown while it streams", async () => {
  using tab = new TestTab(koine.url);
  const store = await answered(tab);
  const calling = fetch(`${koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-koine-thread": store.id },
    body: JSON.stringify({
      model: "test/manual",
      stream: true,
      messages: [
        { role: "user", content: "Where is Corinth?" },
        { role: "assistant", content: "On the isthmus." },
        { role: "user", content: "By SDK?" },
      ],
    }),
  });
  const pendingCall = await model.nextCall();
  pendingCall.begin("Yes");
  const midway = await waitForState(store, (state) => listShownTexts(state).at(-1) === "~Yes");
  expect(listShownTexts(midway).slice(2)).toStrictEqual(["By SDK?", "~Yes"]);
  pendingCall.complete("!");
  await (await calling).text();
  await waitForState(store, (state) => listShownTexts(state).at(-1) === "Yes!");
});

test("title, model and settings are stored in the thread, and a deleted thread is missing in every tab", async () => {
  using tab = new TestTab(koine.url);
  using other = new TestTab(koine.url);
  const store = await answered(tab);
  const elsewhere = other.conversation(store.id);
  await waitForState(elsewhere, ({ answerSettings }) => answerSettings.model === "test/manual");
  await store.actions.rename("Corinthiaca");
  await store.actions.storeAnswerSettings({ settings: { sampling: { temperature: 0.5 } } });
  await waitForState(
    elsewhere,
    ({ thread, answerSettings }) => thread?.title === "Corinthiaca" && answerSettings.settings !== undefined,
  );
  expect(elsewhere.getSnapshot().answerSettings).toStrictEqual({
    ...ASK,
    settings: { sampling: { temperature: 0.5 } },
  });
  const sending = store.actions.sendMessage(user("And Argos?"));
  const pendingCall = await model.nextCall();
  expect(pendingCall.request.sampling).toStrictEqual({ temperature: 0.5 });
  pendingCall.begin("South");
  await sending;
  // The run is stopped first: a thread with a live run cannot be deleted.
  await store.actions.remove();
  for (const each of [elsewhere, store]) await waitForState(each, ({ status }) => status === "missing");
});

test("from the list, too, a live answer is stopped before its thread is deleted, and the page sends no request for the thread afterwards", async () => {
  const requestedPaths: string[] = [];
  const threadRead = Promise.withResolvers<void>();
  let isThreadReadHeld = false;
  const effects = new TestEffects(async (url, init) => {
    const { pathname } = new URL(url);
    requestedPaths.push(pathname);
    if (isThreadReadHeld && /^\/v1\/threads\/[^/]+$/.test(pathname)) await threadRead.promise;
    return fetch(url, init);
  });
  using tab = new TestTab(koine.url, effects);
  using list = new TestTab(koine.url);
  const store = await answered(tab);
  const sending = store.actions.sendMessage(user("And Argos?"), ASK);
  (await model.nextCall()).begin("South");
  await sending;
  await waitForState(store, ({ liveRuns }) => liveRuns[0]?.state === "streaming");
  // Every change of the thread schedules a read of the active leaf. The first read is held, so the second waits for it.
  const readThread = `/v1/threads/${store.id}`;
  isThreadReadHeld = true;
  const readsBefore = requestedPaths.filter((path) => path === readThread).length;
  await list.data.api.updateThread(store.id, { title: "First title" });
  await expect.poll(() => requestedPaths.filter((path) => path === readThread).length).toBeGreaterThan(readsBefore);
  await list.data.api.updateThread(store.id, { title: "Second title" });
  await list.data.api.removeThread(store.id);
  await waitForState(store, ({ status }) => status === "missing");
  const { length } = requestedPaths;
  threadRead.resolve();
  store.actions.loadBodies(store.getSnapshot().path);
  // Opens the view again, and waits for possible requests.
  tab.conversation(store.id);
  await koine.ledger.createThread({ id: store.id.replace(/.$/, "~") });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(requestedPaths.slice(length).filter((path) => path.includes(store.id))).toStrictEqual([]);
  // Already deleted by another client.
  await list.data.api.removeThread(store.id);
});

test("the partial text of a failed run is shown with its error, at once and after a reload", async () => {
  using tab = new TestTab(koine.url);
  const store = await answered(tab);
  const sending = store.actions.sendMessage(user("And Argos?"), ASK);
  const pendingCall = await model.nextCall();
  pendingCall.begin("Further ");
  await sending;
  await waitForState(store, ({ liveRuns }) => liveRuns[0]?.state === "streaming");
  pendingCall.fail("server");
  const { failures, nodes, path } = await waitForState(store, (state) => state.failures.size === 1);
  const partial = [...nodes.values()].at(-1);
  expect(partial).toMatchObject({ parentMessageId: path[2], interrupted: true });
  expect(failures.get(path[2] ?? "")?.messageIds).toStrictEqual([partial?.id]);
  using reloaded = new TestTab(koine.url);
  const again = await waitForState(reloaded.conversation(store.id), (state) => state.failures.size === 1);
  expect(again.failures).toStrictEqual(failures);
});

test("of a long thread only the pages that are looked at are loaded, each once", async () => {
  const { id } = await koine.ledger.createThread();
  for (let block = 0; block < 10; block++) {
    const messages = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? user : assistant)(`${block * 50 + at}`));
    await koine.ledger.append(id, messages);
  }
  const requestedPaths: string[] = [];
  using tab = new TestTab(koine.url, undefined, (url) =>
    requestedPaths.push(new URL(url).pathname + new URL(url).search),
  );
  const store = tab.conversation(id);
  const first = await waitForState(store, ({ bodies }) => bodies.size === 100);
  expect(first.path).toHaveLength(500);
  store.actions.loadBodies(first.path.slice(120, 180));
  store.actions.loadBodies(first.path.slice(180, 230));
  const { path, bodies } = await waitForState(store, ({ bodies: loaded }) => loaded.size === 300);
  expect(path.filter((each) => bodies.has(each))).toStrictEqual([...path.slice(100, 300), ...path.slice(400)]);
  store.actions.loadBodies(path.slice(150, 160));
  await waitForState(store, () => true);
  expect(requestedPaths.filter((each) => each.includes("/messages"))).toHaveLength(3);
});
