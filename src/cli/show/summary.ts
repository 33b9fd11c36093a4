// What a run has come to, for people: how many records, and the losses in a table, the worst first.
import type { LossLevel } from "../../model/index.ts";
import type { LossCount, Tally } from "../records/tally.ts";
import { count, counted } from "./numbers.ts";
import type { Format, Paint } from "./style.ts";
import { visibleLine } from "./visible.ts";
import { padTo } from "./width.ts";

export const LEVEL_STYLE: Readonly<Record<LossLevel, Format>> = { breaks: "red", loss: "yellow", note: "dim" };

/** "3 records: 2 converted, 1 failed."; a stream is one record, of many events. */
export function recordsLine(tally: Tally, done: string): string {
  const files = tally.files > 1 ? ` in ${counted(tally.files, "file")}` : "";
  const events = tally.events > 0 ? ` (${counted(tally.events, "event")} of streams)` : "";
  return `${counted(tally.read, "record")}${files}${events}: ${count(tally.done)} ${done}, ${count(tally.failed)} failed.`;
}

export function lossLines(tally: Tally, paint: Paint): string[] {
  const losses = tally.losses();
  if (losses.length === 0) return ["No losses."];
  const codes = Math.max(...losses.map(({ code }) => code.length));
  const counts = Math.max(...losses.map((each) => count(each.count).length));
  const row = (each: LossCount): string[] => {
    const level = paint(LEVEL_STYLE[each.level], padTo(each.level, "breaks".length));
    const head = `  ${level}  ${padTo(each.code, codes)}  ${count(each.count).padStart(counts)} ×`;
    const [first] = each.examples;
    if (first === undefined) return [head];
    const place = `${first.file}:${first.line} ${first.path === "" ? "/" : first.path}`;
    return [`${head}  ${visibleLine(place)}`, `          ${paint("dim", visibleLine(first.message))}`];
  };
  return [`Losses: ${levelsLine(tally)}.`, ...losses.flatMap(row)];
}

/** "1 breaks, 2 losses, 3 notes", without those that are none. */
function levelsLine(tally: Tally): string {
  const { breaks, loss, note } = tally.levels();
  const parts = [
    breaks > 0 ? `${count(breaks)} that would break the request` : "",
    loss > 0 ? counted(loss, "loss", "losses") : "",
    note > 0 ? counted(note, "note") : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? "none" : parts.join(", ");
}

/** "model of 2 records, stream of 1": what a target wants outside of the body. */
export function apartLine(tally: Tally): string {
  return [...tally.apart].map(([field, records]) => `${field} of ${counted(records, "record")}`).join(", ");
}

/** The same as data. */
export function summaryOf(tally: Tally, done: string): Record<string, unknown> {
  const { files, read, failed, apart } = tally;
  return {
    files,
    records: read,
    [done]: tally.done,
    failed,
    ...(tally.events > 0 && { events: tally.events }),
    ...(apart.size > 0 && { apart: Object.fromEntries(apart) }),
    levels: tally.levels(),
    losses: tally.losses(),
  };
}
