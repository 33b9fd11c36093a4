// The losses of one record as rows: level, code and path, and what each code means where that is asked for.
import type { Loss } from "../../model/index.ts";
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
