// Reads and checks the bodies of requests to tasks. Unknown fields of a body are ignored, but listed in the reply.
import type { JsonObject, Message } from "../../model/index.ts";
import { isObject, describeKind } from "../../model/value-kind.ts";
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import { readJson } from "../http/json-body.ts";
import type { ServerRequest } from "../types.ts";
import type { NewTask } from "./commands.ts";
import type { QueueMode } from "./journal-entries.ts";
import { decodeInputMessage } from "./wire-message.ts";

/** The parsed body, and the names of its unknown fields. */
export interface ParsedBody<Value> {
  value: Value;
  ignored: string[];
}

export async function readNewTask(request: ServerRequest, limits: ServerLimits): Promise<ParsedBody<NewTask>> {
  const body = await readObject(request, limits);
  const { message, model, name, approval } = body;
  if (approval !== undefined && approval !== null && approval !== "ask" && approval !== "never") {
    throw createInvalidError(
      "/approval",
      'The approval must be "ask" or "never" (default: tools run without approval).',
    );
  }
  const value: NewTask = {
    model: readOptionalText(model, "/model"),
    name: readTaskName(name),
    ...(message !== undefined && message !== null && { message: decodeInputMessage(message) }),
    ...(approval === "ask" && { approval }),
  };
  return { value, ignored: listUnknownFields(body, ["message", "model", "name", "approval"]) };
}

export async function readMessageBody(
  request: ServerRequest,
  limits: ServerLimits,
): Promise<ParsedBody<{ message: Message; mode?: QueueMode }>> {
  const body = await readObject(request, limits);
  const { message, mode } = body;
  if (mode !== undefined && mode !== null && mode !== "steer" && mode !== "follow-up") {
    throw createInvalidError(
      "/mode",
      'The mode must be "steer" (default: after the current tool round) or "follow-up" (after the current answer).',
    );
  }
  const value: { message: Message; mode?: QueueMode } = { message: decodeInputMessage(message) };
  if (mode !== undefined && mode !== null) value.mode = mode;
  return { value, ignored: listUnknownFields(body, ["message", "mode"]) };
}

export interface ApprovalDecision {
  toolCallId: string;
  approve: boolean;
  reason?: string;
}

export async function readDecision(request: ServerRequest, limits: ServerLimits): Promise<ApprovalDecision> {
  const body = await readObject(request, limits);
  const { approve } = body;
  const toolCallId = readOptionalText(body["toolCallId"] ?? body["tool_call_id"], "/toolCallId");
  if (toolCallId === undefined)
    throw createInvalidError("/toolCallId", "The tool call is missing: set toolCallId to the id in PreToolCall.");
  if (typeof approve !== "boolean")
    throw createInvalidError("/approve", `Expected true or false, found ${describeKind(approve)}.`);
  const reason = readOptionalText(body["reason"], "/reason");
  return reason === undefined ? { toolCallId, approve } : { toolCallId, approve, reason };
}

async function readObject(request: ServerRequest, limits: ServerLimits): Promise<JsonObject> {
  const body = await readJson(request, limits);
  if (isObject(body)) return body;
  throw createInvalidError("", `Expected a JSON object, found ${describeKind(body)}.`);
}

function readOptionalText(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && value !== "") return value;
  throw createInvalidError(
    path,
    `Expected a non-empty text, found ${value === "" ? "an empty text" : describeKind(value)}.`,
  );
}

/** Reads the name of a task. Throws if the name contains U+0000 or a lone surrogate, which the stores do not accept. */
function readTaskName(value: unknown): string | undefined {
  const name = readOptionalText(value, "/name");
  if (name === undefined || (!name.includes("\u0000") && name.isWellFormed())) return name;
  throw createInvalidError("/name", "The name must not contain U+0000 or a lone surrogate.");
}

function listUnknownFields(body: JsonObject, known: readonly string[]): string[] {
  return Object.keys(body).filter((key) => !known.includes(key));
}

function createInvalidError(path: string, message: string): ServerError {
  return new ServerError("invalid-request", message, { path });
}
