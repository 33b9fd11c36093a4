// The result of one check of `koine doctor`, and its formatting.
import type { TextStyle, Paint } from "../show/style.ts";
import { escapeToLine } from "../show/escape-unsafe.ts";
import { padToWidth } from "../show/text-width.ts";
import { wrapText } from "../show/wrap.ts";

export interface DoctorFinding {
  /** The subject of the check: "node", "ledger", "provider openai". */
  name: string;
  /** "warn": the server can run, but the user should act. */
  state: "ok" | "warn" | "fail";
  /** One sentence, never with a key or a password. */
  message: string;
  /** The remedy. */
  hint?: string;
}

const STATE_LABELS: Readonly<Record<DoctorFinding["state"], readonly [sign: string, style: TextStyle]>> = {
  ok: ["ok", "green"],
  warn: ["warn", "yellow"],
  fail: ["FAIL", "red"],
};

export function formatFindings(findings: readonly DoctorFinding[], columns: number, paint: Paint): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const left = " ".repeat(width + 8);
  const lines = findings.flatMap(({ name, state, message, hint }) => {
    const [sign, style] = STATE_LABELS[state];
    const head = `${paint(style, padToWidth(sign, 4))}  ${padToWidth(escapeToLine(name), width)}  `;
    const room = columns - left.length;
    const messageLines = wrapText(escapeToLine(message), room).map((line, index) => (index === 0 ? head : left) + line);
    const hintLines =
      hint === undefined ? [] : wrapText(escapeToLine(hint), room).map((line) => left + paint("dim", line));
    return [...messageLines, ...hintLines];
  });
  return lines.map((line) => `${line}\n`).join("");
}

/** Returns the reason of an error as text. */
export function readErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // fetch throws a TypeError with the reason as its cause.
  const reason = error instanceof TypeError && cause instanceof Error ? cause : error;
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : undefined;
  return reason.message === "" ? (code ?? reason.name) : reason.message;
}
