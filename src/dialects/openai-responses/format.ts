// What the answer is to look like: plain text, JSON, or JSON of a schema. It stands in `text`, beside its verbosity.
import type { JsonObject } from "../../model/json.ts";
import type { OutputFormat, ModelRequest } from "../../model/request.ts";
import type { DecodeContext, EncodeContext } from "../dialect.ts";
import { FieldTable } from "../kit/fields.ts";
import { keepOthers } from "../kit/openai-reading.ts";
import { isObject } from "../kit/read.ts";
import { storeForm } from "../kit/residue.ts";
import { Terms } from "../kit/terms.ts";
import type { Code } from "./losses.ts";
import { isMet } from "./tools.ts";
import { spelled } from "./writing.ts";

const TYPES = new Terms<OutputFormat["type"], string>([
  ["text", "text"],
  ["json", "json_object"],
  ["json-schema", "json_schema"],
]);

const WORDS = new FieldTable<"description" | "strict">([
  ["description", "description", "string"],
  ["strict", "strict", "boolean"],
]);

export function decodeText(text: JsonObject, request: ModelRequest, context: DecodeContext): void {
  const { format } = text;
  const output = isObject(format) ? decodeFormat(format, request, context) : undefined;
  if (output !== undefined) request.output = output;
  // Nothing would be left of it.
  else if (Object.keys(text).length === 0) storeForm(request, context.dialect, "text", "empty");
  keepOthers(request, text, output === undefined ? [] : ["format"], context, "text");
}

function decodeFormat(format: JsonObject, request: ModelRequest, context: DecodeContext): OutputFormat | undefined {
  const { type, schema, name } = format;
  const ours = typeof type === "string" ? TYPES.ours(type) : undefined;
  const known = ["type"];
  let output: OutputFormat | undefined;
  if (ours === "json-schema") {
    if (!isObject(schema) || typeof name !== "string") return undefined;
    output = { type: ours, schema, name };
    known.push("schema", "name");
    for (const key in format) if (WORDS.decode(format, key, output)) known.push(key);
  } else if (ours !== undefined) output = { type: ours };
  else return undefined;
  keepOthers(request, format, known, context, "text", "format");
  return output;
}

/** Writes the format; what was kept beside it is put back later. */
export function encodeText(wire: JsonObject, request: ModelRequest, context: EncodeContext<Code>): void {
  const { output } = request;
  if (output !== undefined)
    wire["text"] = { format: context.pathTracker.into("output", () => encodeFormat(output, context)) };
  else if (spelled(request, context)["text"] === "empty") wire["text"] = {};
}

function encodeFormat(output: OutputFormat, context: EncodeContext<Code>): JsonObject {
  const format: JsonObject = { type: TYPES.theirs(output.type) ?? output.type };
  if (output.type !== "json-schema") return format;
  if (output.name === undefined) context.report.addLoss("field-filled", "name");
  format["name"] = output.name ?? "response";
  if (output.description !== undefined) format["description"] = output.description;
  // A schema is JSON that its caller may have written down `as const`.
  format["schema"] = output.schema as JsonObject;
  if (output.strict !== undefined) format["strict"] = output.strict && isMet(output.schema, "strict", context);
  return format;
}
