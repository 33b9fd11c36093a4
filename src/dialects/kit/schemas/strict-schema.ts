// Checks a JSON Schema against the rules of OpenAI's strict mode (B53). Only the rules in OpenAI's documentation or its
// official SDK are checked, because strict mode must not be turned off for a schema that the API accepts.
import type { JsonObject } from "../../../model/json/index.ts";
import { pointerStep } from "../../../model/json/pointer.ts";
import type { SchemaObject } from "../../../model/request.ts";
import { isObject } from "../fields/read-wire.ts";

export interface StrictFault {
  /** A JSON pointer within the schema. */
  path: string;
  fault: string;
}

const UNSUPPORTED =
  /^(allOf|oneOf|not|if|then|else|depend.+|(pattern|min|max|unevaluated)Properties|propertyNames|(prefix|unique|additional|unevaluated)Items|contains|m..Contains)$/;
const FORMATS = /^(date|time|date-time|duration|email|hostname|ipv[46]|uuid)$/;
/** The keywords that determine the type of a schema; a schema needs at least one of them. */
const TYPED = ["type", "anyOf", "$ref", "enum", "const"];
/** The keywords whose value is a list of schemas or a map of schemas by name. */
const SCHEMAS = ["properties", "anyOf", "$defs", "definitions"];

/** The maximum number of nested object schemas, `StrictSchemaPosition.nesting`, in OpenAI's documentation. */
const MAX_NESTING = 10;
/** The documented maximum number of properties of all objects together. */
const MAX_PROPERTIES = 5000;
/** The documented maximum number of enum values of all schemas together. */
const MAX_MEMBERS = 1000;
/** The documented maximum length of all property names, definition names, enum values and constants together. */
const MAX_CHARACTERS = 120_000;

interface StrictSchemaPosition {
  schema: unknown;
  path: string;
  /** The number of enclosing object schemas; 0 for a definition, wherever it is used. */
  nesting: number;
}

interface StrictInspection {
  faults: StrictFault[];
  /** The schemas to inspect. The inspection of a schema appends the schemas within it. */
  queue: StrictSchemaPosition[];
  properties: number;
  members: number;
  characters: number;
}

/**
 * Returns the reasons why strict mode would reject a schema, in linear time. A missing schema has no faults: it stands
 * for a tool without parameters.
 */
export function findStrictFaults(schema: SchemaObject | undefined): StrictFault[] {
  if (schema === undefined) return [];
  const queue: StrictSchemaPosition[] = [{ schema, path: "", nesting: 0 }];
  const inspection: StrictInspection = { faults: [], queue, properties: 0, members: 0, characters: 0 };
  const { faults } = inspection;
  if (readTypes(schema).join() !== "object" || schema["anyOf"] !== undefined) {
    faults.push({ path: "", fault: "The root must be an object." });
  }
  const inspected = new Set<unknown>();
  for (const { schema, path, nesting } of queue) {
    if (!isObject(schema)) faults.push({ path, fault: "It must be a schema object." });
    else if (!inspected.has(schema)) {
      inspected.add(schema);
      inspectStrictSchema(schema, path, nesting, inspection);
    }
  }
  const { properties, members, characters } = inspection;
  if (properties > MAX_PROPERTIES || members > MAX_MEMBERS || characters > MAX_CHARACTERS) {
    faults.push({ path: "", fault: "It is too large." });
  }
  return faults;
}

function readTypes(schema: SchemaObject): unknown[] {
  return [schema["type"]].flat().filter((name) => typeof name === "string");
}

function inspectStrictSchema(schema: JsonObject, path: string, nesting: number, inspection: StrictInspection): void {
  const addFault = (step: string, fault: string): void => void inspection.faults.push({ path: path + step, fault });
  const { format, $ref: ref, items, required, properties } = schema;
  const types = readTypes(schema);
  const isObjectSchema = types.includes("object") || properties !== undefined;
  for (const key of Object.keys(schema)) {
    if (UNSUPPORTED.test(key) && schema[key] !== undefined) addFault(pointerStep(key), "It is not supported.");
  }
  if (typeof format === "string" && types.includes("string") && !FORMATS.test(format)) {
    addFault("/format", "It is not supported.");
  }
  if (!TYPED.some((key) => schema[key] !== undefined)) addFault("", "It needs a type.");
  if (typeof ref === "string" && !ref.startsWith("#")) addFault("/$ref", "It refers to another document.");
  if (items !== undefined) inspection.queue.push({ schema: items, path: `${path}/items`, nesting });
  else if (types.includes("array")) addFault("", "An array needs items.");
  if (isObjectSchema) {
    const requiredNames = new Set(Array.isArray(required) ? required : []);
    for (const name of Object.keys(Object(properties))) {
      inspection.properties++;
      if (!requiredNames.delete(name)) addFault(`/properties${pointerStep(name)}`, "It must be required.");
    }
    if (requiredNames.size > 0) addFault("/required", "It names a property that does not exist.");
    if (schema["additionalProperties"] !== false) addFault("", "It must set additionalProperties to false.");
    if (nesting > MAX_NESTING) addFault("", "It is nested too deep.");
  }
  for (const key of SCHEMAS) {
    const nested = Object(schema[key]) as JsonObject;
    for (const name of Object.keys(nested)) {
      if (key !== "anyOf") inspection.characters += name.length;
      const innerNesting = key.includes("ef") ? 0 : nesting + (isObjectSchema ? 1 : 0);
      inspection.queue.push({
        schema: nested[name],
        path: `${path}/${key}${pointerStep(name)}`,
        nesting: innerNesting,
      });
    }
  }
  const members = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  inspection.members += members.length;
  for (const member of [...members, schema["const"]]) {
    if (typeof member === "string") inspection.characters += member.length;
  }
}
