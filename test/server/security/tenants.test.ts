// Tenant isolation: with ids of another tenant, every route replies exactly as with ids that do not exist, and nothing
// of the other tenant changes.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { demo } from "../../../src/client/index.ts";
import type { Ledger } from "../../../src/ledger/index.ts";
import { openLedger } from "../../../src/ledger/index.ts";
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import type { KoineServer } from "../../../src/server/server.ts";
import { createServer } from "../../../src/server/server.ts";
import { freshSchema } from "../../support/postgres.ts";
import { scaleRunCount } from "../../support/property-run-count.ts";
import { startKoine } from "../support/start-koine.ts";
import { ManualModel } from "../tasks/support.ts";
import { attacksOn, type Attack, BODIES, MAKES, type AttackerData } from "./attacks.ts";
import { type TenantIds, readEverything, createTenantData, SECRET_TEXT, TENANT_TEXT } from "./tenant-data.ts";
import { send, jsonOf, readUntil, sendAndRead, tenantsOf, textAt, type ReadReply } from "./support.ts";

/** From a server that is only used for its routes, because tests are defined before the real one runs. */
const describing = await createServer(completeConfig({ log: { level: "silent", format: "json" } }));
const ROUTES = describing.routes;
await describing.close();

// ---- Ids that do not exist ----

/** Of the same length, so that a model emits as many deltas. */
const TWIN_TEXT = "Zayn";
const ULID = /\b01[0-9A-HJKMNP-TV-Z]{24}\b/g;

const backwards = (text: string): string => text.split("").toReversed().join("");

/** Returns an id of the same form that does not exist. */
function twinOf(id: string): string {
  const tenantText = id.replace(TENANT_TEXT, TWIN_TEXT);
  if (tenantText.startsWith("msg_koine_")) return `msg_koine_${backwards(tenantText.slice("msg_koine_".length))}`;
  if (tenantText.startsWith("sha256-")) return `sha256-${backwards(tenantText.slice(7))}`;
  return tenantText.replace(ULID, (ulid) => ulid.slice(0, 10) + backwards(ulid.slice(10)));
}

function twinsOf(ids: TenantIds): TenantIds {
  // The same names.
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, twinOf(id)])) as unknown as TenantIds;
}

// ---- Replies without the parts that differ between any two tenants ----

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

function describeReply({ status, headers, text }: ReadReply, ids: TenantIds): string {
  const { "x-request-id": _, "request-id": __, "content-length": ___, ...reply } = headers;
  let all = `${status} ${JSON.stringify(reply)}\n${text}`;
  const named = Object.entries(ids).toSorted(([, a], [, b]) => b.length - a.length);
  for (const [name, id] of named) all = all.replaceAll(id, `<their ${name}>`);
  for (const [pattern, tenantText] of CHANCE) all = all.replaceAll(pattern, tenantText);
  return all;
}

/** `endText` ends the reading of an endless stream. */
async function launch(koine: KoineServer, token: string, attack: Attack, endText: string): Promise<ReadReply> {
  const { marker } = attack;
  if (marker === undefined) return sendAndRead(koine, attack, token);
  const reply = await send(koine, attack, token);
  const { status } = reply;
  if (status !== 200) return { status, headers: {}, text: await reply.text() };
  await sendAndRead(koine, marker(endText), token);
  const [text = ""] = (await readUntil(reply, endText)).split(endText);
  return { status, headers: {}, text };
}

/** At the end, the task is running, and stays so: new messages are queued. */
async function ownOf(koine: KoineServer, token: string, manualModel: ManualModel): Promise<AttackerData> {
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> =>
    jsonOf(await sendAndRead(koine, { method: "POST", path, body }, token));
  const message = { role: "user", parts: [{ type: "text", text: "something of my own" }] };
  const thread = textAt(await post("/v1/threads", { messages: [message] }), "id");
  const run = await post(`/v1/threads/${thread}/regenerate`, {});
  const response = textAt(await post("/v1/responses", { model: "demo/koine", input: "my own" }), "id");
  const task = textAt(await post("/v1/task", { model: "manual/manual", message: "my own work" }), "task", "id");
  await manualModel.nextCall();
  const chat = "my-chat";
  const page = [{ id: "u", role: "user", parts: [{ type: "text", text: "my own chat" }] }];
  await sendAndRead(koine, { method: "POST", path: "/v1/chat", body: { id: chat, messages: page } }, token);
  return { thread, message: textAt(run, "messages", 0, "id"), run: textAt(run, "run", "id"), response, task, chat };
}

// ---- The stores ----

