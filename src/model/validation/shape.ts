// Defines shapes: descriptions of JSON values as data. `validate` and the JSON Schema are derived from them. A type
// test compares the type that is inferred from a shape with the hand-written interface.

/** The key of a property that exists only in types, not at run time. `Infer<…>` reads the described type from it. */
declare const described: unique symbol;

export interface DescribesType<T> {
  readonly [described]?: T;
}

export interface ScalarShape {
  kind: "string" | "number" | "boolean" | "json" | "integer";
  /** A regular expression that strings must match. */
  pattern?: string;
  /** The name of the pattern in error messages. */
  patternName?: string;
  minimum?: number;
}
export interface EnumShape {
  kind: "words";
  values: readonly string[];
}
interface ListShape {
  kind: "list";
  of: AnyShape;
}
interface DictionaryShape {
  kind: "dictionary";
  of: AnyShape;
}
interface EitherShape {
  kind: "either";
  of: readonly AnyShape[];
}
interface NullableShape {
  kind: "nullable";
  of: AnyShape;
}
/** A reference to a named shape, which makes recursive shapes possible. */
interface ReferenceShape {
  kind: "reference";
  name: string;
}
export interface ObjectShape {
  kind: "object";
  required: Readonly<Record<string, AnyShape>>;
  optional: Readonly<Record<string, AnyShape>>;
  /** True if fields other than `required` and `optional` are allowed. */
  open?: boolean;
  /** The optional fields of which exactly one must be present. */
  exactlyOne?: readonly string[];
}
/** Objects that are distinguished by the value of their field `on`. */
export interface UnionShape {
  kind: "union";
  on: string;
  variants: Readonly<Record<string, ObjectShape>>;
}

export type AnyShape =
  | ScalarShape
  | EnumShape
  | ListShape
  | DictionaryShape
  | EitherShape
  | NullableShape
  | ReferenceShape
  | ObjectShape
  | UnionShape;
export type Shape<T> = AnyShape & DescribesType<T>;
export type Infer<S> = S extends DescribesType<infer T> ? T : never;

type ShapeFields = Readonly<Record<string, AnyShape>>;
type InferFields<R extends ShapeFields, O extends ShapeFields> = { -readonly [K in keyof R]: Infer<R[K]> } & {
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

export function patternString(pattern: string, means: string): Shape<string> {
  return { kind: "string", pattern, patternName: means };
}

export function oneOf<const W extends readonly string[]>(...list: W): Shape<W[number]> {
  return { kind: "words", values: list };
}

/** Returns a shape that accepts any string. The type parameter documents the known values. */
export function openEnum<W extends string>(): Shape<W> {
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

export function object<R extends ShapeFields, O extends ShapeFields>(
  required: R,
  optional: O,
  rules: Pick<ObjectShape, "open" | "exactlyOne"> = {},
): ObjectShape & DescribesType<InferFields<R, O>> {
  return { kind: "object", required, optional, ...rules };
}

export function union<V extends Readonly<Record<string, ObjectShape>>>(
  on: string,
  variants: V,
): UnionShape & DescribesType<Infer<V[keyof V]>> {
  return { kind: "union", on, variants };
}
