// Without a token, or with an unknown one, every route rejects before doing anything, in the format of its clients and
// without revealing anything.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { startKoine } from "../support/start-koine.ts";
import { readErrorMessage, pathTo, ROUTES, titled, detectErrorFormat } from "./routes.ts";
import { type SentRequest, sendAndRead, tenantsOf, tokenOf } from "./support.ts";

const GUARDED = ROUTES.filter(({ public: open }) => open !== true);
const TOKEN = tokenOf("ann");
const HASH = createHash("sha256").update(TOKEN).digest("hex");

let koine: KoineServer;
beforeAll(async () => {
  koine = await startKoine({ tenants: tenantsOf({ acme: ["ann"] }) });
});
afterAll(() => koine.close());

/** Ways to have no valid token. */
const STRANGERS: readonly [string, Pick<SentRequest, "headers">, query?: string][] = [
  ["no header", {}],
  ["an unknown token", { headers: { authorization: "Bearer koine_nobody-has-this-one" } }],
  ["an empty one", { headers: { authorization: "Bearer " } }],
  ["the scheme alone", { headers: { authorization: "Bearer" } }],
  ["the token's digest", { headers: { authorization: `Bearer ${HASH}` } }],
  ["the digest as in the settings", { headers: { authorization: `Bearer sha256:${HASH}` } }],
  ["the token's name", { headers: { authorization: "Bearer ann", "x-api-key": "ann" } }],
  ["the token without its last character", { headers: { authorization: `Bearer ${TOKEN.slice(0, -1)}` } }],
  ["the token with a suffix", { headers: { authorization: `Bearer ${TOKEN}0` } }],
  ["the token in capitals", { headers: { authorization: `Bearer ${TOKEN.toUpperCase()}` } }],
  [
    "the token with another scheme",
    { headers: { authorization: `Basic ${Buffer.from(`ann:${TOKEN}`).toString("base64")}` } },
  ],
  ["the token as a cookie", { headers: { cookie: `token=${TOKEN}; key=${TOKEN}` } }],
  ["another key", { headers: { "x-api-key": "sk-none", "x-goog-api-key": "AIza-none" } }, "?key=none&token=none"],
  [
    "property names of Object.prototype",
    { headers: { authorization: "Bearer __proto__", "x-api-key": "constructor" } },
  ],
];

describe("without a valid token", () => {
  test.each(titled(GUARDED))("%s is rejected in the format of its clients", async (_, route) => {
    const errorFormat = detectErrorFormat(route);
    const texts = new Set<string>();
    for (const [what, sent, query = ""] of STRANGERS) {
      for (const path of route.paths) {
        const reply = await sendAndRead(koine, { method: route.method, path: pathTo(path) + query, ...sent });
        expect(reply.status, `${what} at ${path}: ${reply.text}`).toBe(401);
        expect(reply.headers["www-authenticate"]).toMatch(/^Bearer/);
        const message = readErrorMessage(errorFormat, reply.text);
        expect(message, `${errorFormat}: ${reply.text}`).toMatch(/token/);
        expect(reply.text).not.toContain(TOKEN.slice(0, 20));
        texts.add(message ?? "");
      }
    }
    // Only two messages: missing or unknown token.
    expect(texts.size).toBeLessThanOrEqual(2);
  });

  test("only health, readiness, the OpenAPI document and the page's files are public", () => {
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

  test("HEAD is rejected where GET is", async () => {
    for (const { method, paths } of GUARDED) {
      if (method === "GET")
        expect((await sendAndRead(koine, { method: "HEAD", path: pathTo(paths[0]) })).status).toBe(401);
    }
  });
});

describe("with a valid token", () => {
  test.each<[string, Pick<SentRequest, "headers">, string?]>([
    ["as a bearer", { headers: { authorization: `Bearer ${TOKEN}` } }],
    ["as a lower-case bearer", { headers: { authorization: `bearer ${TOKEN}` } }],
    ["as Anthropic's clients send it", { headers: { "x-api-key": TOKEN } }],
    ["as Gemini's clients send it", { headers: { "x-goog-api-key": TOKEN } }],
    ["in the query, as Gemini's REST has it", {}, `?key=${encodeURIComponent(TOKEN)}`],
    ["together with a provider's key", { headers: { authorization: "Bearer sk-own", "x-api-key": TOKEN } }],
  ])("%s, the token is accepted", async (_, sent, query = "") => {
    expect((await sendAndRead(koine, { method: "GET", path: `/v1/threads${query}`, ...sent })).status).toBe(200);
  });
});
