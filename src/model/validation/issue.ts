// Defines issues, the result of validation: each has a path, a stable code and a message.

/** One fault that validation found in a value. */
export interface Issue {
  /** The position of the fault in the value, as a JSON pointer. */
  path: string;
  code: IssueCode;
  message: string;
}

/** The stable codes of issues. */
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

/** Shortens a text of the caller or of the wire to 60 characters, for an error message. */
export function truncateText(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
