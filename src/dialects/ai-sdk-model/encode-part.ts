// Encodes one part of a model message. Reasoning may become several wire parts. An unsupported part is dropped with a
// loss.
import type { JsonObject } from "../../model/json/index.ts";
import type { Role } from "../../model/message.ts";
import { isMediaPart } from "../../model/media-part.ts";
import type {
  OpaquePart,
  Part,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import { encodeFile } from "../ai-sdk/files.ts";
import { reportSharedForm, reportSharedResidue } from "../ai-sdk/provider-options.ts";
import { addOptionsAndResidue, toList } from "../ai-sdk/wire-parts.ts";
import { encodeToolOutput } from "../ai-sdk/tool-output.ts";
import { splitReasoning } from "../ai-sdk/reasoning.ts";
import { reportToolFields, encodeCallId, encodeInput } from "../ai-sdk/tool-calls.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm } from "../kit/residue/residue.ts";
import type { ModelMessageEncodeContext } from "./losses.ts";
import { reportUnsupportedModelFields } from "./losses.ts";
import type { ModelReasoning, ModelText } from "./types.ts";

export function encodePart(part: Part, role: Role, context: ModelMessageEncodeContext): JsonObject[] {
  if (isMediaPart(part)) return toList(encodeFile(part, context));
  switch (part.type) {
    case "text":
    case "refusal":
      return [encodeText(part, context)];
    case "reasoning":
      return encodeReasoning(part, context);
    case "tool-call":
      return toList(encodeToolCall(part, context));
    case "tool-result":
      return toList(encodeToolResult(part, role, context));
    case "opaque":
      return toList(encodeOpaque(part, context));
    default:
      // Only part types that a later version of the canonical model adds reach this branch.
      context.report.addLoss("part-unsupported");
      return [];
  }
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(["type", "text", "extra", "cache", "seals"]);
const REASONING_FIELDS: ReadonlySet<string> = new Set([...TEXT_FIELDS, "summary"]);

function encodeText(part: TextPart | RefusalPart, context: ModelMessageEncodeContext): JsonObject {
  if (part.type === "refusal") context.report.addLoss("refusal-as-text");
  reportUnsupportedModelFields(part, TEXT_FIELDS, context);
  return addOptionsAndResidue({ type: "text", text: part.text } satisfies ModelText, part, "providerOptions", context);
}

function encodeReasoning(part: ReasoningPart, context: ModelMessageEncodeContext): JsonObject[] {
  reportUnsupportedModelFields(part, REASONING_FIELDS, context);
  return splitReasoning(part, context).map((piece) =>
    addOptionsAndResidue(
      { type: "reasoning", text: piece.text } satisfies ModelReasoning,
      piece,
      "providerOptions",
      context,
    ),
  );
}

const CALL_FIELDS: ReadonlySet<string> = new Set(
  "type toolCallId toolName input inputText executor format tool extra cache seals".split(" "),
);
const RESULT_FIELDS: ReadonlySet<string> = new Set(
  "type toolCallId toolName isError output content executor format tool extra cache seals".split(" "),
);

/**
 * True, with a loss, for a call or result of a provider's own tool. It is not sent, because no other provider can
 * continue from it (B33).
 */
function isProviderSpecific(
  { executor, tool }: ToolCallPart | ToolResultPart,
  { report }: ModelMessageEncodeContext,
): boolean {
  const isProviderTool = executor === "provider" && tool !== undefined;
  if (isProviderTool) report.addLoss("provider-tool-unsupported");
  return isProviderTool;
}

function encodeToolCall(part: ToolCallPart, context: ModelMessageEncodeContext): JsonObject | undefined {
  if (isProviderSpecific(part, context)) return undefined;
  reportUnsupportedModelFields(part, CALL_FIELDS, context);
  reportToolFields(part, context);
  reportSharedForm(part, "tool", context);
  const wire: JsonObject = { type: "tool-call" };
  encodeCallId(part, wire, context);
  wire["toolName"] = part.toolName;
  encodeInput(part, wire, readForm(part, context.dialect)["input"] === "args" ? "args" : "input", context);
  if (part.executor === "provider") wire["providerExecuted"] = true;
  return addOptionsAndResidue(wire, part, "providerOptions", context);
}

function encodeToolResult(
  part: ToolResultPart,
  role: Role,
  context: ModelMessageEncodeContext,
): JsonObject | undefined {
  if (isProviderSpecific(part, context)) return undefined;
  const { dialect, report } = context;
  reportUnsupportedModelFields(part, RESULT_FIELDS, context);
  reportToolFields(part, context);
  // Model messages imply who ran the tool by the role of the message: the provider for an assistant message, the client
  // for a tool message. Any other executor is lost.
  if ((part.executor === "provider") !== (role === "assistant"))
    report.addLoss("result-executor-approximated", "executor");
  const form = readForm(part, dialect);
  const wire: JsonObject = { type: "tool-result" };
  encodeCallId(part, wire, context);
  wire["toolName"] = typeof form["toolName"] === "string" ? form["toolName"] : part.toolName;
  if (form["output"] === "result" && part.content === undefined && part.output !== undefined) {
    copyField(part, "output", wire, "result");
    if (form["isError"] === true) wire["isError"] = part.isError;
    else if (part.isError) report.addLoss("error-flag-unsupported", "isError");
  } else wire["output"] = encodeToolOutput(part, context);
  return addOptionsAndResidue(wire, part, "providerOptions", context, "output");
}

/**
 * The fields of an opaque part that are not reported as unsupported. The value becomes the wire part unchanged, so no
 * other field can be written.
 */
const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "value", "extra"]);

function encodeOpaque(part: OpaquePart, context: ModelMessageEncodeContext): JsonObject | undefined {
  const { value } = part;
  if (part.dialect !== context.dialect || !isObject(value)) {
    context.report.addLoss(part.dialect === context.dialect ? "part-unsupported" : "opaque-not-portable");
    return undefined;
  }
  reportUnsupportedModelFields(part, OPAQUE_FIELDS, context);
  reportSharedResidue(part, context);
  for (const key of Object.keys(part.extra?.[part.dialect] ?? {})) {
    if (key !== "$form") context.report.addLoss("residue-conflict", ["extra", part.dialect, key]);
  }
  return value;
}

/** True if a wire part is the user's response to an approval request. */
export function isApprovalResponse(wire: JsonObject): boolean {
  return wire["type"] === "tool-approval-response";
}
