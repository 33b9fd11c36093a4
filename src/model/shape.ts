// A small language for describing JSON shapes as data. From one description come the validator and the JSON Schema,
// and its inferred type is compared with the hand-written interface by a type test, so that the three cannot drift.

/** The phantom `Infer<…>` reads; it is never there at run time. */
declare const described: unique symbol;

export interface Typed<T> {
  readonly [described]?: T;
}

export interface Scalar {
  kind: "string" | "number" | "boolean" | "json" | "integer";
  /** A regular expression for strings. */
  pattern?: string;
  /** What the pattern means, for the error message. */
  means?: string;
  minimum?: number;
}
export interface Words {
  kind: "words";
  words: readonly string[];
}
interface List {
  kind: "list";
  of: AnyShape;
}
interface Dictionary {
  kind: "dictionary";
  of: AnyShape;
}
interface Either {
  kind: "either";
  of: readonly AnyShape[];
}
interface Nullable {
  kind: "nullable";
  of: AnyShape;
}
/** A shape by name, so that shapes can be recursive. */
interface Reference {
  kind: "reference";
  name: string;
}
export interface ObjectShape {
  kind: "object";
  required: Readonly<Record<string, AnyShape>>;
  optional: Readonly<Record<string, AnyShape>>;
  /** Fields beyond the named ones are welcome. */
  open?: boolean;
  /** Exactly one of these optional fields is there. */
  exactlyOne?: readonly string[];
}
/** Objects told apart by the word in their field `on`. */
export interface Union {
  kind: "union";
  on: string;
  variants: Readonly<Record<string, ObjectShape>>;
}

export type AnyShape = Scalar | Words | List | Dictionary | Either | Nullable | Reference | ObjectShape | Union;
export type Shape<T> = AnyShape & Typed<T>;
export type Infer<S> = S extends Typed<infer T> ? T : never;

type Fields = Readonly<Record<string, AnyShape>>;
type InferFields<R extends Fields, O extends Fields> = { -readonly [K in keyof R]: Infer<R[K]> } & {
  -readonly [K in keyof O]?: Infer<O[K]>;
};

export const string: Shape<string> = { kind: "string" };
export const number: Shape<number> = { kind: "number" };
export const boolean: Shape<boolean> = { kind: "boolean" };
/** Any JSON value. */
export const json: Shape<unknown> = { kind: "json" };
/** A whole number, 0 or more. */
export const count: Shape<number> = { kind: "integer", minimum: 0 };
export const integer: Shape<number> = { kind: "integer" };

export function matching(pattern: string, means: string): Shape<string> {
  return { kind: "string", pattern, means };
}

export function words<const W extends readonly string[]>(...list: W): Shape<W[number]> {
  return { kind: "words", words: list };
}

/** A string; the known words are documentation only. */
export function openWords<W extends string>(): Shape<W> {
  return { kind: "string" };
}

export function list<S extends AnyShape>(of: S): Shape<Infer<S>[]> {
  return { kind: "list", of };
}

export function dictionary<S extends AnyShape>(of: S): Shape<Record<string, Infer<S>>> {
  return { kind: "dictionary", of };
}

export function either<const S extends readonly AnyShape[]>(...of: S): Shape<Infer<S[number]>> {
  return { kind: "either", of };
}

export function nullable<S extends AnyShape>(of: S): Shape<Infer<S> | null> {
  return { kind: "nullable", of };
}

export function reference<T>(name: string): Shape<T> {
  return { kind: "reference", name };
}

export function object<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
  rules: Pick<ObjectShape, "open" | "exactlyOne"> = {},
): ObjectShape & Typed<InferFields<R, O>> {
  return { kind: "object", required, optional, ...rules };
}

export function union<V extends Readonly<Record<string, ObjectShape>>>(
  on: string,
  variants: V,
): Union & Typed<Infer<V[keyof V]>> {
  return { kind: "union", on, variants };
}
