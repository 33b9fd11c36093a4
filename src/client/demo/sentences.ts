// Writes the texts of the demo provider's answers.
import type { Part, ToolResultPart } from "../../model/index.ts";
import { COMMANDS } from "./commands.ts";
import type { DemoTurn } from "./read-turn.ts";

const MAX_QUOTE_LENGTH = 300;
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
  "I pause here; call me again, ",
  "and I continue: this is the second half of the answer.",
] as const;

export function helpText(): string {
  const width = Math.max(...COMMANDS.map(([syntax]) => syntax.length));
  const lines = COMMANDS.map(([syntax, effect]) => `  ${syntax.padEnd(width)}  ${effect}`);
  return `I am Koine's demo: a small script, not a language model. Begin a message with one of these words:\n\n${lines.join("\n")}\n\nAnything else I repeat.`;
}

/**
 * Returns the answer to a message without a command. `choice` is the index of the choice; all choices after the first
 * begin with other words, so that they can be distinguished.
 */
export function echoText({ texts, attachments }: DemoTurn, choice: number): string {
  const text = texts.join("\n").trim();
  const added = attachments.length === 0 ? "" : ` with ${joinWithAnd(attachments)}`;
  if (text === "" && added === "")
    return "I am Koine's demo, a script and not a language model. Say “help” to see what I can do.";
  const echo = text === "" ? `You sent a message${added}.` : `You said${added}: “${endSentence(clip(text))}”`;
  const opening =
    choice === 0
      ? "I am Koine's demo, a script and not a language model."
      : `Choice ${choice + 1} of the same script, in other words.`;
  return `${opening} ${echo} Say “help” to see what I can do.`;
}

/** Returns text with the given number of words. */
export function longText(words: number): string {
  const all = SENTENCES.flatMap((sentence) => sentence.split(" "));
  return Array.from({ length: words }, (_, index) => all[index % all.length]).join(" ");
}

/** Returns sentences that repeat the results of tools. */
export function resultsText(results: readonly ToolResultPart[]): string {
  return results
    .map(({ toolName, isError, output, content = [] }) => {
      const who = toolName === "" ? "The tool" : `The tool ${toolName}`;
      const texts = [describeOutput(output), ...content.map(describePart)].filter((text) => text !== "");
      if (texts.length === 0) return isError ? `${who} failed without a message.` : `${who} returned nothing.`;
      return `${who} ${isError ? "failed" : "answered"}: ${endSentence(clip(texts.join("; ")))}`;
    })
    .join(" ");
}

function describeOutput(output: unknown): string {
  if (output === undefined) return "";
  if (typeof output === "string") return output.trim();
  if (typeof output !== "object" || output === null) return JSON.stringify(output);
  if (Array.isArray(output)) return output.map(describeOutput).join(", ");
  return Object.entries(output)
    .map(
      ([key, value]) =>
        `${key} ${typeof value === "object" && value !== null ? `(${describeOutput(value)})` : describeOutput(value)}`,
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

/** Joins items in the form "a", "a and b", or "a, b and c". */
export function joinWithAnd(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** Shortens a text without splitting a surrogate pair. */
function clip(text: string): string {
  if (text.length <= MAX_QUOTE_LENGTH) return text;
  return `${text.slice(0, MAX_QUOTE_LENGTH).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
