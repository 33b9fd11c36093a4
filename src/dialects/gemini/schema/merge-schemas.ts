// Merges all schemas that apply to one value (the schema, the schema that its `$ref` points to, and those in `allOf`)
// into one set of keywords. Records the changes, and limits the size: a reference is followed at most twice on a path,
// and each converted schema has a size budget.
import type { JsonObject } from "../../../model/json/index.ts";
import { pointerStep } from "../../../model/json/pointer.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { typeHasKeyword, findTypeWithKeyword } from "./schema-keywords.ts";

/** A keyword or value of the original schema that the converted schema lacks or has in a different way. */
export interface SchemaChange {
  /** A JSON pointer in the original schema. */
  path: string;
  detail: string;
  action: "dropped" | "approximated";
}

/** A value in a schema (usually a schema) and its position: the value is `parent[key]`. */
export interface SchemaNode {
  parent: JsonObject;
  key: string;
  path: string;
  /** The JSON pointers of the references (`$ref`) that were followed to reach this node. */
  references: readonly string[];
  /**
   * True for a branch of a union that also has a null branch, and for the schemas that are merged because of that
   * branch.
   */
  hasNullSibling?: boolean | undefined;
}

export interface MergedSchema {
  /** For each keyword of Gemini's Schema, its values in all merged schemas. */
  keywords: Map<string, SchemaNode[]>;
  /** The unions (`anyOf`, `oneOf`) of all merged schemas. A value must match at least one branch of each union. */
  unions: { path: string; branches: SchemaNode[] }[];
  /** True if at least one of the merged schemas explicitly accepts null. */
  allowsNull: boolean;
  /**
   * True if at least one of the merged schemas rejects null. The converted schema then rejects null, even if
   * `allowsNull` is true.
   */
  rejectsNull: boolean;
}

export interface SchemaConversion {
  root: JsonObject;
  changes: Map<string, SchemaChange>;
  /** The size, approximately in characters, that the converted schema may still grow by. */
  budget: number;
}

/**
 * Maximum number of times that one reference is followed on a path. It limits the depth of a converted recursive
 * schema.
 */
const MAX_UNROLLED = 2;
/** Maximum nesting depth of a schema. */
export const MAX_NESTING = 100;

/** JSON Schema keywords that are converted to a keyword of a different name in Gemini's Schema. */
const KEYWORD_ALIASES: ReadonlyMap<string, string> = new Map([
  ["const", "enum"],
  ["prefixItems", "items"],
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
]);
export const CUT_OFF_DETAIL = "The schema is too large or too deep; from here on any object is accepted.";
const LIST_KEYWORDS = /^(anyOf|oneOf|allOf|enum|required|propertyOrdering|prefixItems)$/;

export function reportDropped({ changes }: SchemaConversion, { path }: { path: string }): void {
  if (!changes.has(path))
    changes.set(path, { path, detail: "Gemini's Schema does not support this; it was dropped.", action: "dropped" });
}

export function reportApproximated(
  { changes }: SchemaConversion,
  path: string,
  detail = "Replaced by the nearest form that Gemini's Schema supports.",
): void {
  if (!changes.has(path)) changes.set(path, { path, detail, action: "approximated" });
}

export function readNode({ parent, key }: SchemaNode): unknown {
  return parent[key];
}

/** Returns a node for each entry of a list or an object. */
export function listChildNodes(node: SchemaNode): SchemaNode[] {
  const { path, references } = node;
  // The cast is safe: callers pass only nodes of lists and objects, and a list is read like an object whose keys are
  // its indexes.
  const parent = readNode(node) as JsonObject;
  return Object.keys(parent).map((key) => ({ parent, key, path: path + pointerStep(key), references }));
}

export function appendTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/**
 * Merges the keywords of `schemas`, of the schemas that they refer to, and of `base`. The values of each keyword keep
 * this order, because the first value is used if values conflict.
 */
export function mergeSchemas(
  conversion: SchemaConversion,
  schemas: readonly SchemaNode[],
  base?: MergedSchema,
): MergedSchema {
  const { allowsNull, rejectsNull } = base ?? { allowsNull: false, rejectsNull: false };
  const merged: MergedSchema = { keywords: new Map(), unions: [], allowsNull, rejectsNull };
  const queue = [...schemas];
  // The queue grows during the loop, because references and `allOf` append schemas to it.
  for (const node of queue) {
    const schema = readNode(node);
    if (Array.isArray(schema)) {
      // This is a tuple. Gemini's `items` has no positions, so every item may match any of the tuple's schemas.
      reportApproximated(conversion, node.path);
      mergeUnion(conversion, merged, node, queue);
    } else if (isObject(schema)) {
      merged.rejectsNull ||= node.hasNullSibling !== true && isNonNullSchema(schema);
      for (const keyword of listChildNodes(node))
        mergeKeyword(conversion, merged, { ...keyword, hasNullSibling: node.hasNullSibling }, queue);
    } else if (schema !== true) reportDropped(conversion, node);
  }
  for (const [name, nodes] of base?.keywords ?? [])
    for (const node of nodes) addKeyword(conversion, merged, name, node);
  for (const union of base?.unions ?? []) {
    conversion.budget--;
    merged.unions.push(union);
  }
  return merged;
}

function isNonNullSchema({ type, enum: members, const: constant = null, nullable }: JsonObject): boolean {
  const isTyped = type !== undefined && nullable !== true && ![type].flat().includes("null");
  return isTyped || constant !== null || (Array.isArray(members) && !members.includes(null));
}

