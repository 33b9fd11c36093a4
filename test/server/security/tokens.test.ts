// Without a token, or with one that is not known, every route refuses before it does anything: in the words of its
// clients, and without a hint at what it would have been.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../support/koine.ts";
import { messageIn, pathTo, ROUTES, titled, wordsOf } from "./routes.ts";
import { type Sent, tell, tenantsOf, tokenOf } from "./support.ts";

const GUARDED = ROUTES.filter(({ public: open }) => open !== true);
const TOKEN = tokenOf("ann");
const HASH = createHash("sha256").update(TOKEN).digest("hex");

let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({ tenants: tenantsOf({ acme: ["ann"] }) });
});
afterAll(() => koine.close());

/** Ways to have no token. */
const STRANGERS: readonly [string, Pick<Sent, "headers">, query?: string][] = [
  ["nothing", {}],
  ["a token that nobody has", { headers: { authorization: "Bearer koine_nobody-has-this-one" } }],
  ["an empty one", { headers: { authorization: "Bearer " } }],
  ["the word alone", { headers: { authorization: "Bearer" } }],
  ["the token's digest", { headers: { authorization: `Bearer ${HASH}` } }],
  ["the digest as the settings have it", { headers: { authorization: `Bearer sha256:${HASH}` } }],
  ["the token's name", { headers: { authorization: "Bearer ann", "x-api-key": "ann" } }],
  ["the token but for its end", { headers: { authorization: `Bearer ${TOKEN.slice(0, -1)}` } }],
  ["the token and more", { headers: { authorization: `Bearer ${TOKEN}0` } }],
  ["the token in capitals", { headers: { authorization: `Bearer ${TOKEN.toUpperCase()}` } }],
  [
    "the token in another scheme",
    { headers: { authorization: `Basic ${Buffer.from(`ann:${TOKEN}`).toString("base64")}` } },
  ],
  ["the token as a cookie", { headers: { cookie: `token=${TOKEN}; key=${TOKEN}` } }],
  ["another key", { headers: { "x-api-key": "sk-none", "x-goog-api-key": "AIza-none" } }, "?key=none&token=none"],
  ["what a careless table has", { headers: { authorization: "Bearer __proto__", "x-api-key": "constructor" } }],
];

describe("without a token that is known", () => {
  test.each(titled(GUARDED))("%s is refused in the words of its clients", async (_, route) => {
    const words = wordsOf(route);
    const texts = new Set<string>();
    for (const [what, sent, query = ""] of STRANGERS) {
      for (const path of route.paths) {
        const told = await tell(koine, { method: route.method, path: pathTo(path) + query, ...sent });
        expect(told.status, `${what} at ${path}: ${told.text}`).toBe(401);
        expect(told.headers["www-authenticate"]).toMatch(/^Bearer/);
        const message = messageIn(words, told.text);
        expect(message, `${words}: ${told.text}`).toMatch(/token/);
        expect(told.text).not.toContain(TOKEN.slice(0, 20));
        texts.add(message ?? "");
      }
    }
    // Nothing was sent, or it is not known; nothing else is told.
    expect(texts.size).toBeLessThanOrEqual(2);
  });

  test("only health, readiness, the description of the server and the files of the page are open", () => {
    const open = ROUTES.filter((route) => route.public === true).map(({ operation }) => operation.id);
    expect(open.toSorted()).toStrictEqual([
      "getHealth",
      "getOpenApi",
      "getPage",
      "getPageFile",
      "getReadiness",
      "getRemoteFrame",
    ]);
  });

  test("HEAD is refused where GET is", async () => {
    for (const { method, paths } of GUARDED) {
      if (method === "GET") expect((await tell(koine, { method: "HEAD", path: pathTo(paths[0]) })).status).toBe(401);
    }
  });
});

describe("with a token that is known", () => {
  test.each<[string, Pick<Sent, "headers">, string?]>([
    ["as a bearer", { headers: { authorization: `Bearer ${TOKEN}` } }],
    ["as a bearer in small letters", { headers: { authorization: `bearer ${TOKEN}` } }],
    ["as Anthropic's clients send it", { headers: { "x-api-key": TOKEN } }],
    ["as Gemini's clients send it", { headers: { "x-goog-api-key": TOKEN } }],
    ["in the query, as Gemini's REST has it", {}, `?key=${encodeURIComponent(TOKEN)}`],
    ["beside a provider's own key", { headers: { authorization: "Bearer sk-own", "x-api-key": TOKEN } }],
  ])("%s, one is let in", async (_, sent, query = "") => {
    expect((await tell(koine, { method: "GET", path: `/v1/threads${query}`, ...sent })).status).toBe(200);
  });
});
