// Keys, tokens and the like are in nobody's way: not in logs, errors, the ledger's file, exports, metrics or spans, after
// a day on which everything failed that could, and said the key it was sent with.
import { describe, expect, test } from "vitest";
import type { DoorId } from "../../../src/server/gateway/doors.ts";
import { PROTOCOLS } from "./raw-upstream.ts";
import { SECRETS, startWorld, type World } from "./secret-world.ts";
import { jsonOf, type Sent, tell, textAt, tokenOf } from "./support.ts";

const WISHES = ["answer", "refused", "page", "garbled", "torn", "moved", "late"] as const;
/** The providers, and what each speaks. */
const PROVIDERS: readonly (readonly [name: string, dialect: DoorId])[] = [
  ...PROTOCOLS.map((dialect) => [dialect, dialect] as const),
  ["headed", "openai-chat"],
  ["queried", "anthropic"],
  ["fetched", "anthropic"],
];

function question(client: DoorId, model: string, stream: boolean, key: string): Sent {
  const messages = [{ role: "user", content: `Ask ${model}.` }];
  const streamed = stream ? { stream } : {};
  const bearer = { authorization: `Bearer ${key}` };
  switch (client) {
    case "openai-chat":
      return { method: "POST", path: "/v1/chat/completions", headers: bearer, body: { model, messages, ...streamed } };
    case "openai-responses": {
      const tools = [
        {
          type: "mcp",
          server_label: "s",
          server_url: "https://tools.example",
          headers: { "X-Key": SECRETS.toolHeader },
          authorization: SECRETS.toolToken,
        },
      ];
      const body = { model, input: messages, tools, ...streamed };
      return { method: "POST", path: "/v1/responses", headers: { ...bearer, "x-koine-on-breaks": "send" }, body };
    }
    case "anthropic": {
      const mcp_servers = [
        { type: "url", name: "s", url: "https://tools.example", authorization_token: SECRETS.toolToken },
      ];
      const body = { model, max_tokens: 9, messages, mcp_servers, ...streamed };
      return { method: "POST", path: "/v1/messages", headers: { "x-api-key": key, "x-koine-on-breaks": "send" }, body };
    }
    case "gemini": {
      const verb = stream ? "streamGenerateContent" : "generateContent";
      const path = `/v1beta/models/${model}:${verb}?${stream ? "alt=sse&" : ""}key=${encodeURIComponent(key)}`;
      return { method: "POST", path, body: { contents: [{ role: "user", parts: [{ text: `Ask ${model}.` }] }] } };
    }
  }
}

/** A day's work; gives every reply that said something. */
async function work({ koine }: World): Promise<string[]> {
  const heard: string[] = [];
  const say = async (sent: Sent, token?: string): Promise<number> => {
    const { status, text, headers } = await tell(koine, sent, token);
    heard.push(`${sent.path.split("?")[0]} ${status} ${JSON.stringify(headers)} ${text}`);
    return status;
  };
  const statuses = new Set<number>();
  for (const [provider, dialect] of PROVIDERS) {
    for (const wish of WISHES) {
      for (const [index, client] of PROTOCOLS.entries()) {
        // See below.
        if (wish === "late" && client === dialect) continue;
        const stream = wish === "late" || (index + wish.length) % 2 === 0;
        statuses.add(await say(question(client, `${provider}/wish-${wish}`, stream, SECRETS.token)));
      }
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 401, 502]));
  for (const client of PROTOCOLS)
    expect(await say(question(client, "demo/koine", false, SECRETS.wrongToken))).toBe(401);
  const get = (path: string): Sent => ({ method: "GET", path });
  await say(get(`/v1/threads?key=${SECRETS.wrongToken}`));
  await say(get(`/no/such/path?key=${encodeURIComponent(SECRETS.token)}`));
  const body = { model: "gemini/wish-refused", message: "Fail." };
  const made = jsonOf(await tell(koine, { method: "POST", path: "/v1/task", body }, "ann"));
  const task = `/v1/task/${textAt(made, "task", "id")}`;
  const stateOf = async (): Promise<unknown> => JSON.parse((await tell(koine, get(task), "ann")).text);
  await expect.poll(stateOf, { timeout: 15_000 }).toMatchObject({ task: { state: "failed" } });
  for (const path of [task, "/v1/tasks", "/v1/threads", "/v1/export", "/metrics", "/openapi.json", "/v1/models"]) {
    await say(get(path), "ann");
  }
  return heard;
}

/** The forms in which a secret could be found. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=*$/, "").slice(0, -1);
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64];
}

/** Which secrets are in it, and what stands around them. */
function found(where: string, content: string): string[] {
  return Object.entries(SECRETS).flatMap(([name, secret]) =>
    formsOf(secret).flatMap((form) => {
      const at = content.indexOf(form);
      return at < 0 ? [] : [`${name} in ${where}: …${content.slice(Math.max(0, at - 200), at + 60)}…`];
    }),
  );
}

describe.each(["json", "text"] as const)("after a day of failures with a log of %s", (format) => {
  test("no secret is anywhere but where it belongs", async () => {
    await using world = await startWorld(format);
    const heard = await work(world);
    // They were sent: otherwise nothing could have been repeated.
    const sent = world.upstream.questions.map(({ head }) => decodeURIComponent(head)).join("\n");
    for (const provider of PROTOCOLS) expect(sent).toContain(SECRETS[provider]);
    for (const name of ["header", "query", "fetched"] as const) expect(sent).toContain(SECRETS[name]);
    const files = await world.files();
    expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(["koine.db", "koine.db-wal"]));
    expect(world.log()).toContain("wish-refused");
    expect(world.spans()).toContain("wish-answer");
    const places: [string, string][] = [
      ["the log", world.log()],
      ["spans", world.spans()],
      ...heard.map((text): [string, string] => [`the reply of ${text.slice(0, 60)}`, text]),
      ...files.map(([name, bytes]): [string, string] => [name, bytes.toString("latin1")]),
    ];
    expect(places.flatMap(([where, content]) => found(where, content))).toStrictEqual([]);
  });
});

describe("a stream in the client's own dialect that ends with a complaint", () => {
  // Its bytes are handed on as they came, but for the key.
  test.each([{}, { "x-koine-record": "off" }])("does not repeat the key (%o)", async (record) => {
    await using world = await startWorld("json");
    const texts: string[] = [];
    for (const dialect of PROTOCOLS) {
      const sent = question(dialect, `${dialect}/wish-late`, true, SECRETS.token);
      texts.push((await tell(world.koine, { ...sent, headers: { ...sent.headers, ...record } })).text);
    }
    expect(texts.join()).toContain("Incorrect API key provided");
    expect(texts.flatMap((text) => found("a stream", text))).toStrictEqual([]);
  });
});

test("the search finds what it looks for", () => {
  expect(found("a text", `x${SECRETS.gemini}y`)).toHaveLength(3);
  expect(found("a text", Buffer.from(`${SECRETS.token}.`).toString("base64"))).toHaveLength(1);
  expect(tokenOf("ann")).toBe(SECRETS.token);
});
