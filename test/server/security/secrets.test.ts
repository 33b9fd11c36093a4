// Secrets never leak: not into logs, errors, the ledger's file, exports, metrics or spans, even if every provider and
// tool fails and repeats its key.
import { describe, expect, test } from "vitest";
import type { ClientProtocolId } from "../../../src/server/gateway/protocols.ts";
import { PROTOCOLS } from "./raw-upstream.ts";
import { SECRETS, startWorld, type World } from "./secret-server.ts";
import { jsonOf, type SentRequest, sendAndRead, textAt, tokenOf } from "./support.ts";

const BEHAVIORS = ["answer", "refused", "page", "garbled", "torn", "moved", "late"] as const;
/** The providers and their dialects. */
const PROVIDERS: readonly (readonly [name: string, dialect: ClientProtocolId])[] = [
  ...PROTOCOLS.map((dialect) => [dialect, dialect] as const),
  ["headed", "openai-chat"],
  ["queried", "anthropic"],
  ["fetched", "anthropic"],
];

function question(client: ClientProtocolId, model: string, stream: boolean, key: string): SentRequest {
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

/** Makes all kinds of calls; returns the replies with content. */
async function work({ koine }: World): Promise<string[]> {
  const replies: string[] = [];
  const sendAndStore = async (sent: SentRequest, token?: string): Promise<number> => {
    const { status, text, headers } = await sendAndRead(koine, sent, token);
    replies.push(`${sent.path.split("?")[0]} ${status} ${JSON.stringify(headers)} ${text}`);
    return status;
  };
  const statuses = new Set<number>();
  for (const [provider, dialect] of PROVIDERS) {
    for (const behavior of BEHAVIORS) {
      for (const [index, client] of PROTOCOLS.entries()) {
        // Tested below.
        if (behavior === "late" && client === dialect) continue;
        const stream = behavior === "late" || (index + behavior.length) % 2 === 0;
        statuses.add(await sendAndStore(question(client, `${provider}/wish-${behavior}`, stream, SECRETS.token)));
      }
    }
  }
  expect([...statuses]).toEqual(expect.arrayContaining([200, 401, 502]));
  for (const client of PROTOCOLS)
    expect(await sendAndStore(question(client, "demo/koine", false, SECRETS.wrongToken))).toBe(401);
  const get = (path: string): SentRequest => ({ method: "GET", path });
  await sendAndStore(get(`/v1/threads?key=${SECRETS.wrongToken}`));
  await sendAndStore(get(`/no/such/path?key=${encodeURIComponent(SECRETS.token)}`));
  const body = { model: "gemini/wish-refused", message: "Fail." };
  const created = jsonOf(await sendAndRead(koine, { method: "POST", path: "/v1/task", body }, "ann"));
  const task = `/v1/task/${textAt(created, "task", "id")}`;
  const stateOf = async (): Promise<unknown> => JSON.parse((await sendAndRead(koine, get(task), "ann")).text);
  await expect.poll(stateOf).toMatchObject({ task: { state: "failed" } });
  for (const path of [task, "/v1/tasks", "/v1/threads", "/v1/export", "/metrics", "/openapi.json", "/v1/models"]) {
    await sendAndStore(get(path), "ann");
  }
  return replies;
}

/** The forms in which a secret could appear. */
function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString("base64").replace(/=*$/, "").slice(0, -1);
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), base64];
}

/** Returns the secrets in a text, with their surroundings. */
function findSecrets(where: string, content: string): string[] {
  return Object.entries(SECRETS).flatMap(([name, secret]) =>
    formsOf(secret).flatMap((form) => {
      const at = content.indexOf(form);
      return at < 0 ? [] : [`${name} in ${where}: …${content.slice(Math.max(0, at - 200), at + 60)}…`];
    }),
  );
}

describe.each(["json", "text"] as const)("after many failures with a log of %s", (format) => {
  test("no secret is anywhere it does not belong", async () => {
    await using secretServer = await startWorld(format);
    const replies = await work(secretServer);
    // The secrets were sent, otherwise nothing could repeat them.
    const sent = secretServer.upstream.questions.map(({ head }) => decodeURIComponent(head)).join("\n");
    for (const provider of PROTOCOLS) expect(sent).toContain(SECRETS[provider]);
    for (const name of ["header", "query", "fetched"] as const) expect(sent).toContain(SECRETS[name]);
    const files = await secretServer.files();
    expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(["koine.db", "koine.db-wal"]));
    expect(secretServer.log()).toContain("wish-refused");
    expect(secretServer.spans()).toContain("wish-answer");
    const contents: [string, string][] = [
      ["the log", secretServer.log()],
      ["spans", secretServer.spans()],
      ...replies.map((text): [string, string] => [`the reply of ${text.slice(0, 60)}`, text]),
      ...files.map(([name, bytes]): [string, string] => [name, bytes.toString("latin1")]),
    ];
    expect(contents.flatMap(([where, content]) => findSecrets(where, content))).toStrictEqual([]);
  });
});

describe("a stream in the client's dialect that ends with an error", () => {
  // The bytes are forwarded unchanged except for the key.
  test.each([{}, { "x-koine-record": "off" }])("does not repeat the key (%o)", async (record) => {
    await using secretServer = await startWorld("json");
    const texts: string[] = [];
    for (const dialect of PROTOCOLS) {
      const sent = question(dialect, `${dialect}/wish-late`, true, SECRETS.token);
      texts.push((await sendAndRead(secretServer.koine, { ...sent, headers: { ...sent.headers, ...record } })).text);
    }
    expect(texts.join()).toContain("Incorrect API key provided");
    expect(texts.flatMap((text) => findSecrets("a stream", text))).toStrictEqual([]);
  });
});

test("the search for secrets works", () => {
  expect(findSecrets("a text", `x${SECRETS.gemini}y`)).toHaveLength(3);
  expect(findSecrets("a text", Buffer.from(`${SECRETS.token}.`).toString("base64"))).toHaveLength(1);
  expect(tokenOf("ann")).toBe(SECRETS.token);
});
