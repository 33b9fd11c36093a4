// Tests `koine import`: records of any dialect and ledger exports become threads; failures are reported with their line.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { assistant, stringifyJson, user } from "../../src/model/index.ts";
import { agentRequest, anthropicError, chatRequest, chatResponse, runEvents, storedMessages } from "./samples.ts";
import { koine, lines } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-import-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
let data = "";
beforeEach(() => {
  data = join(folder, `${++files}.db`);
});

/** Opens the ledger that the command wrote. */
async function withLedger<T>(read: (ledger: Ledger) => Promise<T>, tenant = "default"): Promise<T> {
  const ledger = await openLedger(`sqlite:${data}`, { tenant });
  try {
    return await read(ledger);
  } finally {
    await ledger.close();
  }
}

/** Returns the transcripts of all threads, sorted by their first message. */
async function readTranscripts(ledger: Ledger): Promise<string[][]> {
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
  test("each becomes a thread, with the other fields in its metadata", async () => {
    const { code, stdout, stderr } = await koine(`import --data ${data} %/a.jsonl %/b.jsonl`, {
      files: { "a.jsonl": lines(chatRequest, chatResponse), "b.jsonl": lines(agentRequest) },
    });
    expect(stderr).toBe("");
    expect(stdout).toBe("3 records in 2 files: 3 imported, 0 failed.\n3 new threads, 9 messages.\n");
    expect(code).toBe(0);
    const threads = await withLedger((ledger) => ledger.threads());
    const metadataList = threads.map(({ metadata }) => metadata);
    expect(metadataList.find(({ response }) => response !== undefined)).toMatchObject({
      source: { line: 2, dialect: "openai-chat", kind: "response" },
      response: { id: "chatcmpl-1" },
    });
    expect(metadataList.filter(({ request }) => request !== undefined)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          request: { model: "gpt-5", extra: { "openai-chat": { logit_bias: { "50256": -100 } } } },
        }),
        expect.objectContaining({ request: expect.objectContaining({ tools: [expect.anything()] }) as object }),
      ]),
    );
    expect(await withLedger(readTranscripts)).toContainEqual([
      "system: Answer briefly.",
      "user: How is the weather in Corinth?",
    ]);
  });

  test("a response message has its model, finish reason and usage", async () => {
    await koine(`import --data ${data}`, { stdin: lines(chatResponse) });
    const [message] = await withLedger(async (ledger) => ledger.transcript((await ledger.threads())[0]?.id ?? ""));
    expect(message).toMatchObject({
      role: "assistant",
      metadata: { model: "gpt-5", finishReason: { unified: "stop" }, usage: { totalTokens: 23 } },
    });
  });

  test("a stream is imported as its assembled message", async () => {
    const { code, stdout } = await koine(`import --data ${data} --json --kind stream --from run`, {
      stdin: lines(...runEvents),
    });
    expect(JSON.parse(stdout)).toMatchObject({ records: 1, imported: 1, threads: 1, messages: 1 });
    expect(code).toBe(0);
    expect(await withLedger(readTranscripts)).toStrictEqual([["assistant: Hello"]]);
  });

  test("single messages on lines are one thread, and a root message starts another", async () => {
    const roots = storedMessages.map((each) => ({
      ...each,
      id: each.id.replace("01JZ", "01JY"),
      parentMessageId: each.parentMessageId?.replace("01JZ", "01JY") ?? null,
    }));
    const { stdout } = await koine(`import --data ${data} --json`, { stdin: lines(...storedMessages, ...roots) });
    expect(JSON.parse(stdout)).toMatchObject({ records: 6, imported: 6, threads: 2, messages: 6 });
    const [first, second] = await withLedger(readTranscripts);
    expect(first).toStrictEqual(["user: Look it up.", "assistant: tool-call", "tool: tool-result"]);
    expect(second).toStrictEqual(first);
  });

  test("stored messages keep their tree and their original ids and times", async () => {
    const branch = { ...storedMessages[1], id: "01JZ0000000000000000000009", parentMessageId: storedMessages[0]?.id };
    await koine(`import --data ${data} %/tree.json`, {
      files: { "tree.json": JSON.stringify([...storedMessages, branch]) },
    });
    const { messages } = await withLedger(async (ledger) => ledger.tree((await ledger.threads())[0]?.id ?? ""));
    const origin = new Map(messages.map(({ id, metadata }) => [id, metadata["sourceId"]]));
    expect(messages.map(({ parentMessageId }) => origin.get(parentMessageId ?? "") ?? null)).toStrictEqual([
      null,
      storedMessages[0]?.id,
      storedMessages[1]?.id,
      storedMessages[0]?.id,
    ]);
    expect(messages[0]?.metadata).toMatchObject({
      sourceId: storedMessages[0]?.id,
      sourceCreatedAt: storedMessages[0]?.createdAt,
    });
  });

  test("numbers preserve every digit", async () => {
    const value =
      '{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"n\\": 12345678901234567890}"}}]}';
    await koine(`import --data ${data} --from openai-chat --kind messages`, { stdin: `[${value}]\n` });
    const messages = await withLedger(async (ledger) => ledger.transcript((await ledger.threads())[0]?.id ?? ""));
    expect(stringifyJson(messages)).toContain("12345678901234567890");
  });

  test("a record that cannot be imported is reported with its line, and the import continues", async () => {
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
    expect(stderr).toContain("a.jsonl:3: The record is an error response");
    expect(stderr).toContain("a.jsonl:4: The record contains no message.");
    expect(stdout).toContain("5 records: 2 imported, 3 failed.");
    expect(code).toBe(1);
    expect(await withLedger(readTranscripts)).toHaveLength(2);
  });

  test("an error of another dialect is rejected too", async () => {
    const { code, stderr } = await koine(`import --data ${data}`, { stdin: lines(anthropicError) });
    expect([code, stderr]).toStrictEqual([1, expect.stringContaining("stdin:1: The record is an error")]);
  });

  test("many records become one thread each", async () => {
    const many = Array.from({ length: 500 }, (_, at) => ({
      ...chatRequest,
      messages: [{ role: "user", content: `Ship ${at}` }],
    }));
    const { stdout } = await koine(`import --data ${data} --json`, { stdin: lines(...many) });
    expect(JSON.parse(stdout)).toMatchObject({ records: 500, imported: 500, threads: 500, messages: 500 });
  });

  test("the provider of a seal is stored", async () => {
    await koine(`import --data ${data} --provider bedrock`, { stdin: lines(agentRequest) });
    const messages = await withLedger(async (ledger) => ledger.transcript((await ledger.threads())[0]?.id ?? ""));
    const seals = messages.flatMap(({ parts }) => parts.flatMap((part) => part.seals ?? []));
    expect(seals).toMatchObject([{ kind: "signature", provider: "bedrock", value: "c2ln" }]);
  });

  test("--tenant selects the tenant", async () => {
    await koine(`import --data ${data} --tenant acme`, { stdin: lines(chatRequest) });
    expect(await withLedger(readTranscripts, "acme")).toHaveLength(1);
    expect(await withLedger(readTranscripts)).toStrictEqual([]);
  });
});

