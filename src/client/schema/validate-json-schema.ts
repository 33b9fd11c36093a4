// Validates values by a JSON Schema, with a library that generates no code and therefore runs in every environment.
import type { OutputUnit, Schema, SchemaDraft } from "@cfworker/json-schema";
import { dereference, validate } from "@cfworker/json-schema";
import type { SchemaObject } from "../../model/index.ts";
import { ClientError } from "../../calls/index.ts";
import { copySchema } from "./copy-schema.ts";
import type { SchemaIssue } from "./types.ts";

/**
 * Pairs of a text and a draft: a schema whose `$schema` contains the text is validated by that draft, any other schema
 * by 2020-12. The library has no draft 6, so draft 7 is used instead.
 */
const DRAFTS: readonly (readonly [string, SchemaDraft])[] = [
  ["draft-04", "4"],
  ["draft-06", "7"],
  ["draft-07", "7"],
  ["2019-09", "2019-09"],
];

/**
 * Keywords that contain other schemas. Their errors are omitted, because they only repeat the errors of the nested
 * schemas.
 */
const WRAPPER_KEYWORDS: ReadonlySet<string> = new Set(
  (
    "$ref $recursiveRef properties patternProperties additionalProperties unevaluatedProperties items prefixItems " +
    "additionalItems unevaluatedItems allOf if dependentSchemas"
  ).split(" "),
);

/** Pairs of a pattern and a replacement, for messages of the validation library that are hard to understand. */
const MESSAGE_REWRITES: readonly (readonly [RegExp, string])[] = [
  [/^Instance type "(\w+)" is invalid\. Expected (.+)\.$/, "Expected $2, found $1."],
  [/^Instance does not have required property (.+)\.$/, "The field $1 is missing."],
  [/^Instance does not match any of (\[.*\])\.$/s, "Expected one of $1."],
  [/^Instance does not match any subschemas\.$/, "The value matches none of the choices:"],
  [/^Instance does not match (.*)\.$/s, "Expected $1."],
  [/^False boolean schema\.$/, "The schema does not allow this field; remove it."],
];

/** The maximum number of issues. Further issues are only counted, because one invalid list may have thousands. */
const MAX_ISSUES = 50;

function detectDraft(schema: SchemaObject): SchemaDraft {
  const declared = schema["$schema"];
  const draft = typeof declared === "string" ? DRAFTS.find(([name]) => declared.includes(name)) : undefined;
  return draft?.[1] ?? "2020-12";
}

/**
 * Compiles a JSON Schema to a function that returns the violations of a value. Throws a `ClientError` for an invalid
 * schema; `path` is the position of the schema.
 */
export function compileValidator(schema: SchemaObject, path: string): (value: unknown) => SchemaIssue[] {
  const draft = detectDraft(schema);
  // The cast is safe, because the copy has only known, checked keywords.
  const copy = copySchema(schema, path, draft === "4") as Schema;
  const lookup = resolveReferences(copy, path);
  return (value) => {
    try {
      const { valid, errors } = validate(value, copy, draft, lookup, false);
      return valid ? [] : toIssues(errors);
    } catch (error) {
      return [{ path: "", message: describeFailure(error) }];
    }
  };
}

/**
 * Returns the map from URLs to schemas with which the validation library resolves references. Throws a `ClientError`
 * for a reference whose target is not inside the schema.
 */
function resolveReferences(schema: Schema, path: string): ReturnType<typeof dereference> {
  const fail = (fault: string, cause?: unknown): never => {
    throw new ClientError("configuration", `The schema is not valid JSON Schema: ${fault}`, { path, cause });
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
      fail(`"$ref": ${JSON.stringify(each.$ref)} has no target; the target must be inside the schema.`);
    }
  }
  return lookup;
}

function toIssues(errors: readonly OutputUnit[]): SchemaIssue[] {
  const issues = new Map<string, SchemaIssue>();
  for (const { keyword, instanceLocation, error } of errors) {
    if (WRAPPER_KEYWORDS.has(keyword)) continue;
    const path = decodeURI(instanceLocation.slice(1).replaceAll("%23", "#"));
    const message = MESSAGE_REWRITES.reduce(
      (text, [pattern, replacement]) => text.replace(pattern, replacement),
      error,
    );
    issues.set(`${path}\n${message}`, { path, message });
  }
  const all = [...issues.values()];
  if (all.length <= MAX_ISSUES) return all;
  return [...all.slice(0, MAX_ISSUES), { path: "", message: `And ${all.length - MAX_ISSUES} more.` }];
}

/**
 * Describes an exception of the validation library. The schema is valid, so the value is not JSON or is nested too
 * deeply.
 */
function describeFailure(error: unknown): string {
  if (error instanceof RangeError) return "The value is nested too deeply to be validated.";
  return `The value is not plain JSON: ${error instanceof Error ? error.message : String(error)}`;
}
