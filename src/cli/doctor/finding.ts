// What a check found, and how findings are shown.
import type { Format, Paint } from "../show/style.ts";
import { visibleLine } from "../show/visible.ts";
import { padTo } from "../show/width.ts";
import { wrap } from "../show/wrap.ts";

export interface Finding {
  /** What was looked at: "node", "ledger", "provider openai". */
  name: string;
  /** "warn": it works, but something should be done. */
  state: "ok" | "warn" | "fail";
  /** One sentence; never a key or a password. */
  message: string;
  /** What to do about it. */
  hint?: string;
}

const LOOK: Readonly<Record<Finding["state"], readonly [sign: string, style: Format]>> = {
  ok: ["ok", "green"],
  warn: ["warn", "yellow"],
  fail: ["FAIL", "red"],
};

export function showFindings(findings: readonly Finding[], columns: number, paint: Paint): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const left = " ".repeat(width + 8);
  const lines = findings.flatMap(({ name, state, message, hint }) => {
    const [sign, style] = LOOK[state];
    const head = `${paint(style, padTo(sign, 4))}  ${padTo(visibleLine(name), width)}  `;
    const room = columns - left.length;
    const said = wrap(visibleLine(message), room).map((line, index) => (index === 0 ? head : left) + line);
    const advice = hint === undefined ? [] : wrap(visibleLine(hint), room).map((line) => left + paint("dim", line));
    return [...said, ...advice];
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** What was thrown, in a sentence. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // The reason of a failed fetch is what caused it.
  const reason = error instanceof TypeError && cause instanceof Error ? cause : error;
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : undefined;
  return reason.message === "" ? (code ?? reason.name) : reason.message;
}
