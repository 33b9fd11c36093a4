// Tests `koine export`: threads as lines that import restores, and conversations in a dialect with their losses.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openLedger } from "../../src/ledger/index.ts";
import { StoreLedger } from "../../src/ledger/ledger.ts";
import { assistant, image, system, text, user } from "../../src/model/index.ts";
import { koine, parseLines } from "./support.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-export-"));
const data = join(folder, "koine.db");
const ids: string[] = [];

beforeAll(async () => {
  const ledger = await openLedger(`sqlite:${data}`, { blobThreshold: 64, clock: () => 1_750_000_000_000 });
  const { blob } = await ledger.putBlob(Buffer.from("small"));
  const sealed = { seals: [{ dialect: "anthropic", kind: "signature", value: "c2ln" }] };
  for (const title of ["One", "Two"]) {
    const { id } = await ledger.createThread({ title });
    ids.push(id);
    await ledger.append(id, [
      system("Answer briefly."),
      user([
        text(title),
        image({ data: Buffer.alloc(99).toString("base64"), mimeType: "image/png" }),
        image({ blob, mimeType: "image/gif" }),
      ]),
      assistant([{ type: "reasoning", text: "Hm.", ...sealed }, text(`${title}, indeed.`)]),
    ]);
  }
  await ledger.forTenant("acme").createThread({ id: "acme-1" });
  await ledger.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("as ledger lines", () => {
  test("an import into another ledger restores everything", async () => {
    const { code, stdout, stderr } = await koine(`export --data ${data} --all`);
    expect(stderr).toBe("2 threads exported.\n");
    expect(code).toBe(0);
    const other = join(folder, "other.db");
    expect((await koine(`import --data ${other}`, { stdin: stdout })).code).toBe(0);
    expect((await koine(`export --data ${other} --all --quiet`)).stdout).toBe(stdout);
    expect(stdout.split("\n")[0]).toContain('"format":"koine-ledger"');
  });

  test("a truncated file of all threads is reported with its line, and its complete threads are imported", async () => {
    const { stdout } = await koine(`export --data ${data} --all --quiet`);
    const lines = stdout.split("\n");
    const second = lines.findLastIndex((line) => line.includes('"kind":"thread"'));
    for (const [count, message] of [
      [second, "incomplete"],
      [lines.length - 2, "incomplete"],
      [1, "incomplete"],
    ] as const) {
      const stdin = `${lines.slice(0, count).join("\n")}\n`;
      const outcome = await koine("import --data %/cut.db", { stdin });
      expect(outcome.stderr).toContain(`:${count}: `);
      expect(outcome.stderr).toContain(message);
      expect(outcome.code).toBe(1);
      const ledger = await openLedger("memory:", { clock: () => 1_750_000_000_000 });
      await expect(ledger.import([stdin])).rejects.toMatchObject({ code: "invalid-input", line: count });
      expect(await ledger.threads()).toHaveLength(stdin.split('"kind":"end"').length - 1);
      await ledger.close();
    }
    const missing = [...lines.slice(0, second), ...lines.slice(-2)].join("\n");
    const outcome = await koine("import --data %/cut.db", { stdin: missing });
    expect([outcome.code, outcome.stderr]).toStrictEqual([1, expect.stringContaining("threads are missing")]);
    expect((await koine("import --data %/whole.db", { stdin: stdout + stdout })).code).toBe(0);
    const single = await koine(`export --data ${data} --thread ${ids[0]} -q`);
    expect(single.stdout).not.toContain('"kind":"all');
    expect((await koine("import --data %/one.db", { stdin: single.stdout })).code).toBe(0);
  });

  test("one thread is written to a file, with the summary as JSON", async () => {
    const { stdout, file } = await koine(`export --data ${data} --thread ${ids[0]} -o %/out.jsonl --json`);
    expect(JSON.parse(stdout)).toStrictEqual({ records: 1, exported: 1, problems: 0 });
    expect(parseLines(file("out.jsonl"))[0]).toMatchObject({ kind: "thread", id: ids[0], title: "One" });
  });

  test("a data folder has its ledger in koine.db, and a tenant has its own threads", async () => {
    const { stdout } = await koine(`export --data ${folder} --all --tenant acme --quiet`);
    expect(parseLines(stdout)).toMatchObject([
      { kind: "all" },
      { kind: "thread", id: "acme-1" },
      { kind: "end" },
      { kind: "all-end", threads: 1 },
    ]);
    expect((await koine(`export --data sqlite:${data} --all -q`)).stdout).toContain(String(ids[0]));
  });
});

test("a thread that is deleted during --all is skipped, or reported if it was partly written", async () => {
  const path = join(folder, "purged.db");
  const ledger = await openLedger(`sqlite:${path}`);
  for (const id of ["a", "b", "c", "d"]) {
    await ledger.createThread({ id });
    await ledger.append(id, [user(id)]);
  }
  const exported = vi.spyOn(StoreLedger.prototype, "export").mockImplementation(async function* (
    this: StoreLedger,
    id,
  ) {
    exported.mockRestore();
    const lines: string[] = [];
    for await (const line of this.export(id)) lines.push(line);
    await ledger.purge({ threadId: "c", what: "thread" });
    yield* lines;
  });
  try {
    const { code, stdout, stderr } = await koine(`export --data ${path} --all`);
    expect([code, stderr]).toStrictEqual([0, "3 threads exported.\n"]);
    const threadCounts = parseLines(stdout).map((line) => (line as { id?: string; threads?: number }).threads);
    expect(threadCounts.at(-1)).toBe(3);
    const to = await koine(`export --data ${path} --all --to openai-chat --json`);
    expect(to.code).toBe(0);
  } finally {
    await ledger.close();
  }
});

describe("as conversations", () => {
  test("in a dialect, one line per thread, with the losses", async () => {
    const { code, stdout, stderr } = await koine(`export --data ${data} --all --to openai-chat`);
    const [first, second] = parseLines(stdout);
    expect(JSON.stringify([first, second])).toContain("data:image/gif;base64,c21hbGw=");
    expect(JSON.stringify(first)).not.toContain("sha256-");
    expect(stderr).toContain("2 threads exported.\nLosses: ");
    expect(code).toBe(0);
  });

  test("as requests to a model; --fail-on decides the exit code", async () => {
    const { code, stdout, stderr } = await koine(
      `export --data ${data} --thread ${ids[1]} --to gemini --model gemini-3 --fail-on loss --json`,
    );
    expect(parseLines(stdout)).toMatchObject([{ systemInstruction: { parts: [{ text: "Answer briefly." }] } }]);
    expect(JSON.parse(stderr)).toMatchObject({
      to: "gemini",
      records: 1,
      exported: 1,
      failed: 0,
      outsideBody: { model: 1 },
    });
    expect(code).toBe(3);
  });

  test("in the dialect of the seal's issuer, nothing is lost", async () => {
    const { code, stdout } = await koine(`export --data ${data} --thread ${ids[0]} --to anthropic --fail-on loss -q`);
    expect(JSON.stringify(parseLines(stdout))).toContain('"signature":"c2ln"');
    expect(code).toBe(0);
  });
});

test.each([
  ["neither a thread nor all", "export --data %/none.db", 2, "--thread, or use --all"],
  ["both", `export --data ${data} --all --thread x`, 2, "--thread, or use --all"],
  ["no ledger", "export --all", 2, "Name the ledger with --data"],
  ["a ledger in memory", "export --data memory: --all", 2, "is empty"],
  ["a ledger without a name", "export --data sqlite: --all", 2, "names no file"],
  ["a missing ledger", "export --data %/none.db --all", 4, "There is no file"],
  ["an unknown thread", `export --data ${data} --thread nobody -o %/out.jsonl`, 1, 'no thread "nobody"'],
  ["an output in a missing folder", `export --data ${data} --all -o %/no/out.jsonl`, 4, "There is no folder"],
])("%s is reported in one line", async (_sentence, args, code, message) => {
  const outcome = await koine(args);
  expect(outcome.stderr).toMatch(/^koine: [^\n]+\n$/);
  expect(outcome.stderr).toContain(message);
  expect(outcome.code).toBe(code);
  expect(outcome.files).toBe("");
  expect(existsSync(join(folder, "none.db"))).toBe(false);
});

test.each([
  ["the database", data, data],
  ["the database in its folder", folder, data],
  ["the database by a link", `sqlite:${data}`, join(folder, "link.db")],
  ...["-wal", "-shm", "-journal"].map((ending) => [`the database's ${ending}`, data, data + ending]),
  ["a further file of a linked database", join(folder, "link.db"), `${data}-wal`],
])("an export never overwrites %s", async (_what, from, output) => {
  rmSync(join(folder, "link.db"), { force: true });
  symlinkSync(data, join(folder, "link.db"));
  const before = readFileSync(data);
  const { code, stderr } = await koine(`export --data ${from} --all -o ${output}`);
  expect(stderr).toContain("would overwrite");
  expect(code).toBe(2);
  expect(readFileSync(data).equals(before)).toBe(true);
});

test("an empty folder has no ledger to export", async () => {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  const { code, stderr } = await koine(`export --data ${empty} --all`);
  expect([code, stderr]).toStrictEqual([4, expect.stringContaining("koine.db")]);
});
