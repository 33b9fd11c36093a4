// Converts a JSON Schema to the nearest JSON Schema that Gemini's Schema can express.
import { setOwn } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import type { SchemaObject } from "../../../model/request.ts";
import { copyField } from "../../kit/fields/read-wire.ts";
import {
  toGeminiType,
  type GeminiSchemaType,
  typeHasKeyword,
  isValidKeywordValue,
  isValidEnumMember,
  findTypeWithKeyword,
} from "./schema-keywords.ts";
import {
  appendTo,
  reportApproximated,
  type SchemaConversion,
  CUT_OFF_DETAIL,
  MAX_NESTING,
  reportDropped,
  mergeSchemas,
  type MergedSchema,
  type SchemaNode,
  listChildNodes,
  type SchemaChange,
  spendBudget,
  readNode,
} from "./merge-schemas.ts";

/**
 * Maximum size of a converted schema, approximately in characters. It is needed because following references can
 * multiply the size.
 */
const SIZE_BUDGET = 100_000;
/** Approximate size, in characters, of a schema without its keywords. */
const SCHEMA_COST = 30;
/** The types that are written for a schema that does not restrict the type of the value. */
const ANY_VALUE_TYPES: GeminiSchemaType[] = ["STRING", "NUMBER", "BOOLEAN", "OBJECT"];

/** Returns the nearest schema, in JSON Schema spelling, and the list of changes. */
export function toNearestSchema(schema: SchemaObject): { schema: JsonObject; changes: SchemaChange[] } {
  // The cast is safe: a value that is not JSON is invalid for every keyword, so it is dropped during the conversion.
  const root = schema as JsonObject;
  const conversion: SchemaConversion = { root, changes: new Map(), budget: SIZE_BUDGET };
  const nearest = convertNodes(conversion, [{ parent: { root }, key: "root", path: "", references: [""] }], 0);
  return { schema: nearest, changes: [...conversion.changes.values()] };
}

/**
 * Converts all schemas that apply to one value into one schema. If the schema is a branch of a union, `base` is the
 * merged schema that contains the union; the keywords of `base` also apply to the branch.
 */
function convertNodes(
  conversion: SchemaConversion,
  schemaNodes: SchemaNode[],
  depth: number,
  base?: MergedSchema,
): JsonObject {
  const path = schemaNodes[0]?.path ?? "";
  const merged = mergeSchemas(conversion, schemaNodes, base);
  const { keywords, unions } = merged;
  if (conversion.budget < 0 || depth > MAX_NESTING) {
    reportApproximated(conversion, path, CUT_OFF_DETAIL);
    return { type: "object" };
  }
  // The parameters of a function must stay an object, so a root schema that has properties drops its unions.
  if (depth === 0 && keywords.has("properties")) for (const union of unions.splice(0)) reportDropped(conversion, union);
  const union = unions.shift();
  if (union !== undefined) {
    // Gemini rejects other keywords next to `anyOf`, so the other keywords are moved into each branch.
    if (keywords.size + unions.length > 0) reportApproximated(conversion, union.path);
    return { anyOf: union.branches.map((branch) => convertNodes(conversion, [branch], depth + 1, merged)) };
  }
  const types = findTypes(conversion, merged, path);
  const schemas = types.map((type) => buildTypedSchema(conversion, merged, type, types, path, depth));
  return schemas.length > 1 ? { anyOf: schemas } : (schemas[0] ?? {});
}

/**
 * Returns the types that a value may have. NULL is returned only if it is the only type; next to other types, it sets
 * `allowsNull` instead.
 */
function findTypes(conversion: SchemaConversion, merged: MergedSchema, path: string): GeminiSchemaType[] {
  const { keywords } = merged;
  const typeNode = pickFirst(conversion, keywords.get("type"));
  let types = typeNode === undefined ? [] : [readNode(typeNode)].flat().map(toGeminiType);
  if (typeNode !== undefined && types.includes(undefined)) reportDropped(conversion, typeNode);
  if (!types.some(Boolean)) types = listEnumNodes(conversion, merged).map((node) => toTypeOfValue(readNode(node)));
  const knownTypes = new Set(types.filter((type) => type !== undefined));
  if (knownTypes.size > 1 && knownTypes.delete("NULL")) merged.allowsNull = true;
  if (knownTypes.size > 0) return [...knownTypes];
  reportApproximated(conversion, `${path}/type`);
  const impliedType = [...keywords.keys()].map(findTypeWithKeyword).find(Boolean);
  return impliedType === undefined ? ANY_VALUE_TYPES : [impliedType];
}

function toTypeOfValue(value: unknown): GeminiSchemaType {
  if (Array.isArray(value)) return "ARRAY";
  return Number.isInteger(value) ? "INTEGER" : (toGeminiType(value === null ? "null" : typeof value) ?? "NULL");
}

