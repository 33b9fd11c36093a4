// The losses of one record as rows: level, code and path, and what each code means where that is asked for.
import type { Loss } from "../../model/index.ts";
import { counted } from "./numbers.ts";
import type { Page } from "./page.ts";
import type { Paint } from "./style.ts";
import { LEVEL_STYLE } from "./summary.ts";
import { visibleLine } from "./visible.ts";
import { padTo } from "./width.ts";

export function lossRows(losses: readonly Loss[], paint: Paint, explain = false): string[] {
  const codes = Math.max(...losses.map(({ code }) => code.length));
  const told = new Set<string>();
  return losses.flatMap(({ level, code, path, message }) => {
    const styled = paint(LEVEL_STYLE[level], padTo(level, "breaks".length));
    const row = `  ${styled}  ${padTo(code, codes)}  ${visibleLine(path === "" ? "/" : path)}`;
    if (!explain || told.has(message)) return [row];
    told.add(message);
    return [row, `          ${paint("dim", visibleLine(message))}`];
  });
}

/** What would be lost on the way to a dialect. Notes are only counted, unless nothing is folded. */
export function showLossesTo(dialect: string, losses: readonly Loss[], page: Page, full: boolean): void {
  const shown = full ? losses : losses.filter(({ level }) => level !== "note");
  const notes = losses.length - shown.length;
  const more = notes === 0 ? "" : `${counted(notes, "note")}; --full shows them`;
  if (shown.length === 0) {
    return page.add(`to ${dialect}: no losses${more === "" ? "" : `, ${more}`}`, 0, { style: "bold" });
  }
  page.put(`to ${dialect}:`, 0, "bold");
  for (const row of lossRows(shown, page.paint, true)) page.put(row, 0);
  if (more !== "") page.put(more, 2, "dim");
}
