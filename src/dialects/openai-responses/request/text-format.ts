// Decodes and encodes the output format (text, JSON or a JSON schema), which is in the field `text`.
import type { JsonObject } from "../../../model/json/index.ts";
import type { OutputFormat, ModelRequest } from "../../../model/request.ts";
import type { DecodeContext, EncodeContext } from "../../dialect.ts";
import { FieldTable } from "../../kit/fields/field-table.ts";
import { storeUnknownFields } from "../../openai/unknown-fields.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { storeForm } from "../../kit/residue/residue.ts";
import { ValueMap } from "../../kit/fields/value-map.ts";
import type { ResponsesLossCode } from "../losses.ts";
import { canBeStrict } from "./tools.ts";
import { readOwnForm } from "../encode-state.ts";

const FORMAT_TYPES = new ValueMap<OutputFormat["type"], string>([
  ["text", "text"],
  ["json", "json_object"],
  ["json-schema", "json_schema"],
]);

const SCHEMA_FIELDS = new FieldTable<"description" | "strict">([
  ["description", "description", "string"],
  ["strict", "strict", "boolean"],
]);

export function decodeText(text: JsonObject, request: ModelRequest, context: DecodeContext): void {
  const { format } = text;
  const output = isObject(format) ? decodeFormat(format, request, context) : undefined;
  if (output !== undefined) request.output = output;
  // An empty `text` object has no residue, so it is stored as form.
  else if (Object.keys(text).length === 0) storeForm(request, context.dialect, "text", "empty");
  storeUnknownFields(request, text, output === undefined ? [] : ["format"], context, "text");
}

function decodeFormat(format: JsonObject, request: ModelRequest, context: DecodeContext): OutputFormat | undefined {
  const { type, schema, name } = format;
  const formatType = typeof type === "string" ? FORMAT_TYPES.toModel(type) : undefined;
  const known = ["type"];
  let output: OutputFormat | undefined;
  if (formatType === "json-schema") {
    if (!isObject(schema) || typeof name !== "string") return undefined;
    output = { type: formatType, schema, name };
    known.push("schema", "name");
    for (const key in format) if (SCHEMA_FIELDS.decode(format, key, output)) known.push(key);
  } else if (formatType !== undefined) output = { type: formatType };
  else return undefined;
  storeUnknownFields(request, format, known, context, "text", "format");
  return output;
}

/** Encodes the output format into `text`. The caller restores the residue of `text` afterwards. */
export function encodeText(wire: JsonObject, request: ModelRequest, context: EncodeContext<ResponsesLossCode>): void {
  const { output } = request;
  if (output !== undefined)
    wire["text"] = { format: context.pathTracker.into("output", () => encodeFormat(output, context)) };
  else if (readOwnForm(request, context)["text"] === "empty") wire["text"] = {};
}

function encodeFormat(output: OutputFormat, context: EncodeContext<ResponsesLossCode>): JsonObject {
  const format: JsonObject = { type: FORMAT_TYPES.toWire(output.type) ?? output.type };
  if (output.type !== "json-schema") return format;
  if (output.name === undefined) context.report.addLoss("field-synthesized", "name");
  format["name"] = output.name ?? "response";
  if (output.description !== undefined) format["description"] = output.description;
  // The cast is safe, because a canonical schema is JSON; only its type can be readonly.
  format["schema"] = output.schema as JsonObject;
  if (output.strict !== undefined) format["strict"] = output.strict && canBeStrict(output.schema, "strict", context);
  return format;
}