interface OpenStore {
  ledger: Ledger;
  drop(): Promise<void>;
}

/** Never returns the same time twice, so that lists by time have one order. */
function strictClock(): () => number {
  let last = 0;
  return () => (last = Math.max(Date.now(), last + 1));
}

/** Longer than any answer, so that no partial write depends on chance. */
const FLUSH_MS = 20_000;
const SETTINGS = { flushMs: FLUSH_MS, clock: strictClock() };
const STORES: readonly [string, () => Promise<OpenStore>][] = [
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
      const database = await freshSchema();
      const { url, schema } = database;
      return { ledger: await openLedger(url, { ...SETTINGS, schema, connections: 3 }), drop: () => database.drop() };
    },
  ],
];

test("every route with a body has an attack body, and no other has", () => {
  const bodied = ROUTES.filter(({ method }) => method !== "GET" && method !== "DELETE");
  expect(Object.keys(BODIES).toSorted()).toStrictEqual(bodied.map(({ operation }) => operation.id).toSorted());
});

// All stores must reply equally; everyday runs test the default one.
describe.each(scaleRunCount(3) === 3 ? STORES : STORES.slice(1, 2))("data of a tenant %s", (_, open) => {
  test("does not exist for another tenant, and stays unchanged", { timeout: 300_000 }, async () => {
    const store = await open();
    const { ledger } = store;
    const manualModel = new ManualModel();
    const koine = await startKoine(
      {
        providers: { demo: demo(), manual: manualModel.provider },
        tenants: tenantsOf({ aye: ["aye"], bee: ["bee"], cee: ["cee"] }),
        ledger: { flushMs: FLUSH_MS },
        drainMs: 50,
      },
      { ledger, stopMs: 500 },
    );
    try {
      const ids = await createTenantData(koine, "aye", manualModel);
      const before = await readEverything(koine, "aye", ids);
      expect(before.match(/ 200 /g), "all of it can be read by its owner").toHaveLength(12);
      const reply = await compare(koine, ids, manualModel);
      expect(reply.attacks).toBeGreaterThan(900);
      expect(reply.differences.slice(0, 9)).toStrictEqual([]);
      expect(reply.leaks).toStrictEqual([]);
      expect(await readEverything(koine, "aye", ids)).toBe(before);
    } finally {
      await koine.close();
      await ledger.close();
      await store.drop();
    }
  });
});

interface Compared {
  attacks: number;
  /** Differences between the replies to both tenants. */
  differences: string[];
  /** Occurrences of the first tenant's text. */
  leaks: string[];
}

/** Metrics of all tenants together differ at every call. */
const COMMON: ReadonlySet<string> = new Set(["getMetrics"]);

async function compare(koine: KoineServer, ids: TenantIds, manualModel: ManualModel): Promise<Compared> {
  const twins = twinsOf(ids);
  const own = [await ownOf(koine, "bee", manualModel), await ownOf(koine, "cee", manualModel)] as const;
  const compared: Compared = { attacks: 0, differences: [], leaks: [] };
  const routes = ROUTES.toSorted((a, b) => Number(MAKES.has(a.operation.id)) - Number(MAKES.has(b.operation.id)));
  const lists = ROUTES.filter(({ method, paths }) => method === "GET" && !/[:*]/.test(paths[0]));
  // Lists again after all attacks.
  for (const route of [...routes, ...lists]) {
    const [mine, others] = [attacksOn(route, ids, own[0]), attacksOn(route, twins, own[1])];
    for (const [index, attack] of mine.entries()) {
      const other = others[index];
      if (other === undefined) throw new Error("The two tenants do not do the same.");
      const endText = `the last text ${compared.attacks++}`;
      const [a, b] = [await launch(koine, "bee", attack, endText), await launch(koine, "cee", other, endText)];
      if (`${a.text} ${JSON.stringify(a.headers)}`.includes(SECRET_TEXT)) compared.leaks.push(attack.what);
      if (COMMON.has(route.operation.id)) continue;
      const [theirs, nobodys] = [describeReply(a, ids), describeReply(b, twins)];
      if (theirs !== nobodys) compared.differences.push(...differenceOf(attack.what, theirs, nobodys));
    }
  }
  return compared;
}

/** Returns the first different lines. */
function differenceOf(what: string, theirs: string, nobodys: string): string[] {
  const [a, b] = [theirs.split("\n"), nobodys.split("\n")];
  const at = a.findIndex((line, index) => line !== b[index]);
  return [what, `theirs: ${a[at]?.slice(0, 500)}`, `unknown: ${b[at]?.slice(0, 500)}`];
}
