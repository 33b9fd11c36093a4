// The line above a record: where it stands, what it is, and whose model is asked. Where there is little room the name of
// the file is cut first; a model that still does not fit stands on a line of its own.
import { basename } from "node:path";
import type { Page } from "./page.ts";
import { visibleLine } from "./visible.ts";
import { clipTo, widthOf } from "./width.ts";

interface Title {
  file: string;
  line: number;
  what: string;
  /** "" where there is none. */
  model: string;
}

/** What the rule around the text takes. */
const FRAME = 6;
/** A name of a file that is cut shorter tells nothing. */
const SHORTEST = 12;

export function showTitle(title: Title, page: Page): void {
  const room = page.columns - FRAME;
  const file = visibleLine(title.file);
  const what = visibleLine(title.what);
  const tail = title.model === "" ? "" : ` · ${visibleLine(title.model)}`;
  const whole = placed(file, `:${title.line} · ${what}${tail}`, room, SHORTEST);
  rule(whole ?? placed(file, `:${title.line} · ${what}`, room, 0) ?? clipTo(what, room), page);
  if (whole === undefined && tail !== "") page.line(title.model, 0, "bold");
}

/** The text with as much of the file's name as there is room for; undefined where that is less than the least. */
function placed(file: string, rest: string, room: number, least: number): string | undefined {
  const left = room - widthOf(rest);
  if (widthOf(file) <= left) return file + rest;
  const name = basename(file);
  return left < Math.max(1, Math.min(least, widthOf(name))) ? undefined : clipTo(name, left) + rest;
}

function rule(text: string, page: Page): void {
  page.put(`── ${text} ${"─".repeat(Math.max(2, page.columns - widthOf(text) - 4))}`, 0, "bold");
}
