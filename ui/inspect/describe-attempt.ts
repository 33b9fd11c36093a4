// Describes an attempt of a recorded call in one line.

type AttemptFields = Readonly<Record<string, unknown>>;

export function readTextField(fields: AttemptFields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** Returns a text such as "openai, gpt-5, 1.2 s"; for a failed attempt, the text ends with the reason. */
export function describeAttempt(attempt: AttemptFields, formatDuration: (ms: number) => string): string {
  const { durationMs, status, error } = attempt;
  return [
    readTextField(attempt, "provider"),
    readTextField(attempt, "model"),
    typeof status === "number" ? `HTTP ${status}` : "",
    typeof durationMs === "number" ? formatDuration(durationMs) : "",
    describeError(error),
  ]
    .filter((each) => each !== "")
    .join(", ");
}

function describeError(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return "";
  const { kind, message } = error as AttemptFields;
  return [kind, message].filter((each) => typeof each === "string").join(": ");
}
