// Tenants never learn of each other: one that holds all ids of another hears from every route exactly what one hears
// that holds ids which nobody has. Nothing of the first tenant's has changed afterwards.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { openLedger } from "../../../src/ledger/index.ts";
import { completeConfig } from "../../../src/server/config/defaults.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { createServer } from "../../../src/server/server.ts";
import { freshSchema } from "../../support/postgres.ts";
import { tries } from "../../support/tries.ts";
import { startKoine } from "../support/koine.ts";
import { HeldModel } from "../tasks/support.ts";
import { attacksOn, type Attack, BODIES, MAKES, type Own } from "./attacks.ts";
import { type Ids, inventory, settle, UNTOLD, WORD } from "./belongings.ts";
import { ask, jsonOf, readUntil, tell, tenantsOf, textAt, type Told } from "./support.ts";

/** The routes, from a server that does nothing else: tests are made before the real one runs. */
const describing = await createServer(completeConfig({ log: { level: "silent", format: "json" } }));
const ROUTES = describing.routes;
await describing.close();

// ---- Ids that nobody has ----

/** As long as the word itself: a model says it in as many pieces. */
const TWIN_WORD = "Zayn";
const ULID = /\b01[0-9A-HJKMNP-TV-Z]{24}\b/g;

const backwards = (text: string): string => text.split("").toReversed().join("");

/** Of the same form, and nobody's. */
function twinOf(id: string): string {
  const word = id.replace(WORD, TWIN_WORD);
  if (word.startsWith("msg_koine_")) return `msg_koine_${backwards(word.slice("msg_koine_".length))}`;
  if (word.startsWith("sha256-")) return `sha256-${backwards(word.slice(7))}`;
  return word.replace(ULID, (ulid) => ulid.slice(0, 10) + backwards(ulid.slice(10)));
}

function twinsOf(ids: Ids): Ids {
  // The same names.
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, twinOf(id)])) as unknown as Ids;
}

// ---- What is heard, without what differs between any two tenants ----

const CHANCE: readonly [RegExp, string][] = [
  [ULID, "<id>"],
  [/\b(?:demo|chatcmpl|msg|resp)_[\w-]+/g, "<answer>"],
  [/sha256-[0-9a-f]{64}/g, "<blob>"],
  [/"(?:items?|response|key):[^"]+"/g, '"<name>"'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"],
  [/"(durationMs|created|created_at|createdAt|finishedAt)":\d+/g, '"$1":0'],
  [/"(digest|requestHash)":"[\w-]+"/g, '"$1":""'],
  [/token-of-\w+|\b(?:bee|cee)\b/g, "<own>"],
];

function heard({ status, headers, text }: Told, ids: Ids): string {
  const { "x-request-id": _, "request-id": __, "content-length": ___, ...told } = headers;
  let all = `${status} ${JSON.stringify(told)}\n${text}`;
  const named = Object.entries(ids).toSorted(([, a], [, b]) => b.length - a.length);
  for (const [name, id] of named) all = all.replaceAll(id, `<their ${name}>`);
  for (const [pattern, word] of CHANCE) all = all.replaceAll(pattern, word);
  return all;
}

/** `words` end the reading of a stream that would not end. */
async function launch(koine: KoineServer, token: string, attack: Attack, words: string): Promise<Told> {
  const { marker } = attack;
  if (marker === undefined) return tell(koine, attack, token);
  const reply = await ask(koine, attack, token);
  const { status } = reply;
  if (status !== 200) return { status, headers: {}, text: await reply.text() };
  await tell(koine, marker(words), token);
  const [text = ""] = (await readUntil(reply, words)).split(words);
  return { status, headers: {}, text };
}

/** The task is at work when this resolves, and stays so: whatever is said to it waits. */
async function ownOf(koine: KoineServer, token: string, held: HeldModel): Promise<Own> {
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> =>
    jsonOf(await tell(koine, { method: "POST", path, body }, token));
  const said = { role: "user", parts: [{ type: "text", text: "something of my own" }] };
  const thread = textAt(await post("/v1/threads", { messages: [said] }), "id");
  const run = await post(`/v1/threads/${thread}/regenerate`, {});
  const response = textAt(await post("/v1/responses", { model: "demo/koine", input: "my own" }), "id");
  const task = textAt(await post("/v1/task", { model: "held/held", message: "my own work" }), "task", "id");
  await held.asked();
  const chat = "my-chat";
  const page = [{ id: "u", role: "user", parts: [{ type: "text", text: "my own chat" }] }];
  await tell(koine, { method: "POST", path: "/v1/chat", body: { id: chat, messages: page } }, token);
  return { thread, message: textAt(run, "messages", 0, "id"), run: textAt(run, "run", "id"), response, task, chat };
}

// ---- The places where things are kept ----

interface Kept {
  ledger: Ledger;
  drop(): Promise<void>;
}

