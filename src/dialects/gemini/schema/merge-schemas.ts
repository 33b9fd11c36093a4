// Merges all schemas that apply to one value (the schema itself, its `$ref` and `allOf`) into one set of keywords.
// Records the changes, and bounds the size: a reference is unrolled at most twice, and a whole schema has a size
// budget.
import type { JsonObject } from "../../../model/json/index.ts";
import { pointerStep } from "../../../model/json/pointer.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { typeHasKeyword, findTypeWithKeyword } from "./schema-keywords.ts";

/** One keyword or value that the converted schema does not have unchanged. */
export interface SchemaChange {
  /** A JSON pointer in the original schema. */
  path: string;
  detail: string;
  action: "dropped" | "approximated";
}

/** A value in a schema (mostly a schema itself) with its position: `parent[key]`. */
export interface SchemaNode {
  parent: JsonObject;
  key: string;
  path: string;
  /** The references that were followed on the way to this node. */
  references: readonly string[];
  /** True for a branch of a union that also has a null branch. */
  hasNullSibling?: boolean | undefined;
}

export interface MergedSchema {
  /** Gemini's keywords, each with all its values in the merged schemas. */
  keywords: Map<string, SchemaNode[]>;
  /** Unions (`anyOf`, `oneOf`): one branch of each list must apply. */
  unions: { path: string; branches: SchemaNode[] }[];
  /** `allowsNull`: a schema accepts null. `rejectsNull`: another schema does not. */
  allowsNull: boolean;
  rejectsNull: boolean;
}

export interface SchemaConversion {
  root: JsonObject;
  changes: Map<string, SchemaChange>;
  /** Remaining size of the converted schema, approximately in characters. */
  budget: number;
}

/**
 * Maximum number of times that one reference is followed on a path; this is the depth of a converted recursive schema.
 */
const MAX_UNROLLED = 2;
/** Maximum nesting depth of a schema. */
export const MAX_NESTING = 100;

/** JSON Schema keywords that convert to another keyword of Gemini's Schema. */
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

/** Returns the nodes of a list or an object. */
export function listChildNodes(node: SchemaNode): SchemaNode[] {
  const { path, references } = node;
  // Lists are read like objects: their keys are the indexes.
  const parent = readNode(node) as JsonObject;
  return Object.keys(parent).map((key) => ({ parent, key, path: path + pointerStep(key), references }));
}

export function appendTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Merges the keywords of the schemas, of what they refer to, and of `base`, in this order of precedence. */
export function mergeSchemas(
  conversion: SchemaConversion,
  schemas: readonly SchemaNode[],
  base?: MergedSchema,
): MergedSchema {
  const { allowsNull, rejectsNull } = base ?? { allowsNull: false, rejectsNull: false };
  const merged: MergedSchema = { keywords: new Map(), unions: [], allowsNull, rejectsNull };
  const queue = [...schemas];
  // The queue grows while it is read: references and `allOf` append to it.
  for (const node of queue) {
    const schema = readNode(node);
    if (Array.isArray(schema)) {
      // A tuple: Gemini's `items` has no positions, so each of its schemas applies to every item.
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

/** Appends schemas that apply to the same value. */
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
  // NULL has only keywords that all types have.
  else if (hasValidShape && (typeHasKeyword(name, "NULL") || findTypeWithKeyword(name) !== undefined))
    addKeyword(conversion, merged, name, keyword);
  else reportDropped(conversion, keyword);
}

function addKeyword(conversion: SchemaConversion, { keywords }: MergedSchema, name: string, keyword: SchemaNode): void {
  // The budget is charged for keyword names and property names here; for values and inner schemas when they are
  // written.
  spendBudget(conversion, name === "properties" ? Object.keys(Object(readNode(keyword))) : name);
  appendTo(keywords, name, keyword);
}

/** Charges a plain value to the budget. */
export function spendBudget(conversion: SchemaConversion, value: unknown, depth = 0): void {
  conversion.budget -= typeof value === "string" ? value.length + 1 : 1;
  if (typeof value !== "object" || value === null || conversion.budget < 0 || depth > MAX_NESTING) return;
  for (const each of Object.values(value)) spendBudget(conversion, each, depth + 1);
}

/**
 * Merges a union. A single branch besides null always applies, so it joins the queue; several branches stay a union.
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

/** Appends the schema that a reference points to. */
function followReference(conversion: SchemaConversion, node: SchemaNode, queue: SchemaNode[]): void {
  const { references } = node;
  const ref = readNode(node);
  if (typeof ref !== "string" || !/^#(\/|$)/.test(ref)) return reportDropped(conversion, node);
  const path = decodeUriText(ref.slice(1));
  let schema: unknown = conversion.root;
  for (const step of path.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    // Works for lists and objects; inherited properties do not count.
    schema = Object.hasOwn(Object(schema), key) ? (schema as JsonObject)[key] : undefined;
  }
  if (!isObject(schema)) return reportDropped(conversion, node);
  conversion.budget -= references.length + path.length;
  const isCut = references.filter((each) => each === path).length >= MAX_UNROLLED;
  // Replaces the change that an earlier unrolling of this reference recorded.
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

/** Decodes percent-escapes: a pointer in a URL fragment may be escaped a second time. */
function decodeUriText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
