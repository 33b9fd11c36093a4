// There and back: what one dialect said, said in another and read again by the first, is the same conversation.
import type { Dialect, Encoded, Renames } from "../dialects/dialect.ts";
import { sameJson } from "../model/json/index.ts";
import type { Loss } from "../model/loss.ts";
import { isCovered } from "./coverage.ts";
import { demand } from "./demand.ts";
import { demandNone, differences } from "./differences.ts";
import type { Dialogue } from "./dialogue.ts";
import { bare, dialogueOf } from "./dialogue.ts";
import type { Exchange, WireSample } from "./exchange.ts";

/** A check of what goes from one dialect to another. */
export type PairCheck = <T>(exchange: Exchange<T>, from: Dialect, to: Dialect, sample: WireSample) => void;

interface Leg<T> {
  value: T;
  encoded: Encoded;
}
/** What the dialect's wire says of a value. */
function travel<T>(exchange: Exchange<T>, dialect: Dialect, value: T): Leg<T> {
  const encoded = exchange.encode(dialect, value);
  const { wire, address } = encoded;
  return { value: exchange.decode(dialect, wire, address === undefined ? {} : { address }), encoded };
}

/** Without a repair, the same runs; where the report tells of one, every text, call and result is still there. */
export const comesHome: PairCheck = (exchange, from, to, sample) => {
  const start = exchange.decode(from, sample.wire, sample);
  const there = travel(exchange, to, start);
  const home = travel(exchange, from, there.value);
  const broken = new Set(there.encoded.losses.filter(isBreak).map(({ path }) => path));
  const said = exchange.messages(start).flatMap(({ keys, message }) => {
    const path = `/${keys.join("/")}`;
    // Not every dialect has more than one choice.
    if (keys[0] === "alternatives" && isCovered(there.encoded, path)) return [];
    return [{ ...message, parts: message.parts.filter((_, at) => !broken.has(`${path}/parts/${at}`)) }];
  });
  const [was, is] = [dialogueOf(said), dialogueOf(exchange.messages(home.value).map(({ message }) => message))];
  restoreNames(is, home.encoded.names);
  restoreNames(is, there.encoded.names);
  const found = differences(was, is);
  if (found.length === 0) return;
  const losses = [...there.encoded.losses, ...home.encoded.losses];
  const isRearranged = losses.some(isRearrangement);
  demandNone(isRearranged ? [] : found, "There and back, it is another conversation.", there.encoded.losses);
  const texts = said.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [bare(part.text)] : [])));
  keepsContent(was, is, texts);
};

/** Whether a loss says that the conversation cannot go on without what was left out. */
function isBreak({ action, level }: Loss): boolean {
  return action === "dropped" && level === "breaks";
}

/** Whether a loss says that something stands elsewhere, is said in another way, or was added. */
function isRearrangement({ action, level, path }: Loss): boolean {
  if (!/^\/(?:messages?|alternatives)(?:\/|$)/.test(path) || action === "dropped") return false;
  return action === "repaired" || action === "synthesized" || level !== "note";
}

function restoreNames({ runs }: Dialogue, names: Renames | undefined): void {
  for (const call of runs.flatMap(({ calls }) => calls)) call.name = names?.toolNames?.[call.name] ?? call.name;
}

/** A free text may stand in an object where the other dialect wants one (B22). */
function isSaidBy(input: unknown, was: unknown): boolean {
  if (sameJson(input, was)) return true;
  return typeof was === "string" && JSON.stringify(input).includes(JSON.stringify(was));
}

/** Every call in its order, every result with its call, and every text somewhere. */
function keepsContent(was: Dialogue, is: Dialogue, texts: readonly string[]): void {
  const calls = is.runs.flatMap((run) => run.calls);
  const results = is.runs.flatMap((run) => run.results);
  let next = 0;
  for (const run of was.runs) {
    for (const call of run.calls) {
      const found = calls.findIndex(
        (each, at) => at >= next && each.name === call.name && isSaidBy(each.input, call.input),
      );
      demand(found >= 0, "There and back, a call is gone.", call, calls);
      next = found + 1;
      const result = was.runs.flatMap((each) => each.results).find((each) => each.number === call.number);
      const number = calls[found]?.number;
      const isAnswered = results.some((each) => each.number === number && each.text.includes(result?.text ?? ""));
      demand(result === undefined || isAnswered, "There and back, a result is gone.", result, results);
    }
  }
  const all = [is.instructions, ...is.runs.map(({ text }) => text), ...results.map(({ text }) => text)].join("\n");
  const gone = texts.find((text) => !all.includes(text));
  demand(gone === undefined, "There and back, a text is gone.", gone);
}
