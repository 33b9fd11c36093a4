// Blocks that the model has no word for and both of the AI SDK's shapes have: a provider's own part, and a file that came
// while a model reasoned. They are kept as prompts have them; what only messages for people have is kept as it is there.
import { dataUrl } from "../../model/data-url.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { OpaquePart } from "../../model/parts.ts";
import { isUrl } from "./ai-sdk-media.ts";
import { MODEL } from "./ai-sdk-output.ts";
import { UI } from "./ai-sdk-sources.ts";
import { isObject } from "./read.ts";

const CUSTOM: ReadonlySet<string> = new Set(["type", "kind", "providerMetadata", "providerOptions"]);
const FILE: ReadonlySet<string> = new Set(["type", "mediaType", "url", "data", "providerMetadata", "providerOptions"]);

function isOnly(wire: JsonObject, known: ReadonlySet<string>): boolean {
  return Object.keys(wire).every((key) => known.has(key) || wire[key] === undefined);
}

/** A part of a UI message as prompts have it; undefined where prompts have no such part. */
export function decodeBlock(wire: JsonObject): OpaquePart | undefined {
  const { type, kind, mediaType, url, providerMetadata } = wire;
  let value: JsonObject;
  if (type === "custom" && typeof kind === "string" && isOnly(wire, CUSTOM)) value = { type, kind };
  else if (
    type === "reasoning-file" &&
    typeof url === "string" &&
    typeof mediaType === "string" &&
    isOnly(wire, FILE)
  ) {
    if (!isUrl(url)) return undefined;
    value = { type, data: url, mediaType };
  } else return undefined;
  if (wire["providerOptions"] !== undefined || wire["data"] !== undefined) return undefined;
  if (providerMetadata !== undefined) value["providerOptions"] = providerMetadata;
  return { type: "opaque", dialect: MODEL, value };
}

/** A block as a part of a UI message; undefined where there is no such part. */
export function encodeBlock({ dialect, value }: OpaquePart): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  if (dialect === UI) return value;
  if (dialect === MODEL && value["type"] === "steering-message") return encodeSteering(value);
  if (dialect !== MODEL || value["providerMetadata"] !== undefined || value["url"] !== undefined) return undefined;
  const { type, kind, mediaType, data, providerOptions } = value;
  let wire: JsonObject;
  if (type === "custom" && typeof kind === "string" && isOnly(value, CUSTOM)) wire = { type, kind };
  else if (
    type === "reasoning-file" &&
    typeof data === "string" &&
    typeof mediaType === "string" &&
    isOnly(value, FILE)
  ) {
    wire = { type, mediaType, url: isUrl(data) ? data : dataUrl(mediaType, data) };
  } else return undefined;
  if (providerOptions !== undefined) wire["providerMetadata"] = providerOptions;
  return wire;
}

const STEERING: ReadonlySet<string> = new Set(["type", "id", "message", "stepNumber"]);

/** What a user said between two steps; files among it have no place here. */
function encodeSteering({ id, message, ...others }: JsonObject): JsonObject | undefined {
  if (!isOnly(others, STEERING) || typeof id !== "string" || !isObject(message)) return undefined;
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(parts) || !parts.every(isText)) return undefined;
  return { type: "steering-message", id, parts };
}

const TEXT: ReadonlySet<string> = new Set(["type", "text"]);

function isText(part: JsonValue): boolean {
  return isObject(part) && part["type"] === "text" && isOnly(part, TEXT);
}
