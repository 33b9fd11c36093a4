// Writes docs/losses.md from the loss declarations of the dialects. With --check, it only checks that the file is up to
// date.
import { CLIENT_LOSSES } from "../src/calls/providers/responses-state.ts";
import type { LossDeclaration } from "../src/dialects/index.ts";
import { COMMON_LOSSES } from "../src/dialects/kit/losses/catalog.ts";
import { ANSWER_LOSSES } from "../src/dialects/kit/losses/answer-catalog.ts";
import { PROVIDER_LOSSES } from "../src/dialects/kit/losses/provider-catalog.ts";
import { dialect, dialects } from "../src/dialects/registry.ts";
import { writeOrCheck } from "./write-or-check.ts";

const CATALOG: Readonly<Record<string, LossDeclaration>> = PROVIDER_LOSSES;

/** Column titles, short enough for a table with one column per dialect. */
const COLUMNS: Readonly<Record<string, string>> = {
  "openai-chat": "chat",
  "openai-responses": "resp.",
  anthropic: "anthr.",
  gemini: "gemini",
  bedrock: "bedr.",
  "ai-sdk-ui": "ui",
  "ai-sdk-model": "model",
};

interface CodeEntry {
  code: string;
  declaration: LossDeclaration;
  /** The declarations of the dialects that can report the loss, by dialect id. */
  declarations: ReadonlyMap<string, LossDeclaration>;
}

function collectEntries(): CodeEntry[] {
  const byCode = new Map<string, Map<string, LossDeclaration>>();
  for (const id of dialects) {
    for (const [code, declaration] of Object.entries(dialect(id).losses)) {
      const declarations = byCode.get(code) ?? new Map<string, LossDeclaration>();
      byCode.set(code, declarations.set(id, declaration));
    }
  }
  return [...byCode]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, declarations]) => {
      const [[id, first] = ["", undefined]] = declarations;
      if (first === undefined) throw new Error(`No dialect declares ${code}.`);
      return { code, declaration: CATALOG[code] ?? { ...first, message: toTemplate(first.message, id) }, declarations };
    });
}

/** Returns the sentence of a loss with `{target}` instead of the id of the dialect. */
function toTemplate(message: string, id: string): string {
  return message.replaceAll(new RegExp(`(?<![\\w-])${id}(?![\\w-])`, "g"), "{target}");
}

/** True if the dialect's own declaration has the action and the sentence of the table. */
function isAsInTable(own: LossDeclaration, { action, message }: LossDeclaration, id: string): boolean {
  return own.action === action && own.message === message.replaceAll("{target}", id);
}

const SECTIONS: readonly (readonly [title: string, codes: object])[] = [
  ["Any dialect", COMMON_LOSSES],
  ["Dialects with answers: the providers and the AI SDK", ANSWER_LOSSES],
  ["Providers: requests, responses and repairs", PROVIDER_LOSSES],
];
const LAST_SECTION = "Single dialects";

function findSection(code: string): string {
  return SECTIONS.find(([, codes]) => Object.hasOwn(codes, code))?.[0] ?? LAST_SECTION;
}

function formatTable(entries: readonly CodeEntry[]): string[] {
  const used = dialects.filter((id) => entries.some(({ declarations }) => declarations.has(id)));
  const columns = used.map((id) => COLUMNS[id] ?? id);
  return [
    `| code | level | action | meaning | ${columns.join(" | ")} |`,
    `|---|---|---|---|${used.map(() => ":-:|").join("")}`,
    ...entries.map(({ code, declaration, declarations }) => {
      const { level, action, message } = declaration;
      const cells = used.map((id) => {
        const own = declarations.get(id);
        if (own === undefined) return "";
        return isAsInTable(own, declaration, id) ? "•" : "•\\*";
      });
      return `| \`${code}\` | ${level} | ${action} | ${message} | ${cells.join(" | ")} |`;
    }),
  ];
}

/** Lists the declarations of single dialects that differ from the tables. */
function formatOverrides(entries: readonly CodeEntry[]): string[] {
  return entries.flatMap(({ code, declaration, declarations }) =>
    [...declarations]
      .filter(([id, own]) => !isAsInTable(own, declaration, id))
      .map(([id, { action, message }]) => `| \`${code}\` | \`${id}\` | ${action} | ${message} |`),
  );
}

function formatDialects(): string[] {
  return dialects.map((id) => {
    const { title, supports } = dialect(id);
    return `- \`${id}\`: ${title}; supports ${[...supports].join(", ")}.`;
  });
}

const HEAD = `# Losses

Every encode returns the losses that it caused, each with one of these codes and a JSON pointer into the canonical value.
\`npm run docs\` generates this page from the declarations of the dialects (\`src/dialects/kit/losses\` and \`src/dialects/*/losses.ts\`).

- **note**: metadata, response details and boundaries; nothing that a model would miss.
- **loss**: content or meaning did not arrive unchanged.
- **breaks**: the target would answer a different question; a server rejects the request unless it can resolve the value.

\`{target}\` stands for the id of the dialect. A column shows • where the dialect can cause the loss, and •\\* where its action or
sentence differs (see [Differences](#differences)).
`;

const entries = collectEntries();
const sections = Map.groupBy(entries, ({ code }) => findSection(code));
const titles = [...SECTIONS.map(([title]) => title), LAST_SECTION];
const page = [
  HEAD,
  ...formatDialects(),
  "",
  ...titles.flatMap((title) => [`## ${title}`, "", ...formatTable(sections.get(title) ?? []), ""]),
  "## Differences",
  "",
  "| code | dialect | action | meaning |",
  "|---|---|---|---|",
  ...formatOverrides(entries),
  "",
  "## The client",
  "",
  "Losses that the client causes before the dialect of the provider encodes the request.",
  "",
  "| code | level | action | meaning |",
  "|---|---|---|---|",
  ...Object.entries(CLIENT_LOSSES).map(
    ([code, { level, action, message }]) => `| \`${code}\` | ${level} | ${action} | ${message} |`,
  ),
];

writeOrCheck("docs/losses.md", `${page.join("\n")}\n`, "npm run docs");
