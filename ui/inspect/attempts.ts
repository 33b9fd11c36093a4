// What the record says of an attempt, in a line.

type Fields = Readonly<Record<string, unknown>>;

export function textOfField(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** "openai, gpt-5, 1.2 s"; of one that failed, why. */
export function attemptFacts(attempt: Fields, duration: (ms: number) => string): string {
  const { durationMs, status, error } = attempt;
  return [
    textOfField(attempt, "provider"),
    textOfField(attempt, "model"),
    typeof status === "number" ? `HTTP ${status}` : "",
    typeof durationMs === "number" ? duration(durationMs) : "",
    reasonOf(error),
  ]
    .filter((each) => each !== "")
    .join(", ");
}

function reasonOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return "";
  const { kind, message } = error as Fields;
  return [kind, message].filter((each) => typeof each === "string").join(": ");
}
