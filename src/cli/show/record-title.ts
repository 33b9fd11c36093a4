// Shows the title line of a record: file, line, description and model. In a narrow terminal the file name is clipped
// first; if the model still does not fit, the model is shown on a line of its own.
import { basename } from "node:path";
import type { TextPage } from "./page.ts";
import { escapeToLine } from "./escape-unsafe.ts";
import { clipToWidth, measureWidth } from "./text-width.ts";

interface RecordTitle {
  file: string;
  line: number;
  description: string;
  /** Empty if the record has no model. */
  model: string;
}

/** The minimum number of columns of the horizontal rule and the spaces around the text of the title. */
const FRAME_COLUMNS = 6;
/** The minimum number of columns of a clipped file name. */
const MIN_FILE_NAME_COLUMNS = 12;

export function showTitle(title: RecordTitle, page: TextPage): void {
  const room = page.columns - FRAME_COLUMNS;
  const file = escapeToLine(title.file);
  const description = escapeToLine(title.description);
  const tail = title.model === "" ? "" : ` · ${escapeToLine(title.model)}`;
  const fullTitle = fitFileName(file, `:${title.line} · ${description}${tail}`, room, MIN_FILE_NAME_COLUMNS);
  addRule(
    fullTitle ?? fitFileName(file, `:${title.line} · ${description}`, room, 0) ?? clipToWidth(description, room),
    page,
  );
  if (fullTitle === undefined && tail !== "") page.addLine(title.model, 0, "bold");
}

/**
 * Returns the file name and `rest` in at most `room` columns. A path that is too long is shortened to its last segment,
 * and that is clipped if necessary; undefined if it would be clipped to fewer than `minFileColumns` columns.
 */
function fitFileName(file: string, rest: string, room: number, minFileColumns: number): string | undefined {
  const available = room - measureWidth(rest);
  if (measureWidth(file) <= available) return file + rest;
  const name = basename(file);
  return available < Math.max(1, Math.min(minFileColumns, measureWidth(name)))
    ? undefined
    : clipToWidth(name, available) + rest;
}

function addRule(text: string, page: TextPage): void {
  page.addSafeLine(`── ${text} ${"─".repeat(Math.max(2, page.columns - measureWidth(text) - 4))}`, 0, "bold");
}
