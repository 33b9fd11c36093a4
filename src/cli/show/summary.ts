// Formats the summary of a command: the record counts and a table of the losses, highest level first.
import type { LossLevel } from "../../model/index.ts";
import type { LossCount, RecordTally } from "../records/record-tally.ts";
import { formatCount, formatQuantity } from "./format-numbers.ts";
import type { TextStyle, Paint } from "./style.ts";
import { escapeToLine } from "./escape-unsafe.ts";
import { padToWidth } from "./text-width.ts";

export const LEVEL_STYLES: Readonly<Record<LossLevel, TextStyle>> = { breaks: "red", loss: "yellow", note: "dim" };

/** Formats the counts, such as "3 records: 2 converted, 1 failed." A stream counts as one record. */
export function formatRecordCounts(tally: RecordTally, done: string): string {
  const files = tally.files > 1 ? ` in ${formatQuantity(tally.files, "file")}` : "";
  const events = tally.events > 0 ? ` (${formatQuantity(tally.events, "event")} of streams)` : "";
  return `${formatQuantity(tally.read, "record")}${files}${events}: ${formatCount(tally.done)} ${done}, ${formatCount(tally.failed)} failed.`;
}

export function formatLossTable(tally: RecordTally, paint: Paint): string[] {
  const losses = tally.listLosses();
  if (losses.length === 0) return ["No losses."];
  const codes = Math.max(...losses.map(({ code }) => code.length));
  const counts = Math.max(...losses.map((each) => formatCount(each.count).length));
  const row = (each: LossCount): string[] => {
    const level = paint(LEVEL_STYLES[each.level], padToWidth(each.level, "breaks".length));
    const head = `  ${level}  ${padToWidth(each.code, codes)}  ${formatCount(each.count).padStart(counts)} ×`;
    const [first] = each.examples;
    if (first === undefined) return [head];
    const position = `${first.file}:${first.line} ${first.path === "" ? "/" : first.path}`;
    return [`${head}  ${escapeToLine(position)}`, `          ${paint("dim", escapeToLine(first.message))}`];
  };
  return [`Losses: ${formatLevelCounts(tally)}.`, ...losses.flatMap(row)];
}

/** Formats the number of losses of each level, such as "2 losses, 3 notes". */
function formatLevelCounts(tally: RecordTally): string {
  const { breaks, loss, note } = tally.countLevels();
  const parts = [
    breaks > 0 ? `${formatCount(breaks)} that would break the request` : "",
    loss > 0 ? formatQuantity(loss, "loss", "losses") : "",
    note > 0 ? formatQuantity(note, "note") : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "none" : parts.join(", ");
}

/**
 * Formats the number of records for each envelope field that was not written, such as "model of 2 records, stream of 1
 * record".
 */
export function formatEnvelopeFields(tally: RecordTally): string {
  return [...tally.envelopeFields]
    .map(([field, records]) => `${field} of ${formatQuantity(records, "record")}`)
    .join(", ");
}

/** Returns the summary for `--json`. */
export function toSummaryJson(tally: RecordTally, done: string): Record<string, unknown> {
  const { files, read, failed, envelopeFields } = tally;
  return {
    files,
    records: read,
    [done]: tally.done,
    failed,
    ...(tally.events > 0 && { events: tally.events }),
    ...(envelopeFields.size > 0 && { outsideBody: Object.fromEntries(envelopeFields) }),
    levels: tally.countLevels(),
    losses: tally.listLosses(),
  };
}
