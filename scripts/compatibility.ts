// Writes docs/compatibility.md from the matrix that the tests play; with --check it only says whether it is up to date.
import { readFileSync } from "node:fs";
import { cellsOf } from "../test/server/matrix/cells.ts";
import { CLIENTS } from "../test/server/matrix/clients/index.ts";
import type { Exception } from "../test/server/matrix/exceptions.rows.ts";
import { EXCEPTIONS, exceptionsOf } from "../test/server/matrix/exceptions.rows.ts";
import type { Cell, Client, UpstreamName } from "../test/server/matrix/types.ts";
import { writeOrCheck } from "./generated.ts";

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

/** What a field of the table says of all the cells in it: whole and streamed, and the parts of its row. */
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
  // The versions that are installed are those of the package's own file.
  const { devDependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  return SDKS.map((name) => `\`${name}\` ${devDependencies[name]}`).join(", ");
}

const all = cellsOf(CLIENTS);
const plain = all.filter((cell) => exceptionsOf(cell).length === 0).length;

const HEAD = `# Compatibility

Official SDKs in front of Koine, upstreams of every dialect behind it; made from the tests' own tables by \`npm run docs\`. Each field
is played over HTTP, whole and streamed, and recorded: ${all.length} cells, ${plain} of them without a remark. The upstreams are servers that refuse
what the real ones refuse (calls without results, missing or altered signatures, unknown fields), and what they were told is
compared, too. A number names what is different there, and why; a test fails when there is another difference, and when such a one is gone.

- Where client and upstream speak the same dialect, what comes through Koine is also compared with what comes without it: it is the same.
- Signatures are tested once more with clients that send none back, on a server that is closed and opened again between the steps, and on two
  instances that take turns. They come out of the record: a call with \`store: false\` or \`x-koine-record: off\` has none, and the losses say what was left out.
- Streams that real providers sent are replayed behind Koine, too, where the recordings are at hand.

Played with ${versions()}.
`;

const NOTES = ["## Remarks", "", ...reasons.map((reason, index) => `${index + 1}. ${reason}`)].join("\n");

writeOrCheck("docs/compatibility.md", `${HEAD}\n${[...CLIENTS.map(table), NOTES].join("\n\n")}\n`, "npm run docs");
