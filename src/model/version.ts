// Schema versions of stored messages. Every version up to the current one is read, through a chain of pure functions;
// a newer one is refused, because what it means is not known here.
import { dataUrl, readDataUrl } from "./data-url.ts";
import { ValidationError, VersionError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { copyObject } from "./json.ts";
import { isObject } from "./kind.ts";
import type { StoredMessage } from "./message.ts";
import { storedMessage } from "./shapes.ts";
import { structuralIssues } from "./validate.ts";

/** The version that this Koine writes. */
export const SCHEMA_VERSION = 2;

/** Lifts a message by one version. Pure: the old value is not touched. */
export type Upgrade = (message: JsonObject) => JsonObject;

/** Version 1 kept inline media as a data URL; version 2 has a source of its own for it. */
function inlineDataUrl(part: JsonValue): JsonValue {
  if (!isObject(part) || part["type"] !== "file" || typeof part["url"] !== "string") return part;
  const inline = readDataUrl(part["url"]);
  // Only what can be written back the same way.
  if (
    inline === undefined ||
    inline.mimeType !== part["mimeType"] ||
    dataUrl(inline.mimeType, inline.data) !== part["url"]
  )
    return part;
  const lifted = copyObject(part);
  delete lifted["url"];
  lifted["data"] = inline.data;
  return lifted;
}

function lacksInput(part: JsonValue): part is JsonObject {
  return isObject(part) && part["type"] === "tool-call" && part["input"] === undefined;
}

/** JSON has no undefined, so a call without arguments was stored without `input`; that means none (B20). */
function withInputs(message: JsonObject): JsonObject {
  const parts = message["parts"];
  if (!Array.isArray(parts) || !parts.some(lacksInput)) return message;
  const filled = parts.map((part) => (lacksInput(part) ? Object.assign(copyObject(part), { input: {} }) : part));
  return Object.assign(copyObject(message), { parts: filled });
}

/** Upgrades by the version they start from. */
const UPGRADES: Readonly<Record<number, Upgrade>> = {
  1: (message) => {
    const parts = message["parts"];
    return Array.isArray(parts) ? Object.assign(copyObject(message), { parts: parts.map(inlineDataUrl) }) : message;
  },
};

/** Whether a version is one that is read here. */
export function isKnownVersion(version: unknown, current: number = SCHEMA_VERSION): version is number {
  return Number.isInteger(version) && Number(version) >= 1 && Number(version) <= current;
}

/** A value for an error message, whatever it is: JSON has no word for some. */
function spell(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function versionOf(message: JsonObject, current: number): number {
  const metadata = message["metadata"];
  const found = isObject(metadata) ? metadata["schemaVersion"] : undefined;
  if (found === undefined) {
    throw new VersionError(
      "version-missing",
      found,
      `A stored message needs metadata.schemaVersion; the current version is ${current}.`,
    );
  }
  if (isKnownVersion(found, current)) return found;
  if (Number.isInteger(found) && Number(found) > current) {
    throw new VersionError(
      "version-too-new",
      found,
      `This message has schema version ${spell(found)}, but this Koine reads up to ${current}; update Koine.`,
    );
  }
  throw new VersionError(
    "version-invalid",
    found,
    `metadata.schemaVersion is ${spell(found)}; it must be a whole number from 1 to ${current}.`,
  );
}

/** Lifts a message to `current`, one version at a time. */
export function upgradeThrough(
  message: JsonObject,
  upgrades: Readonly<Record<number, Upgrade>>,
  current: number,
): JsonObject {
  let lifted = message;
  for (let version = versionOf(message, current); version < current; version++) {
    lifted = copyObject(upgrades[version]?.(lifted) ?? lifted);
    // Copies, because spreads would leave exact digits behind. That metadata is an object, versionOf has seen.
    lifted["metadata"] = Object.assign(copyObject(lifted["metadata"] as JsonObject), { schemaVersion: version + 1 });
  }
  return lifted;
}

/** Lifts a message of any known version to the current one, and returns one of that version as it is. */
export function upgradeMessage(message: JsonObject): JsonObject {
  return upgradeThrough(message, UPGRADES, SCHEMA_VERSION);
}

/**
 * Reads a stored message of any version. Part types and fields that are not known here survive; a wrong structure is a
 * `ValidationError`, a version that cannot be read a `VersionError`.
 */
export function readMessage(value: unknown): StoredMessage {
  if (!isObject(value)) {
    throw new ValidationError("stored message", [{ path: "", code: "wrong-type", message: "Expected an object." }]);
  }
  const upgraded = withInputs(upgradeMessage(value));
  const issues = structuralIssues(upgraded, storedMessage);
  if (issues.length > 0) throw new ValidationError("stored message", issues);
  // The structure was checked against the shape of StoredMessage just now.
  return upgraded as unknown as StoredMessage;
}
