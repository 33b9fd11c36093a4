// Tests the program as a separate process: pipes, signals, exit codes and help. The processes run concurrently.
import type { ChildProcess, SpawnOptions } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { parseCommandArguments } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands/index.ts";
import { openLedger } from "../../src/ledger/index.ts";
import { assistant, user } from "../../src/model/index.ts";
import { chatRequest } from "./samples.ts";
import { koine, lines } from "./support.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "koine-program-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface ProcessResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

function spawnKoine(args: readonly string[], flags: readonly string[] = [], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, ["--conditions=koine-source", ...flags, MAIN, ...args], { ...options, stdio: "pipe" });
}

function waitForEnd(child: ChildProcess, stdin?: string): Promise<ProcessResult> {
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  child.stdin?.on("error", () => undefined);
  if (stdin !== undefined) child.stdin?.end(stdin);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...output })));
}

const OLD_NODE_MODULE = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`;

test.concurrent("converts standard input to standard output", async () => {
  const { code, stdout, stderr } = await waitForEnd(
    spawnKoine(["convert", "--to", "gemini"]),
    lines(chatRequest, "oops"),
  );
  expect(JSON.parse(stdout)).toMatchObject({ contents: [{ role: "user" }] });
  expect(stderr).toContain("stdin:2: Invalid JSON");
  expect(stderr).toContain("2 records: 1 converted, 1 failed.");
  expect(code).toBe(1);
});

test.concurrent("a closed output pipe ends it silently", async () => {
  const child = spawnKoine(["convert", "-q", "--to", "gemini"]);
  child.stdout?.once("data", () => child.stdout?.destroy());
  const { code, stderr } = await waitForEnd(child, lines(...Array.from({ length: 20_000 }, () => chatRequest)));
  expect(stderr).toBe("");
  expect(code).toBe(0);
});

test.concurrent.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends it with %i and leaves no partial file", async (signal, expected) => {
  const outputFolder = mkdtempSync(join(folder, "interrupted-"));
  const child = spawnKoine(["convert", "--to", "gemini", "-o", join(outputFolder, "out.jsonl")]);
  const end = waitForEnd(child);
  child.stdin?.write(lines(chatRequest));
  await expect.poll(() => readdirSync(outputFolder), { timeout: 30_000 }).toHaveLength(1);
  child.kill(signal);
  const { code, stderr } = await end;
  expect(code).toBe(expected);
  expect(stderr).toBe("");
  expect(readdirSync(outputFolder)).toStrictEqual([]);
});

test.concurrent("an old Node version is reported in one line", async () => {
  const { code, stdout, stderr } = await waitForEnd(spawnKoine(["convert"], ["--import", OLD_NODE_MODULE]), "");
  expect(stderr).toBe("koine needs Node 22.19 or newer; this is 20.1.0.\n");
  expect({ code, stdout }).toStrictEqual({ code: 1, stdout: "" });
});

test("the required Node version is the one of package.json", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
  expect(readFileSync(MAIN, "utf8")).toContain(`[${engines.node.replace(">=", "").replace(".", ", ")}]`);
});

test("help lists the commands, and each command has its own help", async () => {
  const { code, stdout } = await koine("--help");
  expect(code).toBe(0);
  for (const name of Object.keys(COMMANDS)) {
    expect(stdout).toContain(`\n  ${name} `);
    const commandHelp = await koine(`${name} --help`);
    expect(commandHelp.stdout).toContain(`Usage\n  koine ${name} `);
    expect((await koine(`help ${name}`)).stdout).toBe(commandHelp.stdout);
  }
});

const VERSION = (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version;

test.each([
  ["no command", "", 2, "Usage"],
  ["help", "help", 0, "Usage"],
  ["the version", "--version", 0, VERSION],
  ["the version, of a command", "convert --version", 0, VERSION],
])("%s", async (_sentence, args, code, text) => {
  const outcome = await koine(args);
  expect(outcome.code).toBe(code);
  expect(outcome.stdout).toContain(text);
});

test("an unknown command lists the commands", async () => {
  const { code, stderr } = await koine("translate");
  expect(stderr).toBe(`koine: There is no command "translate". Commands: ${Object.keys(COMMANDS).join(", ")}.\n`);
  expect(code).toBe(2);
});

/** Returns the file of a ledger with one thread. */
async function createLedgerFile(): Promise<Buffer> {
  const path = join(folder, "koine.db");
  const ledger = await openLedger(`sqlite:${path}`);
  const { id } = await ledger.createThread();
  const [message] = await ledger.append(id, [user("Hi.")]);
  const run = await ledger.beginRun({
    id: "01K5ZC9V2XQ3D8T7M4N6P0R1S2",
    threadId: id,
    forkFromMessageId: message?.id,
    metadata: { provider: "demo", model: "koine", request: {} },
  });
  await run.commit([assistant("Hello.")]);
  await ledger.close();
  return readFileSync(path);
}

const FILES = {
  "chat.jsonl": lines({ model: "m", max_tokens: 5, system: "s", messages: [{ role: "user", content: "Hi." }] }),
  "requests.jsonl": lines(chatRequest),
  "request.json": JSON.stringify(chatRequest),
  "transcript.jsonl": "",
  "transcript.json": "[]",
  "answer.sse":
    'data: {"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
};

test("every example of the help works", async () => {
  const files = { ...FILES, "koine.db": await createLedgerFile() };
  const names = new RegExp(`\\b(${Object.keys(files).join("|").replaceAll(".", "\\.")})\\b(?!l)`, "g");
  let seen = 0;
  for (const load of Object.values(COMMANDS)) {
    const command = await load();
    for (const [example] of command.examples) {
      seen++;
      // `koine serve` runs until it is interrupted; serve.test.ts runs it.
      if (command.name === "serve") {
        parseCommandArguments(command, example.split(" ").slice(2));
        continue;
      }
      const [, args = ""] = /^koine ([^|>&]*)/.exec(example) ?? [];
      const inFolder = args
        .replaceAll(names, "%/$1")
        .replaceAll(/(-o|--report) (\S+)/g, (all: string, flag: string, name: string) =>
          name.startsWith("%") ? all : `${flag} %/${name}`,
        );
      const { code, stderr } = await koine(inFolder.trim(), { files });
      expect([example, code, /fail(?!ed\b)/.test(stderr)]).toStrictEqual([example, expect.any(Number), false]);
      expect([0, 3], `${example}: ${stderr}`).toContain(example.includes("--line 12") ? 0 : code);
    }
  }
  expect(seen).toBeGreaterThan(10);
});

test("the documentation shows every command and option", async () => {
  const page = readFileSync("docs/cli.md", "utf8");
  for (const [name, load] of Object.entries(COMMANDS)) {
    expect(page).toContain(`koine ${name}`);
    for (const option of Object.keys((await load()).options)) expect(page).toContain(`--${option}`);
  }
});

test("a temporary file of a killed process does not prevent the output", async () => {
  const output = join(folder, "out.json");
  writeFileSync(`${output}.1.tmp`, "rest");
  const { code } = await koine(`convert -q --to gemini -o ${output}`, { stdin: lines(chatRequest) });
  expect(code).toBe(0);
  expect(existsSync(output)).toBe(true);
});
