// `koine import`: records of any dialect and exports of a ledger become threads; what does not is told with its place.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { assistant, stringifyJson, user } from "../../src/model/index.ts";
import { agentRequest, anthropicError, chatRequest, chatResponse, runEvents, stored } from "./samples.ts";
import { koine, lines } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-import-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
let data = "";
beforeEach(() => {
  data = join(folder, `${++files}.db`);
});

/** Looks into the ledger that the command has written. */
async function inLedger<T>(look: (ledger: Ledger) => Promise<T>, tenant = "default"): Promise<T> {
  const ledger = await openLedger(`sqlite:${data}`, { tenant });
  try {
    return await look(ledger);
  } finally {
    await ledger.close();
  }
}

/** The transcripts of all threads, by what was said first. */
async function transcripts(ledger: Ledger): Promise<string[][]> {
  const all: string[][] = [];
  for (const { id } of await ledger.threads({ limit: 1000 })) {
    const messages = await ledger.transcript(id);
    all.push(
      messages.map(
        ({ role, parts }) => `${role}: ${parts.map((part) => ("text" in part ? part.text : part.type)).join()}`,
      ),
    );
  }
  return all.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
}

describe("records of any dialect", () => {
  test("each becomes a thread, with all that stands beside the messages", async () => {
    const { code, stdout, stderr } = await koine(`import --data ${data} %/a.jsonl %/b.jsonl`, {
      files: { "a.jsonl": lines(chatRequest, chatResponse), "b.jsonl": lines(agentRequest) },
    });
    expect(stderr).toBe("");
    expect(stdout).toBe("3 records in 2 files: 3 imported, 0 failed.\n3 new threads, 9 messages.\n");
    expect(code).toBe(0);
    const threads = await inLedger((ledger) => ledger.threads());
    const beside = threads.map(({ metadata }) => metadata);
    expect(beside.find(({ response }) => response !== undefined)).toMatchObject({
      source: { line: 2, dialect: "openai-chat", kind: "response" },
      response: { id: "chatcmpl-1" },
    });
    expect(beside.filter(({ request }) => request !== undefined)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          request: { model: "gpt-5", extra: { "openai-chat": { logit_bias: { "50256": -100 } } } },
        }),
        expect.objectContaining({ request: expect.objectContaining({ tools: [expect.anything()] }) as object }),
      ]),
    );
    expect(await inLedger(transcripts)).toContainEqual([
      "system: Answer briefly.",
      "user: How is the weather in Corinth?",
    ]);
  });

  test("a response keeps its model, how it ended and what it used", async () => {
    await koine(`import --data ${data}`, { stdin: lines(chatResponse) });
    const [message] = await inLedger(async (ledger) => ledger.transcript((await ledger.threads())[0]?.id ?? ""));
    expect(message).toMatchObject({
      role: "assistant",
      metadata: { model: "gpt-5", finishReason: { unified: "stop" }, usage: { totalTokens: 23 } },
    });
  });

  test("a stream becomes the message that it brought", async () => {
    const { code, stdout } = await koine(`import --data ${data} --json --kind stream --from run`, {
      stdin: lines(...runEvents),
    });
    expect(JSON.parse(stdout)).toMatchObject({ records: 1, imported: 1, threads: 1, messages: 1 });
    expect(code).toBe(0);
    expect(await inLedger(transcripts)).toStrictEqual([["assistant: Hello"]]);
  });

  test("messages on lines of their own are one thread, and a root begins another", async () => {
    const roots = stored.map((each) => ({
      ...each,
      id: each.id.replace("01JZ", "01JY"),
      parentMessageId: each.parentMessageId?.replace("01JZ", "01JY") ?? null,
    }));
    const { stdout } = await koine(`import --data ${data} --json`, { stdin: lines(...stored, ...roots) });
    expect(JSON.parse(stdout)).toMatchObject({ records: 6, imported: 6, threads: 2, messages: 6 });
    const [first, second] = await inLedger(transcripts);
    expect(first).toStrictEqual(["user: Look it up.", "assistant: tool-call", "tool: tool-result"]);
    expect(second).toStrictEqual(first);
  });

  test("stored messages keep their tree, and what was said of them", async () => {
    const branch = { ...stored[1], id: "01JZ0000000000000000000009", parentMessageId: stored[0]?.id };
    await koine(`import --data ${data} %/tree.json`, { files: { "tree.json": JSON.stringify([...stored, branch]) } });
    const { messages } = await inLedger(async (ledger) => ledger.tree((await ledger.threads())[0]?.id ?? ""));
    const origin = new Map(messages.map(({ id, metadata }) => [id, metadata["sourceId"]]));
    expect(messages.map(({ parentMessageId }) => origin.get(parentMessageId ?? "") ?? null)).toStrictEqual([
      null,
      stored[0]?.id,
      stored[1]?.id,
      stored[0]?.id,
    ]);
    expect(messages[0]?.metadata).toMatchObject({ sourceId: stored[0]?.id, sourceCreatedAt: stored[0]?.createdAt });
  });

  test("digits survive", async () => {
    const value =
      '{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"n\\": 12345678901234567890}"}}]}';
    await koine(`import --data ${data} --from openai-chat --kind messages`, { stdin: `[${value}]\n` });
    const messages = await inLedger(async (ledger) => ledger.transcript((await ledger.threads())[0]?.id ?? ""));
    expect(stringifyJson(messages)).toContain("12345678901234567890");
  });

  test("what cannot be imported is told with its place, and the rest goes on", async () => {
    const { code, stdout, stderr } = await koine(`import --data ${data} --from openai-chat %/a.jsonl`, {
      files: {
        "a.jsonl": lines(
          chatRequest,
          "oops",
          { error: { message: "No." } },
          { ...chatRequest, messages: [] },
          chatRequest,
        ),
      },
    });
    expect(stderr).toContain("a.jsonl:2: Invalid JSON");
    expect(stderr).toContain("a.jsonl:3: It is an error and no conversation");
    expect(stderr).toContain("a.jsonl:4: There is no message in it.");
    expect(stdout).toContain("5 records: 2 imported, 3 failed.");
    expect(code).toBe(1);
    expect(await inLedger(transcripts)).toHaveLength(2);
  });

  test("an error of another dialect is none either", async () => {
    const { code, stderr } = await koine(`import --data ${data}`, { stdin: lines(anthropicError) });
    expect([code, stderr]).toStrictEqual([1, expect.stringContaining("stdin:1: It is an error")]);
  });

  test("many records go through, each a thread", async () => {
    const many = Array.from({ length: 500 }, (_, at) => ({
      ...chatRequest,
      messages: [{ role: "user", content: `Ship ${at}` }],
    }));
    const { stdout } = await koine(`import --data ${data} --json`, { stdin: lines(...many) });
    expect(JSON.parse(stdout)).toMatchObject({ records: 500, imported: 500, threads: 500, messages: 500 });
  });

  test("the provider that issued a seal is noted", async () => {
    await koine(`import --data ${data} --provider bedrock`, { stdin: lines(agentRequest) });
    const messages = await inLedger(async (ledger) => ledger.transcript((await ledger.threads())[0]?.id ?? ""));
    const seals = messages.flatMap(({ parts }) => parts.flatMap((part) => part.seals ?? []));
    expect(seals).toMatchObject([{ kind: "signature", provider: "bedrock", value: "c2ln" }]);
  });

  test("into the tenant that is named", async () => {
    await koine(`import --data ${data} --tenant acme`, { stdin: lines(chatRequest) });
    expect(await inLedger(transcripts, "acme")).toHaveLength(1);
    expect(await inLedger(transcripts)).toStrictEqual([]);
  });
});

