// A conversation as the page knows it, against the real server on SQLite: what is said, streamed, chosen and changed, here and
// elsewhere, and what a reload makes of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assistant, textOf, user } from "../../src/model/index.ts";
import type { KoineServer } from "../../src/server/server.ts";
import { startKoine } from "../server/support/koine.ts";
import { HeldModel } from "../server/tasks/support.ts";
import { shown, Tab, until } from "./support/page-data.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-page-data-"));
const model = new HeldModel();
let koine: KoineServer;
beforeAll(async () => {
  const ledger = { url: `sqlite:${join(folder, "koine.db")}`, sync: "normal" } as const;
  koine = await startKoine({ ledger, providers: { test: model.provider } });
});
afterAll(async () => {
  await koine.close();
  rmSync(folder, { recursive: true, force: true });
});

const ASK = { model: "test/held" };

/** A thread with one question and its answer, being watched. */
async function answered(tab: Tab, question = "Where is Corinth?", answer = "On the isthmus.") {
  const { id } = await tab.data.api.createThread({ id: tab.data.api.newId(), title: "A thread" });
  const store = tab.conversation(id);
  await until(store, ({ status }) => status === "ready");
  const said = store.actions.say(user(question), ASK);
  (await model.asked()).say(answer);
  await said;
  await until(store, ({ path, live }) => path.length === 2 && live.length === 0);
  return store;
}

test("what is said is answered while one watches, and a reload in the middle shows the same", async () => {
  using tab = new Tab(koine.url);
  const store = await answered(tab);
  const before = store.getSnapshot();
  expect(shown(before)).toStrictEqual(["Where is Corinth?", "On the isthmus."]);
  const said = store.actions.say(user("And Argos?"), {});
  const asked = await model.asked();
  expect(asked.request.messages.map(textOf)).toStrictEqual(["Where is Corinth?", "On the isthmus.", "And Argos?"]);
  // Before a word is said.
  await said;
  asked.begin("Further ");
  const midway = await until(store, (state) => shown(state).at(-1) === "~Further ");
  expect(midway.live[0]).toMatchObject({ after: midway.path[2], state: "streaming", model: "held" });
  // What was settled is the same (B100).
  expect(midway.path.slice(0, 2).every((id) => midway.bodies.get(id) === before.bodies.get(id))).toBe(true);

  using reloaded = new Tab(koine.url);
  const again = reloaded.conversation(store.id);
  const reread = await until(again, ({ live, connection }) => connection === "live" && live[0]?.messages.length === 1);
  expect(reread).toStrictEqual(midway);
  asked.say("south.");
  const done = await until(store, ({ path }) => path.length === 4);
  expect(shown(done).at(-1)).toBe("Further south.");
  expect(done.live).toStrictEqual([]);
  expect(await until(again, ({ path }) => path.length === 4)).toStrictEqual(done);
});

test("B93: another answer stands beside the first, and the branch that is chosen is chosen in every tab and after a reload", async () => {
  using tab = new Tab(koine.url);
  using other = new Tab(koine.url);
  const store = await answered(tab);
  const elsewhere = other.conversation(store.id);
  await until(elsewhere, ({ path }) => path.length === 2);
  const [question = "", first = ""] = store.getSnapshot().path;
  const asking = store.actions.regenerate(first);
  (await model.asked()).say("By the gulf.");
  await asking;
  const { path, nodes } = await until(store, (state) => shown(state)[1] === "By the gulf.");
  expect([nodes.get(first)?.superseded, nodes.get(path[1] ?? "")?.superseded]).toStrictEqual([true, undefined]);
  await until(elsewhere, (state) => shown(state)[1] === "By the gulf.");

  for (const [id, words] of [
    [first, "On the isthmus."],
    [path[1] ?? "", "By the gulf."],
    [first, "On the isthmus."],
  ] as const) {
    await elsewhere.actions.select(id);
    for (const each of [elsewhere, store]) await until(each, (state) => shown(state)[1] === words);
  }
  using reloaded = new Tab(koine.url);
  const chosen = await until(reloaded.conversation(store.id), ({ bodies }) => bodies.size >= 2);
  expect(chosen.path).toStrictEqual([question, first]);
});

