// The judgement of a JSON Schema, by a validator that needs no code generation and so runs everywhere.
import type { OutputUnit, Schema, SchemaDraft } from "@cfworker/json-schema";
import { dereference, validate } from "@cfworker/json-schema";
import type { SchemaObject } from "../../model/index.ts";
import { ClientError } from "../errors.ts";
import { copySchema } from "./copy.ts";
import type { SchemaIssue } from "./types.ts";

/** Which rules a schema follows, by its `$schema`; without one, today's. */
const DRAFTS: readonly (readonly [string, SchemaDraft])[] = [
  ["draft-04", "4"],
  ["draft-06", "7"],
  ["draft-07", "7"],
  ["2019-09", "2019-09"],
];

/** Keywords that only say that something within them is wrong; that follows, and says it better. */
const WRAPPERS: ReadonlySet<string> = new Set(
  (
    "$ref $recursiveRef properties patternProperties additionalProperties unevaluatedProperties items prefixItems " +
    "additionalItems unevaluatedItems allOf if dependentSchemas"
  ).split(" "),
);

/** What the validator says, in words for whoever wrote the value. The rest is clear as it is. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Instance type "(\w+)" is invalid\. Expected (.+)\.$/, "Expected $2, found $1."],
  [/^Instance does not have required property (.+)\.$/, "The field $1 is missing."],
  [/^Instance does not match any of (\[.*\])\.$/s, "Expected one of $1."],
  [/^Instance does not match any subschemas\.$/, "It fits none of the choices:"],
  [/^Instance does not match (.*)\.$/s, "Expected $1."],
  [/^False boolean schema\.$/, "The schema has no place for this; leave it out."],
];

/** More are counted, not listed: one wrong list may hold thousands. */
const MOST_ISSUES = 50;

function draftOf(schema: SchemaObject): SchemaDraft {
  const declared = schema["$schema"];
  const known = typeof declared === "string" ? DRAFTS.find(([name]) => declared.includes(name)) : undefined;
  return known?.[1] ?? "2020-12";
}

/**
 * What a JSON Schema has against values. Mistakes in the schema itself are told here, as a `ClientError`; `path` is where
 * it was given.
 */
export function jsonSchemaJudge(schema: SchemaObject, path: string): (value: unknown) => SchemaIssue[] {
  const draft = draftOf(schema);
  // A copy of plain JSON, whose keywords were checked: what the validator calls a schema.
  const copy = copySchema(schema, path, draft === "4") as Schema;
  const lookup = resolveReferences(copy, path);
  return (value) => {
    try {
      const { valid, errors } = validate(value, copy, draft, lookup, false);
      return valid ? [] : issuesOf(errors);
    } catch (error) {
      return [{ path: "", message: failureOf(error) }];
    }
  };
}

/** Everything that can be referred to, by its address. */
function resolveReferences(schema: Schema, path: string): ReturnType<typeof dereference> {
  const fail = (what: string, cause?: unknown): never => {
    throw new ClientError("configuration", `The schema is not valid JSON Schema: ${what}`, { path, cause });
  };
  let lookup: ReturnType<typeof dereference>;
  try {
    lookup = dereference(schema);
  } catch (cause) {
    return fail(cause instanceof Error ? cause.message : String(cause), cause);
  }
  for (const each of Object.values(lookup)) {
    if (typeof each === "boolean" || each.$ref === undefined) continue;
    if (lookup[each["__absolute_ref__"] ?? each.$ref] === undefined) {
      fail(`"$ref": ${JSON.stringify(each.$ref)} leads nowhere; what it refers to must be within the schema.`);
    }
  }
  return lookup;
}

function issuesOf(errors: readonly OutputUnit[]): SchemaIssue[] {
  const issues = new Map<string, SchemaIssue>();
  for (const { keyword, instanceLocation, error } of errors) {
    if (WRAPPERS.has(keyword)) continue;
    const path = decodeURI(instanceLocation.slice(1).replaceAll("%23", "#"));
    const message = WORDS.reduce((said, [theirs, ours]) => said.replace(theirs, ours), error);
    issues.set(`${path}\n${message}`, { path, message });
  }
  const all = [...issues.values()];
  if (all.length <= MOST_ISSUES) return all;
  return [...all.slice(0, MOST_ISSUES), { path: "", message: `And ${all.length - MOST_ISSUES} more.` }];
}

/** The schema was checked when it was read; what still throws is a value that is no JSON, or has no end. */
function failureOf(error: unknown): string {
  if (error instanceof RangeError) return "Value and schema are nested too deep to be compared.";
  return `The value is not plain JSON: ${error instanceof Error ? error.message : String(error)}`;
}
