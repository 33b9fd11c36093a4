// From messages to model messages, one each; only system text of several parts goes out as several.
import type { JsonObject, JsonValue } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import { encodeOptions } from "../kit/ai-sdk-options.ts";
import { formOf, restoreResidue } from "../kit/residue.ts";
import { encodePart, isApprovalResponse } from "./encode-part.ts";
import type { Context } from "./losses.ts";
import { reportRest } from "./losses.ts";

export function encodeMessages(messages: readonly Message[], context: Context): JsonObject[] {
  const { trail } = context;
  const wires: JsonObject[] = [];
  for (let at = 0; at < messages.length; at++) {
    trail.enter(at);
    const message = messages[at];
    if (message !== undefined) for (const wire of encodeMessage(message, context)) wires.push(wire);
    trail.leave();
  }
  return wires;
}

const CARRIED: ReadonlySet<string> = new Set(["role", "parts", "extra"]);

function encodeMessage(message: Message, context: Context): JsonObject[] {
  const { dialect, report } = context;
  reportRest(message, CARRIED, context);
  const form = formOf(message, dialect);
  const role = encodeRole(message, form, context);
  const isSystem = role === "system";
  const [parts, responses] = encodeParts(message, context);
  const isString = form["content"] === undefined ? isSystem : form["content"] === "string";
  const options = encodeOptions(message, context);
  if (isSystem && isString && parts.length > 1) {
    report.lose("system-split", "role");
    return parts.map((part, at) =>
      finish(role, [part], true, at === 0 ? options : undefined, message, context, at > 0),
    );
  }
  const wires = [finish(role, parts, isString, options, message, context)];
  if (responses.length > 0) wires.push({ role: "tool", content: responses });
  return wires;
}

/** The parts of a message; apart from them, answers to requests for approval that stand where no reader looks. */
function encodeParts({ role, parts }: Message, context: Context): [parts: JsonObject[], responses: JsonObject[]] {
  const { trail, report, dialect } = context;
  const here: JsonObject[] = [];
  const responses: JsonObject[] = [];
  trail.enter("parts");
  parts.forEach((part: Part, at) => {
    trail.enter(at);
    for (const wire of encodePart(part, role, context)) {
      if (role === "assistant" && isApprovalResponse(wire) && formOf(part, dialect)["place"] !== role) {
        report.lose("response-moved");
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
    report.lose("form-stale", ["extra", dialect, "$form", "role"]);
  }
  if (role === "developer") report.lose("developer-as-system", "role");
  if (role === "system" || role === "developer") return "system";
  if (role === "user" || role === "assistant" || role === "tool") return role;
  report.lose("role-approximated", "role");
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
    context.report.lose("form-stale", ["extra", context.dialect, "$form", "content"]);
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