/** Appends nodes to a list of schemas, each with the given `hasNullSibling` flag. */
function enqueueNodes(queue: SchemaNode[], nodes: SchemaNode[], hasNullSibling: boolean | undefined): void {
  for (const node of nodes) queue.push({ ...node, hasNullSibling });
}

function mergeKeyword(
  conversion: SchemaConversion,
  merged: MergedSchema,
  keyword: SchemaNode,
  queue: SchemaNode[],
): void {
  const { key } = keyword;
  const value = readNode(keyword);
  const name = KEYWORD_ALIASES.get(key) ?? key;
  conversion.budget--;
  if (value === undefined || conversion.budget < 0) return;
  const hasValidShape = key === "properties" ? isObject(value) : !LIST_KEYWORDS.test(key) || Array.isArray(value);
  if (key === "$ref") followReference(conversion, keyword, queue);
  else if (hasValidShape && key === "allOf") enqueueNodes(queue, listChildNodes(keyword), keyword.hasNullSibling);
  else if (hasValidShape && (key === "anyOf" || key === "oneOf")) mergeUnion(conversion, merged, keyword, queue);
  else if (key === "nullable" && value === true) merged.allowsNull = true;
  else if (key === "nullable") reportDropped(conversion, keyword);
  // `typeHasKeyword(name, "NULL")` is true for the keywords that all types have; `findTypeWithKeyword` finds the
  // keywords that belong to some types only.
  else if (hasValidShape && (typeHasKeyword(name, "NULL") || findTypeWithKeyword(name) !== undefined))
    addKeyword(conversion, merged, name, keyword);
  else reportDropped(conversion, keyword);
}

function addKeyword(conversion: SchemaConversion, { keywords }: MergedSchema, name: string, keyword: SchemaNode): void {
  // This call subtracts only keyword names and property names from the budget. Values and inner schemas are subtracted
  // when they are written.
  spendBudget(conversion, name === "properties" ? Object.keys(Object(readNode(keyword))) : name);
  appendTo(keywords, name, keyword);
}

/** Subtracts the approximate size of a plain value from the budget. */
export function spendBudget(conversion: SchemaConversion, value: unknown, depth = 0): void {
  conversion.budget -= typeof value === "string" ? value.length + 1 : 1;
  if (typeof value !== "object" || value === null || conversion.budget < 0 || depth > MAX_NESTING) return;
  for (const each of Object.values(value)) spendBudget(conversion, each, depth + 1);
}

/**
 * Merges a union. A branch that accepts only null is left out and sets `allowsNull`. If one branch remains (or, if all
 * branches are null, the first), it always applies and is added to the queue; several branches stay a union.
 */
function mergeUnion(conversion: SchemaConversion, merged: MergedSchema, list: SchemaNode, queue: SchemaNode[]): void {
  const { key, path, hasNullSibling } = list;
  const branches = listChildNodes(list);
  const nonNull = branches.filter((node) => !isNullSchema(readNode(node)));
  const chosen = nonNull.length > 0 ? nonNull : branches.slice(0, 1);
  const hasNull = nonNull.length > 0 && nonNull.length < branches.length;
  const target = chosen.length < 2 ? queue : [];
  conversion.budget -= branches.length;
  merged.allowsNull ||= hasNull;
  enqueueNodes(target, chosen, hasNullSibling === true || hasNull);
  if (target !== queue) merged.unions.push({ path, branches: target });
  if (key === "oneOf" && branches.length > 1) reportApproximated(conversion, path);
}

function isNullSchema(schema: unknown): boolean {
  return isObject(schema) && schema["type"] === "null" && Object.keys(schema).length === 1;
}

/**
 * Appends to the queue the schema that a reference (`$ref`) points to, or a schema for any object if the reference was
 * already followed MAX_UNROLLED times to reach this node. Reports a reference that cannot be resolved as dropped.
 */
function followReference(conversion: SchemaConversion, node: SchemaNode, queue: SchemaNode[]): void {
  const { references } = node;
  const ref = readNode(node);
  if (typeof ref !== "string" || !/^#(\/|$)/.test(ref)) return reportDropped(conversion, node);
  const path = decodeUriText(ref.slice(1));
  let schema: unknown = conversion.root;
  for (const step of path.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    // The cast is safe, because a value with an own property can be read by key. Inherited properties are ignored.
    schema = Object.hasOwn(Object(schema), key) ? (schema as JsonObject)[key] : undefined;
  }
  if (!isObject(schema)) return reportDropped(conversion, node);
  conversion.budget -= references.length + path.length;
  const isCut = references.filter((each) => each === path).length >= MAX_UNROLLED;
  // reportApproximated keeps the first change that was recorded for a path. An earlier use of this reference may have
  // recorded one, which is deleted so that the cut is reported.
  if (isCut) conversion.changes.delete(node.path);
  reportApproximated(
    conversion,
    node.path,
    isCut ? CUT_OFF_DETAIL : "The reference was replaced by the schema that it points to.",
  );
  const parent: JsonObject = { $ref: isCut ? { type: "object" } : schema };
  queue.push({
    parent,
    key: "$ref",
    path: isCut ? node.path : path,
    references: [...references, path],
    hasNullSibling: node.hasNullSibling,
  });
}

/**
 * Decodes percent-escapes, because a JSON pointer in a URL fragment may be percent-encoded. Returns an invalid text
 * unchanged.
 */
function decodeUriText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
