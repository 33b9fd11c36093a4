// Prints the comparison of a recorded and a new outcome: one line for each equal aspect, and a line diff for each
// aspect that differs.
import type { TextPage } from "../show/page.ts";
import type { TextStyle } from "../show/style.ts";
import { padToWidth } from "../show/text-width.ts";
import type { LineChange } from "./line-diff.ts";
import { diffLines } from "./line-diff.ts";
import type { OutcomeAspect, OutcomeSummary } from "./call-outcome.ts";
import { listDifferences, formatLoss } from "./call-outcome.ts";

export interface ReplayComparison {
  runId: string;
  threadId: string;
  /** The model of the recorded outcome. */
  was: string;
  /** The model of the new outcome. */
  is: string;
  before: OutcomeSummary;
  after: OutcomeSummary;
}

const CHANGE_STYLES: Readonly<Record<LineChange["sign"], TextStyle>> = { " ": "dim", "-": "red", "+": "green" };
/** The number of unchanged lines that are shown before and after a change. */
const CONTEXT_LINES = 2;

export function showComparison({ runId, threadId, was, is, before, after }: ReplayComparison, page: TextPage): void {
  const differing = listDifferences(before, after);
  page.addLine(`run ${runId} of thread ${threadId}`, 0, "bold");
  page.addLine(`- ${was}`, 0, "red");
  page.addLine(`+ ${is}`, 0, "green");
  page.addBlankLine();
  const section = (aspect: OutcomeAspect, old: readonly string[], fresh: readonly string[]): void => {
    if (!differing.includes(aspect)) {
      if (old.length > 0) page.addSafeLine(`${padToWidth(aspect, 7)} the same${formatUnchanged(aspect, before)}`, 0);
      return;
    }
    page.addSafeLine(aspect, 0, "bold");
    showChanges(diffLines(old, fresh), page);
    page.addBlankLine();
  };
  section("error", formatErrorLines(before), formatErrorLines(after));
  section("finish", [before.finish], [after.finish]);
  section("text", splitLines(before.text), splitLines(after.text));
  section("calls", before.calls, after.calls);
  section("usage", formatUsageLines(before), formatUsageLines(after));
  section("losses", before.losses.map(formatLoss), after.losses.map(formatLoss));
  page.addBlankLine();
  page.addSafeLine(differing.length === 0 ? "No differences." : `Differences: ${differing.join(", ")}.`, 0, "bold");
}

function formatUnchanged(aspect: OutcomeAspect, { text, finish, calls }: OutcomeSummary): string {
  if (aspect === "finish") return `: ${finish}`;
  if (aspect === "text") return ` (${text.length} characters)`;
  return aspect === "calls" ? ` (${calls.length})` : "";
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.split("\n");
}

function formatErrorLines({ error }: OutcomeSummary): string[] {
  return error === undefined ? [] : [`${error.kind}: ${error.message}`];
}

function formatUsageLines({ usage }: OutcomeSummary): string[] {
  return Object.entries(usage).map(([name, value]) => `${name} ${value}`);
}

function showChanges(changes: readonly LineChange[], page: TextPage): void {
  let hidden = 0;
  const flush = (): void => {
    if (hidden > 0) page.addSafeLine(`  … ${hidden} unchanged`, 0, "dim");
    hidden = 0;
  };
  changes.forEach(({ sign, line }, index) => {
    const near = changes.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
    if (near.every((each) => each.sign === " ")) {
      hidden++;
      return;
    }
    flush();
    page.addText(line, 2, { firstLinePrefix: `${sign} `, linePrefix: `${sign} `, style: CHANGE_STYLES[sign] });
  });
  flush();
}