/** Never the same time twice: what is listed by its time stands in one order only. */
function strictClock(): () => number {
  let last = 0;
  return () => (last = Math.max(Date.now(), last + 1));
}

/** Longer than any answer takes: whether some of it was written before its end would be chance. */
const FLUSH_MS = 20_000;
const SETTINGS = { flushMs: FLUSH_MS, clock: strictClock() };
const STORES: readonly [string, () => Promise<Kept>][] = [
  ["in memory", async () => ({ ledger: await openLedger("memory:", SETTINGS), drop: async () => {} })],
  [
    "in SQLite",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "koine-tenants-"));
      const ledger = await openLedger(`sqlite:${join(folder, "koine.db")}`, { ...SETTINGS, sync: "normal" });
      return { ledger, drop: async () => rmSync(folder, { recursive: true }) };
    },
  ],
  [
    "in Postgres",
    async () => {
      const place = await freshSchema();
      const { url, schema } = place;
      return { ledger: await openLedger(url, { ...SETTINGS, schema, connections: 3 }), drop: () => place.drop() };
    },
  ],
];

test("every route that takes a body has one to be attacked with, and no other has", () => {
  const bodied = ROUTES.filter(({ method }) => method !== "GET" && method !== "DELETE");
  expect(Object.keys(BODIES).toSorted()).toStrictEqual(bodied.map(({ operation }) => operation.id).toSorted());
});

// The stores answer the same questions; in everyday runs the usual one is asked.
describe.each(tries(3) === 3 ? STORES : STORES.slice(1, 2))("what a tenant keeps %s", (_, open) => {
  test("is for another one as if it had never been, and stays as it was", { timeout: 300_000 }, async () => {
    const kept = await open();
    const { ledger } = kept;
    const held = new HeldModel();
    const koine = await startKoine(
      {
        providers: { demo: demo(), held: held.provider },
        tenants: tenantsOf({ aye: ["aye"], bee: ["bee"], cee: ["cee"] }),
        ledger: { flushMs: FLUSH_MS },
        drainMs: 50,
      },
      { ledger, stopMs: 500 },
    );
    try {
      const ids = await settle(koine, "aye", held);
      const before = await inventory(koine, "aye", ids);
      expect(before.match(/ 200 /g), "all of it can be read by its owner").toHaveLength(12);
      const told = await compare(koine, ids, held);
      expect(told.attacks).toBeGreaterThan(900);
      expect(told.differences.slice(0, 9)).toStrictEqual([]);
      expect(told.leaks).toStrictEqual([]);
      expect(await inventory(koine, "aye", ids)).toBe(before);
    } finally {
      await koine.close();
      await ledger.close();
      await kept.drop();
    }
  });
});

interface Compared {
  attacks: number;
  /** Where the two tenants heard something else. */
  differences: string[];
  /** Where the first tenant's words came up. */
  leaks: string[];
}

/** What is counted for all tenants together differs with every call. */
const COMMON: ReadonlySet<string> = new Set(["getMetrics"]);

async function compare(koine: KoineServer, ids: Ids, held: HeldModel): Promise<Compared> {
  const twins = twinsOf(ids);
  const own = [await ownOf(koine, "bee", held), await ownOf(koine, "cee", held)] as const;
  const compared: Compared = { attacks: 0, differences: [], leaks: [] };
  const routes = ROUTES.toSorted((a, b) => Number(MAKES.has(a.operation.id)) - Number(MAKES.has(b.operation.id)));
  const lists = ROUTES.filter(({ method, paths }) => method === "GET" && !/[:*]/.test(paths[0]));
  // Lists once more, when everything has been tried.
  for (const route of [...routes, ...lists]) {
    const [mine, others] = [attacksOn(route, ids, own[0]), attacksOn(route, twins, own[1])];
    for (const [index, attack] of mine.entries()) {
      const other = others[index];
      if (other === undefined) throw new Error("The two tenants do not do the same.");
      const words = `the last words ${compared.attacks++}`;
      const [a, b] = [await launch(koine, "bee", attack, words), await launch(koine, "cee", other, words)];
      if (`${a.text} ${JSON.stringify(a.headers)}`.includes(UNTOLD)) compared.leaks.push(attack.what);
      if (COMMON.has(route.operation.id)) continue;
      const [theirs, nobodys] = [heard(a, ids), heard(b, twins)];
      if (theirs !== nobodys) compared.differences.push(...differenceOf(attack.what, theirs, nobodys));
    }
  }
  return compared;
}

/** The first lines that differ. */
function differenceOf(what: string, theirs: string, nobodys: string): string[] {
  const [a, b] = [theirs.split("\n"), nobodys.split("\n")];
  const at = a.findIndex((line, index) => line !== b[index]);
  return [what, `theirs: ${a[at]?.slice(0, 500)}`, `nobody's: ${b[at]?.slice(0, 500)}`];
}
