// Writes docs/losses.md from the dialects' own declarations; with --check it only says whether it is up to date.
import { CLIENT_LOSSES } from "../src/client/providers/responses-state.ts";
import type { LossTable } from "../src/dialects/index.ts";
import { dialect, dialects } from "../src/dialects/registry.ts";
import { writeOrCheck } from "./generated.ts";

function table(losses: LossTable): string[] {
  const rows = Object.entries(losses)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { action, level, message: says }]) => `| \`${code}\` | ${action} | ${level} | ${says} |`);
  return ["| code | action | level | what it means |", "|---|---|---|---|", ...rows];
}

function section(id: string): string {
  const { title, losses, supports: carries } = dialect(id);
  return [`## \`${id}\`: ${title}`, "", `Carries ${[...carries].join(", ")}.`, "", ...table(losses)].join("\n");
}

const CLIENT = [
  "## The client",
  "",
  "What the client leaves out by itself, before the provider's dialect has its say.",
  "",
  ...table(CLIENT_LOSSES),
].join("\n");

const HEAD = `# Losses

What each dialect cannot say, made from the dialects' own declarations by \`npm run docs\`. Every encode returns the losses
it caused, each with one of these codes and a JSON pointer into the canonical value.

- **note**: bookkeeping, echoes and boundaries; nothing a model would miss.
- **loss**: content or meaning did not arrive as it was.
- **breaks**: the reader would answer another question; a server refuses unless it can resolve it.
`;

writeOrCheck("docs/losses.md", `${HEAD}\n${[...dialects.map(section), CLIENT].join("\n\n")}\n`, "npm run docs");