describe("exports of a ledger", () => {
  /** Returns three exported threads. */
  async function exportThreads(): Promise<string[]> {
    const ledger = await openLedger("memory:", { clock: () => 1_750_000_000_000 });
    const texts: string[] = [];
    for (const title of ["One", "Two", "Three"]) {
      const { id } = await ledger.createThread({ title });
      await ledger.append(id, [user(title), assistant(`${title}, indeed.`)]);
      let text = "";
      for await (const line of ledger.export(id)) text += line;
      texts.push(text);
    }
    await ledger.close();
    return texts;
  }

  test("restore their threads, and change nothing the second time", async () => {
    const texts = await exportThreads();
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
    expect(await withLedger(readTranscripts)).toHaveLength(3);
  });

  test("an invalid thread is reported with its line, and the others are imported", async () => {
    const [one = "", two = "", three = ""] = await exportThreads();
    const text = [one, "\n", two.replace('"parentId":null', '"parentId":"7"'), three].join("");
    const { code, stdout, stderr } = await koine(`import --data ${data} %/backup.jsonl`, {
      files: { "backup.jsonl": text },
    });
    expect(stderr).toBe("backup.jsonl:7: /parentId: Expected a ULID, found a string.\n");
    expect(stdout).toContain("3 records: 2 imported, 1 failed.");
    expect(code).toBe(1);
    expect((await withLedger(readTranscripts)).map(([first]) => first)).toStrictEqual(["user: One", "user: Three"]);
  });

  test("a truncated file, a truncated line and invalid bytes are reported", async () => {
    const [one = ""] = await exportThreads();
    const cut = await koine(`import --data ${data}`, { stdin: one.slice(0, -30) });
    expect(cut.stderr).toContain("stdin:4: Invalid JSON");
    const short = await koine(`import --data ${data}`, { stdin: one.split("\n").slice(0, 3).join("\n") });
    expect(short.stderr).toContain("stdin:3: The thread");
    const wrong = await koine(`import --data ${data}`, {
      stdin: Buffer.concat([Buffer.from(one.split("\n")[0] ?? ""), Buffer.from([10, 0xff, 10])]),
    });
    expect(wrong.stderr).toContain("stdin:2: The record contains bytes that are not UTF-8");
    expect([cut.code, short.code, wrong.code]).toStrictEqual([1, 1, 1]);
    expect(await withLedger(readTranscripts)).toStrictEqual([]);
  });

  test("other messages under the same ids are reported", async () => {
    const texts = await exportThreads();
    await koine(`import --data ${data}`, { stdin: texts.join("") });
    const { code, stderr } = await koine(`import --data ${data}`, {
      stdin: texts.join("").replaceAll("Two, indeed.", "Two, perhaps."),
    });
    expect(stderr).toMatch(/^stdin:5: The thread "\w+" exists with other content: its message \w+ differs\.\n$/);
    expect(code).toBe(1);
  });

  test("--strict stops at the first failure", async () => {
    const [one = "", two = "", three = ""] = await exportThreads();
    const text = [one, two.replace("thread", "threat"), three].join("");
    const { code, stdout, stderr } = await koine(`import --data ${data} --strict`, { stdin: text });
    expect(stdout).toContain("2 records: 1 imported, 1 failed.");
    expect(stderr).toContain("Stopped at the first failure");
    expect(code).toBe(1);
  });

  test("B91: a message that cannot be read is imported, reported and counted", async () => {
    const [one = ""] = await exportThreads();
    const text = one.replace('"schemaVersion":2', '"schemaVersion":99');
    const { code, stdout, stderr } = await koine(`import --data ${data}`, { stdin: text });
    expect(stderr).toContain("schema version 99");
    expect(stdout).toContain("1 message cannot be read; it was imported unchanged.");
    expect(code).toBe(0);
  });
});

test.each([
  ["no ledger", "import %/a.jsonl", 2, "Name the ledger with --data"],
  ["a missing file", "import --data %/koine.db %/none.jsonl", 4, "There is no file"],
  ["a file of another program", "import --data %/other.db %/a.jsonl", 4, ""],
  ["an invalid ledger name", "import --data memory %/no/where %/a.jsonl", 4, ""],
])("%s is reported in one line", async (_sentence, args, code, message) => {
  const outcome = await koine(args, {
    files: { "a.jsonl": lines(chatRequest), "other.db": "This is no database.".repeat(99) },
  });
  expect(outcome.stderr).toMatch(/^koine: [^\n]+\n$/);
  expect(outcome.stderr).toContain(message);
  expect(outcome.stderr).not.toContain("Internal error");
  expect(outcome.code).toBe(code);
  expect(outcome.files).not.toContain("koine.db");
});
