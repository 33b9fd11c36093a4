// The rejection of a request by a simulated provider, and helpers that read unchecked bodies.

/** Thrown by a rule; sent as the provider's own error. */
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

/** Returns the value if it is an object, else an empty object. */
export function toObject(value: unknown): Json {
  return isJson(value) ? value : {};
}

export function toObjects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

export function toString(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the first field that is not known. */
export function findUnknownField(value: Json, known: readonly string[]): string | undefined {
  return Object.keys(value).find((field) => !known.includes(field));
}

export function findRepeated(values: readonly string[]): string | undefined {
  return values.find((value, index) => values.indexOf(value) !== index);
}
