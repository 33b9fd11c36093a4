// Defines and formats the result of one check of `koine doctor`.
import type { TextStyle, Paint } from "../show/style.ts";
import { escapeToLine } from "../show/escape-unsafe.ts";
import { padToWidth } from "../show/text-width.ts";
import { wrapText } from "../show/wrap.ts";

export interface DoctorFinding {
  /** The subject of the check: "node", "ledger", "provider openai". */
  name: string;
  /** The result of the check; "warn" if the server can run, but the user should change something. */
  state: "ok" | "warn" | "fail";
  /** The sentence that is printed; it never contains a key or a password. */
  message: string;
  /** The action that solves the problem. */
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

/** Returns the message of an error or of its cause; the error's code or name if the message is empty. */
export function readErrorReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  // fetch throws a TypeError with the reason as its cause.
  const reason = error instanceof TypeError && cause instanceof Error ? cause : error;
  const code = "code" in reason && typeof reason.code === "string" ? reason.code : undefined;
  return reason.message === "" ? (code ?? reason.name) : reason.message;
}
