// How an upstream says no, and how its rules look into bodies that nobody has checked.

/** Thrown by a rule; becomes the provider's own error. */
export class Rejection extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object, message: string) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value as an object to look into; an empty one where it is none. */
export function toObject(value: unknown): Json {
  return isJson(value) ? value : {};
}

export function toObjects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

export function toString(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The first field that is not among the known ones. */
export function findUnknownField(value: Json, known: readonly string[]): string | undefined {
  return Object.keys(value).find((field) => !known.includes(field));
}

export function findRepeated(values: readonly string[]): string | undefined {
  return values.find((value, index) => values.indexOf(value) !== index);
}