test("an edit is a branch of its own with its own answer, and choosing a message shows its branch up to its end", async () => {
  using tab = new Tab(koine.url);
  const store = await answered(tab);
  const [question = ""] = store.getSnapshot().path;
  const editing = store.actions.edit(question, user("Where is Delphi?"), ASK);
  (await model.asked()).say("On Parnassus.");
  await editing;
  await until(store, (state) => shown(state).join() === "Where is Delphi?,On Parnassus.");
  await store.actions.select(question);
  await until(store, (state) => shown(state).join() === "Where is Corinth?,On the isthmus.");
  const forked = await store.actions.fork(question, "From the question");
  const fork = await until(tab.conversation(forked), ({ bodies }) => bodies.size === 1);
  expect([fork.thread?.title, ...shown(fork)]).toStrictEqual(["From the question", "Where is Corinth?"]);
});

test("an answer that fails says why, until there is one; one that is stopped keeps what it had said", async () => {
  using tab = new Tab(koine.url);
  const store = await answered(tab);
  const asking = store.actions.say(user("And Argos?"), ASK).catch((error: unknown) => error);
  const failing = await model.asked();
  failing.fail("invalid-request");
  await asking;
  const question = store.getSnapshot().path[2] ?? "";
  const failed = await until(store, ({ failures }) => failures.size === 1);
  expect(failed.failures.get(question)).toMatchObject({ state: "failed", error: { kind: "invalid-request" } });
  expect(failed.live).toStrictEqual([]);
  using reloaded = new Tab(koine.url);
  const again = reloaded.conversation(store.id);
  expect((await until(again, ({ failures }) => failures.size === 1)).failures).toStrictEqual(failed.failures);

  const retrying = store.actions.regenerate(question);
  const asked = await model.asked();
  asked.begin("Further ");
  await retrying;
  await until(store, ({ live, failures }) => live[0]?.state === "streaming" && failures.size === 0);
  expect(await store.actions.stop()).toStrictEqual([]);
  const stopped = await until(store, ({ live }) => live.length === 0);
  expect(stopped.path).toStrictEqual(failed.path);
  const partial = [...stopped.nodes.values()].at(-1);
  expect(partial).toMatchObject({ parentMessageId: question, interrupted: true, preview: "Further" });
  expect(stopped.failures.size).toBe(0);
  expect((await until(again, ({ nodes }) => nodes.size === 4)).nodes).toStrictEqual(stopped.nodes);
});

test("what is said while the thread went on elsewhere is said after that", async () => {
  using tab = new Tab(koine.url);
  const store = await answered(tab);
  // Said between what is seen and what is sent.
  await koine.ledger.append(store.id, [user("From elsewhere."), assistant("Noted.")]);
  const said = store.actions.say(user("And Argos?"), ASK);
  (await model.asked()).say("South.");
  await said;
  const { length } = (await until(store, ({ path }) => path.length === 6)).path;
  expect(shown(store.getSnapshot()).slice(2)).toStrictEqual(["From elsewhere.", "Noted.", "And Argos?", "South."]);
  expect(await koine.ledger.transcript(store.id)).toHaveLength(length);
});

