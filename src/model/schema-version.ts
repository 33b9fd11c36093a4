// Reads stored messages of every schema version. Functions without side effects upgrade an old message one version at a
// time. A version that is newer than this release is rejected.
import { formatDataUrl, readDataUrl } from "./data-url.ts";
import { ValidationError, VersionError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json/index.ts";
import { copyObject } from "./json/index.ts";
import { isObject } from "./value-kind.ts";
import type { StoredMessage } from "./message.ts";
import { storedMessage } from "./validation/message-shapes.ts";
import { structuralIssues } from "./validation/validate.ts";

/** The schema version that this release writes. */
export const SCHEMA_VERSION = 2;

/** Upgrades a message by one version without changing the argument. */
export type Upgrade = (message: JsonObject) => JsonObject;

/**
 * Upgrades a part from version 1, which stored inline media as a data URL, to version 2, which stores the base64 in
 * `data`.
 */
function inlineDataUrl(part: JsonValue): JsonValue {
  if (!isObject(part) || part["type"] !== "file" || typeof part["url"] !== "string") return part;
  const inline = readDataUrl(part["url"]);
  // A URL is converted only if it can be restored exactly: it is a base64 data URL, its MIME type is the part's
  // `mimeType`, and formatting the MIME type and the data gives the same URL.
  if (
    inline === undefined ||
    inline.mimeType !== part["mimeType"] ||
    formatDataUrl(inline.mimeType, inline.data) !== part["url"]
  )
    return part;
  const upgraded = copyObject(part);
  delete upgraded["url"];
  upgraded["data"] = inline.data;
  return upgraded;
}

function lacksInput(part: JsonValue): part is JsonObject {
  return isObject(part) && part["type"] === "tool-call" && part["input"] === undefined;
}

/**
 * Adds `input: {}` to stored calls without an input. Such a call was stored with the input undefined, which means `{}`
 * (B20) and which JSON text omits.
 */
function withInputs(message: JsonObject): JsonObject {
  const parts = message["parts"];
  if (!Array.isArray(parts) || !parts.some(lacksInput)) return message;
  const filled = parts.map((part) => (lacksInput(part) ? Object.assign(copyObject(part), { input: {} }) : part));
  return Object.assign(copyObject(message), { parts: filled });
}

/**
 * The upgrade functions. The key is the version of the messages that the function accepts; it returns the next version.
 */
const UPGRADES: Readonly<Record<number, Upgrade>> = {
  1: (message) => {
    const parts = message["parts"];
    return Array.isArray(parts) ? Object.assign(copyObject(message), { parts: parts.map(inlineDataUrl) }) : message;
  },
};

/** True if this release can read a version. */
export function isKnownVersion(version: unknown, current: number = SCHEMA_VERSION): version is number {
  return Number.isInteger(version) && Number(version) >= 1 && Number(version) <= current;
}

/** Describes any value for an error message, including values that JSON cannot represent. */
function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function readVersion(message: JsonObject, current: number): number {
  const metadata = message["metadata"];
  const version = isObject(metadata) ? metadata["schemaVersion"] : undefined;
  if (version === undefined) {
    throw new VersionError(
      "version-missing",
      version,
      `A stored message needs metadata.schemaVersion; the current version is ${current}.`,
    );
  }
  if (isKnownVersion(version, current)) return version;
  if (Number.isInteger(version) && Number(version) > current) {
    throw new VersionError(
      "version-too-new",
      version,
      `This message has schema version ${describeValue(version)}, but this release of Koine reads versions up to ${current}; update Koine.`,
    );
  }
  throw new VersionError(
    "version-invalid",
    version,
    `metadata.schemaVersion is ${describeValue(version)}; it must be a whole number from 1 to ${current}.`,
  );
}

/** Upgrades a message from the version in its metadata to the version `current`, one version at a time. */
export function upgradeThrough(
  message: JsonObject,
  upgrades: Readonly<Record<number, Upgrade>>,
  current: number,
): JsonObject {
  let upgraded = message;
  for (let version = readVersion(message, current); version < current; version++) {
    upgraded = copyObject(upgrades[version]?.(upgraded) ?? upgraded);
    // copyObject is used, because a spread would lose the exact digits of numbers in the metadata. The cast is safe:
    // readVersion has checked that the metadata is an object.
    upgraded["metadata"] = Object.assign(copyObject(upgraded["metadata"] as JsonObject), {
      schemaVersion: version + 1,
    });
  }
  return upgraded;
}

/** Upgrades a message of any known version to the current one. */
export function upgradeMessage(message: JsonObject): JsonObject {
  return upgradeThrough(message, UPGRADES, SCHEMA_VERSION);
}

/**
 * Reads a stored message of any version. Unknown part types and fields are preserved. Throws a `ValidationError` for a
 * wrong structure and a `VersionError` for an unknown version.
 */
export function readMessage(value: unknown): StoredMessage {
  if (!isObject(value)) {
    throw new ValidationError("stored message", [{ path: "", code: "wrong-type", message: "Expected an object." }]);
  }
  const upgraded = withInputs(upgradeMessage(value));
  const issues = structuralIssues(upgraded, storedMessage);
  if (issues.length > 0) throw new ValidationError("stored message", issues);
  // The cast is safe, because the structure was checked against the shape of StoredMessage above.
  return upgraded as unknown as StoredMessage;
}