/**
 * Returns the first of the nodes, which are the values of one keyword in the merged schemas. Reports every other node
 * as dropped, unless it has the same original keyword and the same primitive value.
 */
function pickFirst(conversion: SchemaConversion, nodes: SchemaNode[] = []): SchemaNode | undefined {
  const [node, ...others] = nodes;
  for (const other of others) {
    const value = readNode(other);
    if (typeof value === "object" || other.key !== node?.key || value !== readNode(node))
      reportDropped(conversion, other);
  }
  return node;
}

/** Returns the nodes of the members of an `enum`, or the node of a `const`. */
function listEnumNodes(conversion: SchemaConversion, { keywords }: MergedSchema): SchemaNode[] {
  const node = pickFirst(conversion, keywords.get("enum"));
  return node === undefined ? [] : node.key === "const" ? [node] : listChildNodes(node);
}

/**
 * Builds the schema for `type`, which is one of the `types` that the value may have. A keyword that does not belong to
 * `type` is reported as dropped only if it belongs to none of the `types`.
 */
function buildTypedSchema(
  conversion: SchemaConversion,
  merged: MergedSchema,
  type: GeminiSchemaType,
  types: readonly GeminiSchemaType[],
  path: string,
  depth: number,
): JsonObject {
  const { keywords } = merged;
  const nullable = merged.allowsNull && !merged.rejectsNull;
  const convertInner = (schemas: SchemaNode[]): JsonObject => convertNodes(conversion, schemas, depth + 1);
  const pickValid = (entries: SchemaNode[], isValid: (value: unknown) => boolean): JsonValue[] => {
    const validNodes = entries.filter((node) => isValid(readNode(node)) || reportDropped(conversion, node));
    // The cast is safe, because the `isValid` functions of all callers accept only strings.
    const values = validNodes.map((node) => readNode(node) as string);
    spendBudget(conversion, values);
    return values;
  };
  const properties = new Map<string, SchemaNode[]>();
  for (const node of (keywords.get("properties") ?? []).flatMap(listChildNodes)) appendTo(properties, node.key, node);
  const name = type.toLowerCase();
  conversion.budget -= SCHEMA_COST;
  const typedSchema: JsonObject = { type: nullable && type !== "NULL" ? [name, "null"] : name };
  for (const [key, all] of keywords) {
    if (key === "type") continue;
    if (!typeHasKeyword(key, type)) {
      if (!types.some((other) => typeHasKeyword(key, other))) for (const node of all) reportDropped(conversion, node);
    } else if (key === "items") typedSchema[key] = convertInner(all);
    else if (key === "properties") {
      const schemas: JsonObject = (typedSchema[key] = {});
      for (const [property, nodes] of properties) setOwn(schemas, property, convertInner(nodes));
    } else if (key === "required" || key === "propertyOrdering") {
      typedSchema[key] = [
        ...new Set(pickValid(all.flatMap(listChildNodes), (entry) => properties.has(entry as string))),
      ];
    } else if (key === "enum") {
      const belongsToOtherType = (value: unknown): boolean =>
        value === null ? nullable : toTypeOfValue(value) !== type && types.includes(toTypeOfValue(value));
      const members = listEnumNodes(conversion, merged).filter((node) => !belongsToOtherType(readNode(node)));
      // If no member has this type, no value of this type is valid. Gemini's Schema cannot express that, so the enum is
      // reported as approximated.
      if (members.length === 0) for (const node of all) reportApproximated(conversion, node.path);
      const values = pickValid(members, (value) => isValidEnumMember(value, type));
      if (values.length > 0) typedSchema[key] = nullable ? [...values, null] : values;
    } else writeKeywordValue(conversion, pickFirst(conversion, all), key, type, typedSchema);
  }
  if (type === "ARRAY")
    typedSchema["items"] ??= convertInner([{ parent: { "": true }, key: "", path: `${path}/items`, references: [] }]);
  return typedSchema;
}

function writeKeywordValue(
  conversion: SchemaConversion,
  node: SchemaNode | undefined,
  key: string,
  type: GeminiSchemaType,
  typedSchema: JsonObject,
): void {
  if (node === undefined) return;
  const value = readNode(node);
  if (!isValidKeywordValue(key, value, type)) return reportDropped(conversion, node);
  spendBudget(conversion, value);
  const isExclusive = node.key !== key;
  // For an integer, an exclusive bound is the same as the inclusive bound next to it.
  const next = key === "minimum" ? Math.floor(Number(value)) + 1 : Math.ceil(Number(value)) - 1;
  if (isExclusive && type === "INTEGER" && Number.isSafeInteger(next)) typedSchema[key] = next;
  else copyField(node.parent, node.key, typedSchema, key);
  if (isExclusive && typedSchema[key] === value) reportApproximated(conversion, node.path);
}
