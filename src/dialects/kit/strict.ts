// What keeps a JSON Schema from OpenAI's strict mode (B53). A fault is only what its documentation or its own client
// refuses: a schema that the API takes must never be held back.
import type { JsonObject } from "../../model/json.ts";
import { pointerStep } from "../../model/pointer.ts";
import type { SchemaObject } from "../../model/request.ts";
import { isObject } from "./read.ts";

export interface StrictFault {
  /** A JSON pointer within the schema. */
  path: string;
  fault: string;
}

const UNSUPPORTED =
  /^(allOf|oneOf|not|if|then|else|depend.+|(pattern|min|max|unevaluated)Properties|propertyNames|(prefix|unique|additional|unevaluated)Items|contains|m..Contains)$/;
const FORMATS = /^(date|time|date-time|duration|email|hostname|ipv[46]|uuid)$/;
/** What tells the type of a schema, one way or another. */
const TYPED = ["type", "anyOf", "$ref", "enum", "const"];
/** Where schemas stand within a schema. */
const SCHEMAS = ["properties", "anyOf", "$defs", "definitions"];

/** The documented limits of a whole schema. Names, definitions and enum values count as characters. */
const MAX_NESTING = 10;
const MAX_PROPERTIES = 5000;
const MAX_MEMBERS = 1000;
const MAX_CHARACTERS = 120_000;

interface Place {
  schema: unknown;
  path: string;
  /** Objects around it; what a reference leads to counts from where it is defined. */
  nesting: number;
}

interface Inspection {
  faults: StrictFault[];
  /** Grows by the schemas that are found within those in it. */
  queue: Place[];
  properties: number;
  members: number;
  characters: number;
}

/** Why strict mode would refuse a schema, in linear time. No schema has no faults: a tool may be without parameters. */
export function strictFaults(schema: SchemaObject | undefined): StrictFault[] {
  if (schema === undefined) return [];
  const queue: Place[] = [{ schema, path: "", nesting: 0 }];
  const inspection: Inspection = { faults: [], queue, properties: 0, members: 0, characters: 0 };
  const { faults } = inspection;
  if (typesOf(schema).join() !== "object" || schema["anyOf"] !== undefined) {
    faults.push({ path: "", fault: "The root must be an object." });
  }
  const seen = new Set<unknown>();
  for (const { schema, path, nesting } of queue) {
    if (!isObject(schema)) faults.push({ path, fault: "It must be a schema object." });
    else if (!seen.has(schema)) {
      seen.add(schema);
      inspect(schema, path, nesting, inspection);
    }
  }
  const { properties, members, characters } = inspection;
  if (properties > MAX_PROPERTIES || members > MAX_MEMBERS || characters > MAX_CHARACTERS) {
    faults.push({ path: "", fault: "It is too large." });
  }
  return faults;
}

function typesOf(schema: SchemaObject): unknown[] {
  return [schema["type"]].flat().filter((name) => typeof name === "string");
}

function inspect(schema: JsonObject, path: string, nesting: number, inspection: Inspection): void {
  const fault = (step: string, text: string): void => void inspection.faults.push({ path: path + step, fault: text });
  const { format, $ref: ref, items, required, properties } = schema;
  const types = typesOf(schema);
  const isObjectSchema = types.includes("object") || properties !== undefined;
  for (const key of Object.keys(schema)) {
    if (UNSUPPORTED.test(key) && schema[key] !== undefined) fault(pointerStep(key), "It is not supported.");
  }
  if (typeof format === "string" && types.includes("string") && !FORMATS.test(format)) {
    fault("/format", "It is not supported.");
  }
  if (!TYPED.some((key) => schema[key] !== undefined)) fault("", "It needs a type.");
  if (typeof ref === "string" && !ref.startsWith("#")) fault("/$ref", "It leads out of the schema.");
  if (items !== undefined) inspection.queue.push({ schema: items, path: `${path}/items`, nesting });
  else if (types.includes("array")) fault("", "An array needs items.");
  if (isObjectSchema) {
    const names = new Set(Array.isArray(required) ? required : []);
    for (const name of Object.keys(Object(properties))) {
      inspection.properties++;
      if (!names.delete(name)) fault(`/properties${pointerStep(name)}`, "It must be required.");
    }
    if (names.size > 0) fault("/required", "It names what is no property.");
    if (schema["additionalProperties"] !== false) fault("", "It must say additionalProperties: false.");
    if (nesting > MAX_NESTING) fault("", "It is nested too deep.");
  }
  for (const key of SCHEMAS) {
    const within = Object(schema[key]) as JsonObject;
    for (const name of Object.keys(within)) {
      if (key !== "anyOf") inspection.characters += name.length;
      const around = key.includes("ef") ? 0 : nesting + (isObjectSchema ? 1 : 0);
      inspection.queue.push({ schema: within[name], path: `${path}/${key}${pointerStep(name)}`, nesting: around });
    }
  }
  const members = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  inspection.members += members.length;
  for (const member of [...members, schema["const"]]) {
    if (typeof member === "string") inspection.characters += member.length;
  }
}
