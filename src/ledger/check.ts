// What the ledger's methods take: every argument is looked at before anything is written, and refused with its path.
import { copyObject, type JsonObject, MAX_DEPTH } from "../model/json.ts";
import { json } from "../model/shape.ts";
import type { AnyShape } from "../model/shape.ts";
import { message as messageShape } from "../model/shapes.ts";
import { isObject } from "../model/kind.ts";
import type { Message } from "../model/message.ts";
import { ROLES } from "../model/message.ts";
import { structuralIssues } from "../model/validate.ts";
import { isKnownVersion, SCHEMA_VERSION, upgradeMessage } from "../model/version.ts";
import { LedgerError } from "./errors.ts";
import { isSoundJson, isSoundMessage } from "./sound.ts";

/** Names are keys of tables: long ones would be refused by a database with words of its own. */
const LONGEST_NAME = 500;

function refuse(path: string, message: string): LedgerError {
  return new LedgerError("invalid-input", message, { path });
}

/** A name that every store can keep: not empty, not too long, without characters that a database changes or refuses. */
export function checkName(value: unknown, path: string): string {
  if (typeof value !== "string" || value === "") throw refuse(path, `"${path}" must be a string that is not empty.`);
  if (value.length > LONGEST_NAME) throw refuse(path, `"${path}" must be at most ${LONGEST_NAME} characters long.`);
  return checkText(value, path);
}

/** A text for a column of its own. Texts inside messages may hold any character. */
export function checkText(value: unknown, path: string): string {
  if (typeof value !== "string") throw refuse(path, `"${path}" must be a string.`);
  if (value.includes("\u0000") || !value.isWellFormed()) {
    throw refuse(path, `"${path}" must not hold U+0000 or half of a surrogate pair.`);
  }
  return value;
}

/** A whole number that is not negative, or not below `least`. */
export function checkCount(value: unknown, path: string, least = 0): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw refuse(path, `"${path}" must be a whole number, ${least} or more.`);
}

/** An object that JSON can hold, for the caller's own facts. */
export function checkFacts(value: unknown, path: string): Record<string, unknown> {
  if (!isObject(value)) throw refuse(path, `"${path}" must be an object.`);
  if (!isSoundJson(value)) {
    refuseIssues(value, json, `/${path}`);
    throw tooDeep(`/${path}`);
  }
  return value;
}

/** What is wrong with a value that has no issues: the reader counts its root as a level, too. */
function tooDeep(path: string): LedgerError {
  return refuse(path, `At "${path}": nested deeper than ${MAX_DEPTH} levels; flatten it.`);
}

function refuseIssues(value: unknown, shape: AnyShape, path: string): void {
  const [issue] = structuralIssues(value, shape);
  if (issue !== undefined) throw refuse(path + issue.path, `At "${path}${issue.path}": ${issue.message}`);
}

/** Messages that can be written and will be read back; ones of an older version are lifted to the current one. */
export function assertStorableMessages(messages: unknown, path = "/messages"): readonly Message[] {
  if (!Array.isArray(messages)) throw refuse(path, "The messages must be a list.");
  if (messages.length === 0) throw refuse(path, "There must be at least one message.");
  const given: readonly unknown[] = messages;
  // Most lists need no change, and are not copied.
  let lifted: Message[] | undefined;
  for (let index = 0; index < given.length; index++) {
    const message = checkMessage(given[index], `${path}/${index}`);
    if (message !== given[index]) lifted ??= given.slice(0, index) as Message[];
    lifted?.push(message);
  }
  // Each of them was checked just now.
  return lifted ?? (given as readonly Message[]);
}

function checkMessage(value: unknown, path: string): Message {
  let lifted = isObject(value) ? currentVersion(value, path) : value;
  if (!isSoundMessage(lifted)) lifted = withInputs(lifted);
  if (!isSoundMessage(lifted)) {
    refuseIssues(lifted, messageShape, path);
    // The shapes say nothing of fields and parts they do not know; those must at least be JSON.
    refuseIssues(lifted, json, path);
    throw tooDeep(path);
  }
  // It has the structure of a message, whatever the words in it.
  const message = lifted as Message;
  if (!ROLES.includes(message.role)) {
    throw refuse(`${path}/role`, `At "${path}/role": the role must be one of ${ROLES.join(", ")}.`);
  }
  return message;
}

/** The message with `{}` for calls that have no input at all: JSON has no undefined, and readers read it so (B20). */
function withInputs(value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value["parts"]) || !value["parts"].some(lacksInput)) return value;
  const parts = value["parts"].map((part) =>
    lacksInput(part) ? Object.assign(copyObject(part), { input: {} }) : part,
  );
  return Object.assign(copyObject(value), { parts });
}

function lacksInput(part: unknown): part is JsonObject {
  return isObject(part) && part["type"] === "tool-call" && part["input"] === undefined;
}

/** A message may come from another ledger, which stamped its version on it. */
function currentVersion(value: Parameters<typeof upgradeMessage>[0], path: string): object {
  const metadata = value["metadata"];
  const version = isObject(metadata) ? metadata["schemaVersion"] : undefined;
  if (version === undefined || version === SCHEMA_VERSION) return value;
  if (isKnownVersion(version)) return upgradeMessage(value);
  const place = `${path}/metadata/schemaVersion`;
  throw refuse(place, `At "${place}": this Koine writes version ${SCHEMA_VERSION} and reads whole numbers up to it.`);
}
