// Two answers to one question, side by side for people: what is the same in a word, what is not line by line.
import type { Page } from "../show/page.ts";
import type { Format } from "../show/style.ts";
import { padTo } from "../show/width.ts";
import type { Change } from "./line-diff.ts";
import { lineDiff } from "./line-diff.ts";
import type { Aspect, Told } from "./outcome.ts";
import { differences, lossLine } from "./outcome.ts";

export interface Compared {
  runId: string;
  threadId: string;
  /** Who answered then, and now. */
  was: string;
  is: string;
  before: Told;
  after: Told;
}

const STYLE: Readonly<Record<Change["sign"], Format>> = { " ": "dim", "-": "red", "+": "green" };
/** Lines around a change that are shown. */
const AROUND = 2;

export function showCompared({ runId, threadId, was, is, before, after }: Compared, page: Page): void {
  const differing = differences(before, after);
  page.line(`run ${runId} of thread ${threadId}`, 0, "bold");
  page.line(`- ${was}`, 0, "red");
  page.line(`+ ${is}`, 0, "green");
  page.space();
  const section = (aspect: Aspect, old: readonly string[], fresh: readonly string[]): void => {
    if (!differing.includes(aspect)) {
      if (old.length > 0) page.put(`${padTo(aspect, 7)} the same${inShort(aspect, before)}`, 0);
      return;
    }
    page.put(aspect, 0, "bold");
    showChanges(lineDiff(old, fresh), page);
    page.space();
  };
  section("error", errorLines(before), errorLines(after));
  section("finish", [before.finish], [after.finish]);
  section("text", linesOf(before.text), linesOf(after.text));
  section("calls", before.calls, after.calls);
  section("usage", usageLines(before), usageLines(after));
  section("losses", before.losses.map(lossLine), after.losses.map(lossLine));
  page.space();
  page.put(differing.length === 0 ? "Nothing differs." : `Differs in ${differing.join(", ")}.`, 0, "bold");
}

function inShort(aspect: Aspect, { text, finish, calls }: Told): string {
  if (aspect === "finish") return `: ${finish}`;
  if (aspect === "text") return ` (${text.length} characters)`;
  return aspect === "calls" ? ` (${calls.length})` : "";
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function errorLines({ error }: Told): string[] {
  return error === undefined ? [] : [`${error.kind}: ${error.message}`];
}

function usageLines({ usage }: Told): string[] {
  return Object.entries(usage).map(([name, value]) => `${name} ${value}`);
}

function showChanges(changes: readonly Change[], page: Page): void {
  let hidden = 0;
  const flush = (): void => {
    if (hidden > 0) page.put(`  … ${hidden} unchanged`, 0, "dim");
    hidden = 0;
  };
  changes.forEach(({ sign, line }, index) => {
    const near = changes.slice(Math.max(0, index - AROUND), index + AROUND + 1);
    if (near.every((each) => each.sign === " ")) {
      hidden++;
      return;
    }
    flush();
    page.add(line, 2, { mark: `${sign} `, rail: `${sign} `, style: STYLE[sign] });
  });
  flush();
}
