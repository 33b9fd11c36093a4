// What a validator says: where, a stable code, and a sentence.

/** One thing that is wrong with a value. */
export interface Issue {
  /** A JSON pointer. */
  path: string;
  /** Stable: see `IssueCode`. */
  code: IssueCode;
  message: string;
}

export type IssueCode =
  | "wrong-type"
  | "missing-field"
  | "unknown-field"
  | "unknown-part-type"
  | "unknown-word"
  | "wrong-format"
  | "one-source"
  | "not-json"
  | "too-deep"
  | "role-part"
  | "empty-id"
  | "duplicate-call"
  | "duplicate-result"
  | "orphan-result";

/** A foreign word in a sentence: never longer than a person reads. */
export function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
