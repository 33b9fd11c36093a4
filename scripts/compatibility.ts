// Writes docs/compatibility.md from the matrix of the tests. With --check, it only checks that the file is up to date.
import { readFileSync } from "node:fs";
import { cellsOf } from "../test/server/matrix/cells.ts";
import { CLIENTS } from "../test/server/matrix/clients/index.ts";
import type { Exception } from "../test/server/matrix/exceptions.rows.ts";
import { EXCEPTIONS, exceptionsOf } from "../test/server/matrix/exceptions.rows.ts";
import type { Cell, Client, UpstreamName } from "../test/server/matrix/types.ts";
import { writeOrCheck } from "./write-or-check.ts";

const COLUMNS: readonly (readonly [name: UpstreamName, title: string])[] = [
  ["chat", "OpenAI Chat"],
  ["responses", "OpenAI Responses"],
  ["anthropic", "Anthropic"],
  ["gemini", "Gemini"],
  ["router", "OpenRouter"],
];
const SDKS = [
  "openai",
  "@anthropic-ai/sdk",
  "@google/genai",
  "ai",
  "@ai-sdk/openai",
  "@ai-sdk/anthropic",
  "@ai-sdk/google",
];

const reasons = [...new Set(EXCEPTIONS.map(({ reason }) => reason))];
const numberOf = ({ reason }: Exception): number => reasons.indexOf(reason) + 1;

/**
 * Returns the text of one table field, which stands for several cells: all scenarios of its row, whole and streamed.
 */
function mark(cells: readonly Cell[]): string {
  if (cells.length === 0) return "";
  const notes = [...new Set(cells.flatMap((cell) => exceptionsOf(cell).map(numberOf)))].sort((a, b) => a - b);
  return notes.length === 0 ? "✓" : `✓ ${notes.map((note) => `[${note}]`).join(" ")}`;
}

function table(client: Client): string {
  const cells = cellsOf([client]);
  const rows = [...new Set(cells.map(({ scenario }) => scenario.title))].map((title) => {
    const fields = COLUMNS.map(([name]) =>
      mark(cells.filter(({ upstream, scenario }) => upstream === name && scenario.title === title)),
    );
    return `| ${[title, ...fields].join(" | ")} |`;
  });
  const head = ["", ...COLUMNS.map(([, title]) => title)];
  return [`## ${client.title}`, "", `| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...rows].join("\n");
}

function versions(): string {
  // package.json pins exact versions, so these are the installed versions.
  const { devDependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return SDKS.map((name) => `\`${name}\` ${devDependencies[name]}`).join(", ");
}

const all = cellsOf(CLIENTS);
const plain = all.filter((cell) => exceptionsOf(cell).length === 0).length;

const HEAD = `# Compatibility

This matrix shows each official SDK as a client of Koine with an upstream of each dialect. \`npm run docs\` generates it from the tables of the
tests. Each cell is run over HTTP, whole and streamed, and recorded: ${all.length} cells, ${plain} of them without a remark. The upstreams are test servers that
reject the same requests as the real providers (calls without results, missing or altered signatures, unknown fields); the tests also compare
the requests that the upstreams receive. A number refers to a remark about a known difference; a test fails for every other difference, and for a remark
whose difference no longer occurs.

- If client and upstream use the same dialect, the tests also compare the replies with and without Koine: they are equal.
- Signatures are also tested with clients that do not send them back, on a server that is restarted between the steps, and on two
  instances in turn. The signatures are restored from the record: a call with \`store: false\` or \`x-koine-record: off\` has none, and its losses list the
  dropped data.
- Recorded streams of real providers are replayed through Koine, too, if the recordings are available.

SDK versions: ${versions()}.
`;

const NOTES = ["## Remarks", "", ...reasons.map((reason, index) => `${index + 1}. ${reason}`)].join("\n");

writeOrCheck("docs/compatibility.md", `${HEAD}\n${[...CLIENTS.map(table), NOTES].join("\n\n")}\n`, "npm run docs");
