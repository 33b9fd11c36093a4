// Checks the arguments of the ledger's methods before anything is written. Throws a LedgerError with the path of the
// invalid value.
import { copyObject, type JsonObject, MAX_DEPTH } from "../model/json/index.ts";
import { json } from "../model/validation/shape.ts";
import type { AnyShape } from "../model/validation/shape.ts";
import { message as messageShape } from "../model/validation/message-shapes.ts";
import { isObject } from "../model/value-kind.ts";
import type { Message } from "../model/message.ts";
import { ROLES } from "../model/message.ts";
import { structuralIssues } from "../model/validation/validate.ts";
import { isKnownVersion, SCHEMA_VERSION, upgradeMessage } from "../model/schema-version.ts";
import { LedgerError } from "./errors.ts";
import { isStorableJson, isStorableMessage } from "./shape-predicates.ts";

/**
 * The maximum length of a name. Names are keys of tables, and databases reject very long keys with errors of their own.
 */
const MAX_NAME_LENGTH = 500;

function invalidInput(path: string, message: string): LedgerError {
  return new LedgerError("invalid-input", message, { path });
}

/**
 * Returns the value if every store can hold it as a name; otherwise throws "invalid-input". A name is not empty, has at
 * most `MAX_NAME_LENGTH` characters, and contains no character that a database changes or rejects.
 */
export function requireName(value: unknown, path: string): string {
  if (typeof value !== "string" || value === "")
    throw invalidInput(path, `"${path}" must be a string that is not empty.`);
  if (value.length > MAX_NAME_LENGTH)
    throw invalidInput(path, `"${path}" must be at most ${MAX_NAME_LENGTH} characters long.`);
  return requireText(value, path);
}

/**
 * Returns the value if it is a string that a database column can hold; otherwise throws "invalid-input". Strings inside
 * messages are not checked here: they are stored as JSON and may contain any character.
 */
export function requireText(value: unknown, path: string): string {
  if (typeof value !== "string") throw invalidInput(path, `"${path}" must be a string.`);
  if (value.includes("\u0000") || !value.isWellFormed()) {
    throw invalidInput(path, `"${path}" must not contain U+0000 or half of a surrogate pair.`);
  }
  return value;
}

/** Returns the value if it is an integer of at least `least`; otherwise throws "invalid-input". */
export function requireCount(value: unknown, path: string, least = 0): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw invalidInput(path, `"${path}" must be a whole number, ${least} or more.`);
}

/**
 * Returns the value if it is a plain object of JSON values, such as a caller's metadata; otherwise throws
 * "invalid-input".
 */
export function requireJsonObject(value: unknown, path: string): Record<string, unknown> {
  if (!isObject(value)) throw invalidInput(path, `"${path}" must be an object.`);
  if (!isStorableJson(value)) {
    assertNoIssues(value, json, `/${path}`);
    throw depthError(`/${path}`);
  }
  return value;
}

/**
 * Creates the error for a value that is nested too deeply. It is thrown if a value is not storable although
 * `structuralIssues` found no issue: that function does not count the root as a level of depth, but the JSON parser,
 * which reads the value back, does.
 */
function depthError(path: string): LedgerError {
  return invalidInput(path, `At "${path}": nested deeper than ${MAX_DEPTH} levels; flatten it.`);
}

function assertNoIssues(value: unknown, shape: AnyShape, path: string): void {
  const [issue] = structuralIssues(value, shape);
  if (issue !== undefined) throw invalidInput(path + issue.path, `At "${path}${issue.path}": ${issue.message}`);
}

/**
 * Returns the messages if they can be stored and read back unchanged; messages of an older schema version are upgraded.
 * Throws "invalid-input" otherwise.
 */
export function assertStorableMessages(messages: unknown, path = "/messages"): readonly Message[] {
  if (!Array.isArray(messages)) throw invalidInput(path, "The messages must be a list.");
  if (messages.length === 0) throw invalidInput(path, "There must be at least one message.");
  const candidates: readonly unknown[] = messages;
  // Stays undefined if no message was upgraded; the given list is then returned without a copy.
  let upgraded: Message[] | undefined;
  for (let index = 0; index < candidates.length; index++) {
    const message = requireStorableMessage(candidates[index], `${path}/${index}`);
    if (message !== candidates[index]) upgraded ??= candidates.slice(0, index) as Message[];
    upgraded?.push(message);
  }
  // The cast is safe, because every element was checked above.
  return upgraded ?? (candidates as readonly Message[]);
}

function requireStorableMessage(value: unknown, path: string): Message {
  let upgraded = isObject(value) ? upgradeToCurrentVersion(value, path) : value;
  if (!isStorableMessage(upgraded)) upgraded = fillMissingInputs(upgraded);
  if (!isStorableMessage(upgraded)) {
    assertNoIssues(upgraded, messageShape, path);
    // The message shape accepts any value in unknown fields and unknown parts, but only JSON can be stored. If all
    // these values are JSON, too, the message is nested too deeply.
    assertNoIssues(upgraded, json, path);
    throw depthError(path);
  }
  // The cast is safe, because the structure was checked above and the role is checked below.
  const message = upgraded as Message;
  if (!ROLES.includes(message.role)) {
    throw invalidInput(`${path}/role`, `At "${path}/role": the role must be one of ${ROLES.join(", ")}.`);
  }
  return message;
}

/**
 * Adds `input: {}` to tool calls without an input, because JSON cannot contain undefined and decoders read a missing
 * input as `{}` (B20).
 */
function fillMissingInputs(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value["parts"]) || !value["parts"].some(lacksInput)) return value;
  const parts = value["parts"].map((part) =>
    lacksInput(part) ? Object.assign(copyObject(part), { input: {} }) : part,
  );
  return Object.assign(copyObject(value), { parts });
}

function lacksInput(part: unknown): part is JsonObject {
  return isObject(part) && part["type"] === "tool-call" && part["input"] === undefined;
}

/**
 * Upgrades a message that was copied from a ledger with an older schema version. Throws "invalid-input" for an unknown
 * version.
 */
function upgradeToCurrentVersion(value: Parameters<typeof upgradeMessage>[0], path: string): object {
  const metadata = value["metadata"];
  const version = isObject(metadata) ? metadata["schemaVersion"] : undefined;
  if (version === undefined || version === SCHEMA_VERSION) return value;
  if (isKnownVersion(version)) return upgradeMessage(value);
  const versionPath = `${path}/metadata/schemaVersion`;
  throw invalidInput(
    versionPath,
    `At "${versionPath}": this Koine writes version ${SCHEMA_VERSION} and reads whole numbers up to it.`,
  );
}