describe("exports of a ledger", () => {
  /** Three threads as they are exported. */
  async function backup(): Promise<string[]> {
    const ledger = await openLedger("memory:", { clock: () => 1_750_000_000_000 });
    const texts: string[] = [];
    for (const said of ["One", "Two", "Three"]) {
      const { id } = await ledger.createThread({ title: said });
      await ledger.append(id, [user(said), assistant(`${said}, indeed.`)]);
      let text = "";
      for await (const line of ledger.export(id)) text += line;
      texts.push(text);
    }
    await ledger.close();
    return texts;
  }

  test("come back as the threads they were, and are known the second time", async () => {
    const texts = await backup();
    const first = await koine(`import --data ${data} %/backup.jsonl`, { files: { "backup.jsonl": texts.join("") } });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toBe("3 records: 3 imported, 0 failed.\n3 new threads, 6 messages.\n");
    const again = await koine(`import --data ${data} --json`, { stdin: texts.join("") });
    expect(JSON.parse(again.stdout)).toStrictEqual({
      files: 1,
      records: 3,
      imported: 3,
      failed: 0,
      threads: 0,
      messages: 0,
      runs: 0,
      blobs: 0,
      known: 9,
      problems: 0,
    });
    expect(await inLedger(transcripts)).toHaveLength(3);
  });

  test("a thread that is broken is told with its line, and the others are there", async () => {
    const [one = "", two = "", three = ""] = await backup();
    const text = [one, "\n", two.replace('"parentId":null', '"parentId":"7"'), three].join("");
    const { code, stdout, stderr } = await koine(`import --data ${data} %/backup.jsonl`, {
      files: { "backup.jsonl": text },
    });
    expect(stderr).toBe("backup.jsonl:7: /parentId: Expected a ULID, found a string.\n");
    expect(stdout).toContain("3 records: 2 imported, 1 failed.");
    expect(code).toBe(1);
    expect((await inLedger(transcripts)).map(([first]) => first)).toStrictEqual(["user: One", "user: Three"]);
  });

  test("a file that was cut off, a line that is torn, bytes that are no text", async () => {
    const [one = ""] = await backup();
    const cut = await koine(`import --data ${data}`, { stdin: one.slice(0, -30) });
    expect(cut.stderr).toContain("stdin:4: Invalid JSON");
    const short = await koine(`import --data ${data}`, { stdin: one.split("\n").slice(0, 3).join("\n") });
    expect(short.stderr).toContain("stdin:3: The thread");
    const wrong = await koine(`import --data ${data}`, {
      stdin: Buffer.concat([Buffer.from(one.split("\n")[0] ?? ""), Buffer.from([10, 0xff, 10])]),
    });
    expect(wrong.stderr).toContain("stdin:2: It holds bytes that are no UTF-8");
    expect([cut.code, short.code, wrong.code]).toStrictEqual([1, 1, 1]);
    expect(await inLedger(transcripts)).toStrictEqual([]);
  });

  test("other messages under the same ids are told", async () => {
    const texts = await backup();
    await koine(`import --data ${data}`, { stdin: texts.join("") });
    const { code, stderr } = await koine(`import --data ${data}`, {
      stdin: texts.join("").replaceAll("Two, indeed.", "Two, perhaps."),
    });
    expect(stderr).toMatch(/^stdin:5: The thread "\w+" exists with other content: its message \w+ differs\.\n$/);
    expect(code).toBe(1);
  });

  test("--strict stops at the first that fails", async () => {
    const [one = "", two = "", three = ""] = await backup();
    const text = [one, two.replace("thread", "threat"), three].join("");
    const { code, stdout, stderr } = await koine(`import --data ${data} --strict`, { stdin: text });
    expect(stdout).toContain("2 records: 1 imported, 1 failed.");
    expect(stderr).toContain("Stopped at the first failure");
    expect(code).toBe(1);
  });

  test("B91: a message that cannot be read is imported, told and counted", async () => {
    const [one = ""] = await backup();
    const text = one.replace('"schemaVersion":2', '"schemaVersion":99');
    const { code, stdout, stderr } = await koine(`import --data ${data}`, { stdin: text });
    expect(stderr).toContain("schema version 99");
    expect(stdout).toContain("1 message cannot be read, and is kept.");
    expect(code).toBe(0);
  });
});

test.each([
  ["no ledger", "import %/a.jsonl", 2, "Say which ledger with --data"],
  ["a file that is not there", "import --data %/koine.db %/none.jsonl", 4, "There is no file"],
  ["a database of somebody else", "import --data %/other.db %/a.jsonl", 4, ""],
  ["a URL that is none", "import --data memory %/no/where %/a.jsonl", 4, ""],
])("%s is said", async (_sentence, args, code, says) => {
  const outcome = await koine(args, {
    files: { "a.jsonl": lines(chatRequest), "other.db": "This is no database.".repeat(99) },
  });
  expect(outcome.stderr).toMatch(/^koine: [^\n]+\n$/);
  expect(outcome.stderr).toContain(says);
  expect(outcome.stderr).not.toContain("fault of Koine's own");
  expect(outcome.code).toBe(code);
  expect(outcome.files).not.toContain("koine.db");
});
