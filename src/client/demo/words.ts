// The demo's sentences.
import type { Part, ToolResultPart } from "../../model/index.ts";
import { CUES } from "./cues.ts";
import type { Turn } from "./turn.ts";

const LONGEST_QUOTE = 300;
const SENTENCES = [
  "The tide comes in and the boats lift one by one.",
  "Somebody on the quay mends a net and hums.",
  "A gull takes what nobody was watching.",
  "By noon the stones are too warm to sit on.",
  "The ferry is late, as it was yesterday.",
  "Nobody minds, because there is shade and there is bread.",
];

export const REFUSAL = "I would rather not answer that. (I was asked to refuse; nothing is wrong.)";
export const PAUSED = [
  "I stop here for a moment; ask me again, ",
  "and I go on: this is the second half of the answer.",
] as const;

export function helpText(): string {
  const width = Math.max(...CUES.map(([cue]) => cue.length));
  const lines = CUES.map(([cue, does]) => `  ${cue.padEnd(width)}  ${does}`);
  return `I am Koine's demo: a small script, not a language model. Begin a message with one of these words:\n\n${lines.join("\n")}\n\nAnything else I repeat.`;
}

/** The answer to plain text. `choice` counts from 0: further ones say the same in other words. */
export function echoText({ texts, attachments }: Turn, choice: number): string {
  const text = texts.join("\n").trim();
  const added = attachments.length === 0 ? "" : ` with ${listed(attachments)}`;
  if (text === "" && added === "")
    return "I am Koine's demo, a script and not a language model. Say “help” to see what I can do.";
  const said = text === "" ? `You sent a message${added}.` : `You said${added}: “${endSentence(clip(text))}”`;
  const opening =
    choice === 0
      ? "I am Koine's demo, a script and not a language model."
      : `Choice ${choice + 1} of the same script, in other words.`;
  return `${opening} ${said} Say “help” to see what I can do.`;
}

/** Running text of exactly so many words. */
export function longText(words: number): string {
  const all = SENTENCES.flatMap((sentence) => sentence.split(" "));
  return Array.from({ length: words }, (_, index) => all[index % all.length]).join(" ");
}

/** A sentence about the results of tools. */
export function resultsText(results: readonly ToolResultPart[]): string {
  return results
    .map(({ toolName, isError, output, content = [] }) => {
      const who = toolName === "" ? "The tool" : `The tool ${toolName}`;
      const told = [describe(output), ...content.map(describePart)].filter((text) => text !== "");
      if (told.length === 0)
        return isError ? `${who} failed without saying why.` : `${who} is done and had nothing to say.`;
      return `${who} ${isError ? "failed" : "answered"}: ${endSentence(clip(told.join("; ")))}`;
    })
    .join(" ");
}

function describe(output: unknown): string {
  if (output === undefined) return "";
  if (typeof output === "string") return output.trim();
  if (typeof output !== "object" || output === null) return JSON.stringify(output);
  if (Array.isArray(output)) return output.map(describe).join(", ");
  return Object.entries(output)
    .map(
      ([key, value]) =>
        `${key} ${typeof value === "object" && value !== null ? `(${describe(value)})` : describe(value)}`,
    )
    .join(", ");
}

function describePart(part: Part): string {
  if (part.type === "text") return part.text.trim();
  return `${/^[aeiou]/.test(part.type) ? "an" : "a"} ${part.type}`;
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** "a", "a and b", "a, b and c". */
export function listed(things: readonly string[]): string {
  return things.length < 2 ? things.join("") : `${things.slice(0, -1).join(", ")} and ${things.at(-1)}`;
}

/** Never splits a character. */
function clip(text: string): string {
  if (text.length <= LONGEST_QUOTE) return text;
  return `${text.slice(0, LONGEST_QUOTE).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
