// Formats the losses of one record as rows with level, code and path, optionally with the message of each loss.
import type { Loss } from "../../model/index.ts";
import { formatQuantity } from "./format-numbers.ts";
import type { TextPage } from "./page.ts";
import type { Paint } from "./style.ts";
import { LEVEL_STYLES } from "./summary.ts";
import { escapeToLine } from "./escape-unsafe.ts";
import { padToWidth } from "./text-width.ts";

export function formatLossRows(losses: readonly Loss[], paint: Paint, explain = false): string[] {
  const codes = Math.max(...losses.map(({ code }) => code.length));
  const explained = new Set<string>();
  return losses.flatMap(({ level, code, path, message }) => {
    const styled = paint(LEVEL_STYLES[level], padToWidth(level, "breaks".length));
    const row = `  ${styled}  ${padToWidth(code, codes)}  ${escapeToLine(path === "" ? "/" : path)}`;
    if (!explain || explained.has(message)) return [row];
    explained.add(message);
    return [row, `          ${paint("dim", escapeToLine(message))}`];
  });
}

/** Shows the losses of a conversion to a dialect. Losses of level `note` are only counted, unless `full` is true. */
export function showTargetLosses(dialect: string, losses: readonly Loss[], page: TextPage, full: boolean): void {
  const shown = full ? losses : losses.filter(({ level }) => level !== "note");
  const notes = losses.length - shown.length;
  const more = notes === 0 ? "" : `${formatQuantity(notes, "note")}; --full shows them`;
  if (shown.length === 0) {
    return page.addText(`to ${dialect}: no losses${more === "" ? "" : `, ${more}`}`, 0, { style: "bold" });
  }
  page.addSafeLine(`to ${dialect}:`, 0, "bold");
  for (const row of formatLossRows(shown, page.paint, true)) page.addSafeLine(row, 0);
  if (more !== "") page.addSafeLine(more, 2, "dim");
}
