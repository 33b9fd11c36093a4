// From messages to model messages, one each; only system text of several parts goes out as several.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { encodeOptions, markOf } from "../kit/ai-sdk-options.ts";
import { isObject } from "../kit/read.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import { encodePart, isApprovalResponse } from "./encode-part.ts";
import type { Context } from "./losses.ts";
import { reportRest } from "./losses.ts";

export function encodeMessages(messages: readonly Message[], context: Context): JsonObject[] {
  const { pathTracker: trail } = context;
  const wires: JsonObject[] = [];
  let moved: JsonObject[] = [];
  for (let at = 0; at < messages.length; at++) {
    trail.enter(at);
    const message = messages[at];
    if (message !== undefined) {
      const encoded = encodeMessage(message, context);
      placeResponses(moved, encoded.wires[0], wires);
      for (const wire of encoded.wires) wires.push(wire);
      moved = encoded.responses;
    }
    trail.leave();
  }
  placeResponses(moved, undefined, wires);
  return wires;
}

/** Answers to requests for approval go to the head of the tool message that follows, else into one of their own. */
function placeResponses(responses: readonly JsonObject[], next: JsonObject | undefined, wires: JsonObject[]): void {
  if (responses.length === 0) return;
  if (next?.["role"] === "tool" && Array.isArray(next["content"])) next["content"] = [...responses, ...next["content"]];
  else wires.push({ role: "tool", content: [...responses] });
}

const CARRIED: ReadonlySet<string> = new Set(["role", "parts", "extra"]);

interface Encoded {
  wires: JsonObject[];
  /** Answers to requests for approval that stood where no reader looks. */
  responses: JsonObject[];
}

function encodeMessage(message: Message, context: Context): Encoded {
  const { dialect, report } = context;
  reportRest(message, CARRIED, context);
  const steering = steeringOf(message, dialect);
  if (steering !== undefined) {
    report.addLoss("role-approximated", "role");
    return { wires: [steering], responses: [] };
  }
  const form = readForm(message, dialect);
  const role = encodeRole(message, form, context);
  const isSystem = role === "system";
  const { said, options } = encodeMessageOptions(message, context);
  const [parts, responses] = encodeParts(said, context);
  const isString = form["content"] === undefined ? isSystem : form["content"] === "string";
  if (isSystem && isString && parts.length > 1) {
    report.addLoss("system-split", "role");
    const wires = parts.map((part, at) =>
      finish(role, [part], true, at === 0 ? options : undefined, message, context, at > 0),
    );
    return { wires, responses };
  }
  return { wires: [finish(role, parts, isString, options, message, context)], responses };
}

/** The options of a message, and the message without what they say of its last part: a breakpoint that stood there. */
function encodeMessageOptions(message: Message, context: Context): { said: Message; options: JsonObject | undefined } {
  const last = message.parts.at(-1);
  if (last?.cache === undefined || markOf(message, "cache") !== "message") {
    return { said: message, options: encodeOptions(message, context) };
  }
  const { cache, ...rest } = last;
  const options = encodeOptions({ ...message, cache }, context);
  return { said: { ...message, parts: [...message.parts.slice(0, -1), rest] }, options };
}

/** What a user said between two steps of a run, which only the run's stream takes for a part of an answer. */
function steeringOf({ role, parts: [only, another] }: Message, dialect: string): JsonObject | undefined {
  if (role !== "assistant" || only?.type !== "opaque" || only.dialect !== dialect || another !== undefined)
    return undefined;
  const { value } = only;
  const message = isObject(value) && value["type"] === "steering-message" ? value["message"] : undefined;
  return isObject(message) ? message : undefined;
}

/** The parts of a message, and apart from them what is to stand elsewhere. */
function encodeParts({ role, parts }: Message, context: Context): [parts: JsonObject[], responses: JsonObject[]] {
  const { pathTracker: trail, report, dialect } = context;
  const here: JsonObject[] = [];
  const responses: JsonObject[] = [];
  trail.enter("parts");
  parts.forEach((part: Part, at) => {
    trail.enter(at);
    for (const wire of encodePart(part, role, context)) {
      if (role === "assistant" && isApprovalResponse(wire) && readForm(part, dialect)["place"] !== role) {
        report.addLoss("response-moved");
        responses.push(wire);
      } else here.push(wire);
    }
    trail.leave();
  });
  trail.leave();
  return [here, responses];
}

function encodeRole({ role }: Message, form: JsonObject, { report, dialect }: Context): string {
  const unknown = form["role"];
  if (typeof unknown === "string") {
    if (role === "user") return unknown;
    report.addLoss("form-stale", ["extra", dialect, "$form", "role"]);
  }
  if (role === "developer") report.addLoss("developer-as-system", "role");
  if (role === "system" || role === "developer") return "system";
  if (role === "user" || role === "assistant" || role === "tool") return role;
  report.addLoss("role-approximated", "role");
  return "user";
}

function finish(
  role: string,
  parts: JsonObject[],
  isString: boolean,
  options: JsonObject | undefined,
  message: Message,
  context: Context,
  isFurther = false,
): JsonObject {
  const wire: JsonObject = { role, content: parts };
  const text = isString ? onlyText(parts, options) : undefined;
  if (text !== undefined) {
    wire["content"] = text.content;
    if (text.options !== undefined) wire["providerOptions"] = text.options;
  } else if (isString && parts.length === 0 && role === "system") wire["content"] = "";
  else if (isString && role !== "system")
    context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "content"]);
  if (options !== undefined) wire["providerOptions"] = options;
  if (!isFurther) restoreResidue(wire, message, context);
  return wire;
}

/** A message that is one text, with what is said of it. */
function onlyText(
  parts: readonly JsonObject[],
  options: JsonObject | undefined,
): { content: string; options?: JsonValue } | undefined {
  const [only, another] = parts;
  if (only?.["type"] !== "text" || another !== undefined || typeof only["text"] !== "string") return undefined;
  const { type: _, text: content, providerOptions, ...others } = only;
  if (Object.keys(others).length > 0 || (providerOptions !== undefined && options !== undefined)) return undefined;
  return providerOptions === undefined ? { content } : { content, options: providerOptions };
}
