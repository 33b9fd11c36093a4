// Bodies of requests to tasks, checked field by field. Fields that mean nothing here are named in the reply.
import type { JsonObject, Message } from "../../model/index.ts";
import { isObject, kindOf } from "../../model/kind.ts";
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import { readJson } from "../http/body.ts";
import type { ServerRequest } from "../types.ts";
import type { NewTask } from "./commands.ts";
import type { QueueMode } from "./entries.ts";
import { decodeInputMessage } from "./wire.ts";

/** What a body says, and the fields of it that are not known. */
export interface Read<Value> {
  value: Value;
  ignored: string[];
}

export async function readNewTask(request: ServerRequest, limits: ServerLimits): Promise<Read<NewTask>> {
  const body = await readObject(request, limits);
  const { message, model, name, approval } = body;
  if (approval !== undefined && approval !== null && approval !== "ask" && approval !== "never") {
    throw invalid("/approval", 'Say "ask", or leave it out: then tools run without being allowed.');
  }
  const value: NewTask = {
    model: textOf(model, "/model"),
    name: nameOf(name),
    ...(message !== undefined && message !== null && { message: decodeInputMessage(message) }),
    ...(approval === "ask" && { approval }),
  };
  return { value, ignored: unknownIn(body, ["message", "model", "name", "approval"]) };
}

export async function readMessageBody(
  request: ServerRequest,
  limits: ServerLimits,
): Promise<Read<{ message: Message; mode?: QueueMode }>> {
  const body = await readObject(request, limits);
  const { message, mode } = body;
  if (mode !== undefined && mode !== null && mode !== "steer" && mode !== "follow-up") {
    throw invalid("/mode", 'Say "steer" (default: after this round of tools) or "follow-up" (after this answer).');
  }
  const value: { message: Message; mode?: QueueMode } = { message: decodeInputMessage(message) };
  if (mode !== undefined && mode !== null) value.mode = mode;
  return { value, ignored: unknownIn(body, ["message", "mode"]) };
}

export interface Decision {
  toolCallId: string;
  approve: boolean;
  reason?: string;
}

export async function readDecision(request: ServerRequest, limits: ServerLimits): Promise<Decision> {
  const body = await readObject(request, limits);
  const { approve } = body;
  const toolCallId = textOf(body["toolCallId"] ?? body["tool_call_id"], "/toolCallId");
  if (toolCallId === undefined) throw invalid("/toolCallId", "Which call? Name it as PreToolCall did.");
  if (typeof approve !== "boolean") throw invalid("/approve", `Expected true or false, found ${kindOf(approve)}.`);
  const reason = textOf(body["reason"], "/reason");
  return reason === undefined ? { toolCallId, approve } : { toolCallId, approve, reason };
}

async function readObject(request: ServerRequest, limits: ServerLimits): Promise<JsonObject> {
  const body = await readJson(request, limits);
  if (isObject(body)) return body;
  throw invalid("", `Expected a JSON object, found ${kindOf(body)}.`);
}

function textOf(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && value !== "") return value;
  throw invalid(path, `Expected a text that is not empty, found ${value === "" ? "an empty one" : kindOf(value)}.`);
}

/** It stands in a column of its own, which not every text fits into. */
function nameOf(value: unknown): string | undefined {
  const name = textOf(value, "/name");
  if (name === undefined || (!name.includes("\u0000") && name.isWellFormed())) return name;
  throw invalid("/name", "A name must not hold U+0000 or half of a surrogate pair.");
}

function unknownIn(body: JsonObject, known: readonly string[]): string[] {
  return Object.keys(body).filter((key) => !known.includes(key));
}

function invalid(path: string, message: string): ServerError {
  return new ServerError("invalid-request", message, { path });
}