test("a call of an SDK elsewhere is seen as it streams", async () => {
  using tab = new Tab(koine.url);
  const store = await answered(tab);
  const calling = fetch(`${koine.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-koine-thread": store.id },
    body: JSON.stringify({
      model: "test/held",
      stream: true,
      messages: [
        { role: "user", content: "Where is Corinth?" },
        { role: "assistant", content: "On the isthmus." },
        { role: "user", content: "By SDK?" },
      ],
    }),
  });
  const asked = await model.asked();
  asked.begin("Yes");
  const midway = await until(store, ({ live }) => live[0]?.state === "streaming");
  expect(shown(midway).slice(2)).toStrictEqual(["By SDK?", "~Yes"]);
  asked.say("!");
  await (await calling).text();
  await until(store, (state) => shown(state).at(-1) === "Yes!");
});

test("title, model and settings are kept with the thread, and a thread that is deleted is missing everywhere", async () => {
  using tab = new Tab(koine.url);
  using other = new Tab(koine.url);
  const store = await answered(tab);
  const elsewhere = other.conversation(store.id);
  await until(elsewhere, ({ ask }) => ask.model === "test/held");
  await store.actions.rename("Corinthiaca");
  await store.actions.remember({ settings: { sampling: { temperature: 0.5 } } });
  await until(elsewhere, ({ thread, ask }) => thread?.title === "Corinthiaca" && ask.settings !== undefined);
  expect(elsewhere.getSnapshot().ask).toStrictEqual({ ...ASK, settings: { sampling: { temperature: 0.5 } } });
  const said = store.actions.say(user("And Argos?"));
  const asked = await model.asked();
  expect(asked.request.sampling).toStrictEqual({ temperature: 0.5 });
  asked.begin("South");
  await said;
  // It is stopped first: threads that are worked on are not deleted.
  await store.actions.remove();
  for (const each of [elsewhere, store]) await until(each, ({ status }) => status === "missing");
});

test("from the list, too, an answer on its way is stopped before its conversation is deleted, and nothing is asked of it after", async () => {
  const asked: string[] = [];
  using tab = new Tab(koine.url, undefined, (url) => asked.push(new URL(url).pathname));
  using list = new Tab(koine.url);
  const store = await answered(tab);
  const said = store.actions.say(user("And Argos?"), ASK);
  (await model.asked()).begin("South");
  await said;
  await until(store, ({ live }) => live[0]?.state === "streaming");
  await list.data.api.removeThread(store.id);
  await until(store, ({ status }) => status === "missing");
  const { length } = asked;
  store.actions.need(store.getSnapshot().path);
  // A view of it that is opened again, and time enough for anything to be asked.
  tab.conversation(store.id);
  await koine.ledger.createThread({ id: store.id.replace(/.$/, "~") });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(asked.slice(length).filter((path) => path.includes(store.id))).toStrictEqual([]);
  // Somebody else was quicker.
  await list.data.api.removeThread(store.id);
});

test("what a run had said before it broke off is told with its failure, now and after a reload", async () => {
  using tab = new Tab(koine.url);
  const store = await answered(tab);
  const said = store.actions.say(user("And Argos?"), ASK);
  const asked = await model.asked();
  asked.begin("Further ");
  await said;
  await until(store, ({ live }) => live[0]?.state === "streaming");
  asked.fail("server");
  const { failures, nodes, path } = await until(store, (state) => state.failures.size === 1);
  const partial = [...nodes.values()].at(-1);
  expect(partial).toMatchObject({ parentMessageId: path[2], interrupted: true });
  expect(failures.get(path[2] ?? "")?.messageIds).toStrictEqual([partial?.id]);
  using reloaded = new Tab(koine.url);
  const again = await until(reloaded.conversation(store.id), (state) => state.failures.size === 1);
  expect(again.failures).toStrictEqual(failures);
});

test("of a long thread only the pages that are looked at are loaded, each once", async () => {
  const { id } = await koine.ledger.createThread();
  for (let block = 0; block < 10; block++) {
    const words = Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? user : assistant)(`${block * 50 + at}`));
    await koine.ledger.append(id, words);
  }
  const asked: string[] = [];
  using tab = new Tab(koine.url, undefined, (url) => asked.push(new URL(url).pathname + new URL(url).search));
  const store = tab.conversation(id);
  const first = await until(store, ({ bodies }) => bodies.size === 100);
  expect(first.path).toHaveLength(500);
  store.actions.need(first.path.slice(120, 180));
  store.actions.need(first.path.slice(180, 230));
  const { path, bodies } = await until(store, ({ bodies: loaded }) => loaded.size === 300);
  expect(path.filter((each) => bodies.has(each))).toStrictEqual([...path.slice(100, 300), ...path.slice(400)]);
  store.actions.need(path.slice(150, 160));
  await until(store, () => true);
  expect(asked.filter((each) => each.includes("/messages"))).toHaveLength(3);
});
