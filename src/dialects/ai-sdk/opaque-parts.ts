// Converts `custom` parts and reasoning files, which model messages and UI messages have and the canonical model does
// not. As opaque parts they have the shape of model messages; parts that only UI messages have keep their UI shape.
import { formatDataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json/index.ts";
import type { OpaquePart } from "../../model/parts.ts";
import { isUrl } from "./media-types.ts";
import { MODEL_DIALECT } from "./tool-output.ts";
import { UI_DIALECT } from "./sources.ts";
import { isObject } from "../kit/fields/read-wire.ts";

const CUSTOM_FIELDS: ReadonlySet<string> = new Set(["type", "kind", "providerMetadata", "providerOptions"]);
const FILE_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "mediaType",
  "url",
  "data",
  "providerMetadata",
  "providerOptions",
]);

function hasOnlyFields(wire: JsonObject, known: ReadonlySet<string>): boolean {
  return Object.keys(wire).every((key) => known.has(key) || wire[key] === undefined);
}

/**
 * Decodes a part of a UI message as an opaque part in the shape of model messages; undefined if model messages have no
 * such part.
 */
export function decodeOpaquePart(wire: JsonObject): OpaquePart | undefined {
  const { type, kind, mediaType, url, providerMetadata } = wire;
  let value: JsonObject;
  if (type === "custom" && typeof kind === "string" && hasOnlyFields(wire, CUSTOM_FIELDS)) value = { type, kind };
  else if (
    type === "reasoning-file" &&
    typeof url === "string" &&
    typeof mediaType === "string" &&
    hasOnlyFields(wire, FILE_FIELDS)
  ) {
    if (!isUrl(url)) return undefined;
    value = { type, data: url, mediaType };
  } else return undefined;
  if (wire["providerOptions"] !== undefined || wire["data"] !== undefined) return undefined;
  if (providerMetadata !== undefined) value["providerOptions"] = providerMetadata;
  return { type: "opaque", dialect: MODEL_DIALECT, value };
}

/** Encodes an opaque part as a part of a UI message; undefined if UI messages have no such part. */
export function encodeOpaquePart({ dialect, value }: OpaquePart): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  if (dialect === UI_DIALECT) return value;
  if (dialect === MODEL_DIALECT && value["type"] === "steering-message") return encodeSteeringMessage(value);
  if (dialect !== MODEL_DIALECT || value["providerMetadata"] !== undefined || value["url"] !== undefined)
    return undefined;
  const { type, kind, mediaType, data, providerOptions } = value;
  let wire: JsonObject;
  if (type === "custom" && typeof kind === "string" && hasOnlyFields(value, CUSTOM_FIELDS)) wire = { type, kind };
  else if (
    type === "reasoning-file" &&
    typeof data === "string" &&
    typeof mediaType === "string" &&
    hasOnlyFields(value, FILE_FIELDS)
  ) {
    wire = { type, mediaType, url: isUrl(data) ? data : formatDataUrl(mediaType, data) };
  } else return undefined;
  if (providerOptions !== undefined) wire["providerMetadata"] = providerOptions;
  return wire;
}

const STEERING_FIELDS: ReadonlySet<string> = new Set(["type", "id", "message", "stepNumber"]);

/**
 * Encodes the value of a `steering-message` event, a user's message between two steps, as a part of a UI message;
 * undefined if it has unknown fields or content other than plain text, which that part does not support.
 */
function encodeSteeringMessage({ id, message, ...others }: JsonObject): JsonObject | undefined {
  if (!hasOnlyFields(others, STEERING_FIELDS) || typeof id !== "string" || !isObject(message)) return undefined;
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(parts) || !parts.every(isPlainTextPart)) return undefined;
  return { type: "steering-message", id, parts };
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text"]);

function isPlainTextPart(part: JsonValue): boolean {
  return isObject(part) && part["type"] === "text" && hasOnlyFields(part, TEXT_FIELDS);
}
