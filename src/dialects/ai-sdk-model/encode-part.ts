// One part of a model message. Reasoning may go out as several; what cannot be said goes out as none, and is reported.
import type { JsonObject } from "../../model/json.ts";
import type { Role } from "../../model/message.ts";
import type {
  OpaquePart,
  Part,
  PartBase,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../../model/parts.ts";
import { encodeFile } from "../kit/ai-sdk-files.ts";
import { encodeOptions, reportMark, reportShared } from "../kit/ai-sdk-options.ts";
import { encodeOutput } from "../kit/ai-sdk-output.ts";
import { splitReasoning } from "../kit/ai-sdk-reasoning.ts";
import { reportTool, writeCallId, writeInput } from "../kit/ai-sdk-tools.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import type { Context } from "./losses.ts";
import { reportRest } from "./losses.ts";
import type { ModelReasoning, ModelText } from "./types.ts";

export function encodePart(part: Part, role: Role, context: Context): JsonObject[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [encodeText(part, context)];
    case "reasoning":
      return encodeReasoning(part, context);
    case "image":
    case "audio":
    case "video":
    case "file":
      return listOf(encodeFile(part, context));
    case "tool-call":
      return listOf(encodeCall(part, context));
    case "tool-result":
      return listOf(encodeResult(part, role, context));
    case "opaque":
      return listOf(encodeOpaque(part, context));
    default:
      // Messages from outside may hold parts that the types do not know.
      context.report.addLoss("part-unsayable");
      return [];
  }
}

function listOf(wire: JsonObject | undefined): JsonObject[] {
  return wire === undefined ? [] : [wire];
}

/** Puts beside a part what it says to single providers, and what was kept of it. */
function finish(wire: JsonObject, part: PartBase, context: Context, ...inner: string[]): JsonObject {
  const options = encodeOptions(part, context);
  if (options !== undefined) wire["providerOptions"] = options;
  restoreResidue(wire, part, context, ...inner);
  return wire;
}

const TEXT: ReadonlySet<string> = new Set(["type", "text", "extra", "cache", "seals"]);
const REASONING: ReadonlySet<string> = new Set([...TEXT, "summary"]);

function encodeText(part: TextPart | RefusalPart, context: Context): JsonObject {
  if (part.type === "refusal") context.report.addLoss("refusal-as-text");
  reportRest(part, TEXT, context);
  return finish({ type: "text", text: part.text } satisfies ModelText, part, context);
}

function encodeReasoning(part: ReasoningPart, context: Context): JsonObject[] {
  reportRest(part, REASONING, context);
  return splitReasoning(part, context).map((piece) =>
    finish({ type: "reasoning", text: piece.text } satisfies ModelReasoning, piece, context),
  );
}

const CALL: ReadonlySet<string> = new Set(
  "type toolCallId toolName input inputText executor format tool extra cache seals".split(" "),
);
const RESULT: ReadonlySet<string> = new Set(
  "type toolCallId toolName isError output content executor format tool extra cache seals".split(" "),
);

/** What a provider ran under a name of its own is that provider's: nobody else can go on from it (B33). */
function isForeign({ executor, tool }: ToolCallPart | ToolResultPart, { report }: Context): boolean {
  const isForeign = executor === "provider" && tool !== undefined;
  if (isForeign) report.addLoss("provider-tool");
  return isForeign;
}

function encodeCall(part: ToolCallPart, context: Context): JsonObject | undefined {
  if (isForeign(part, context)) return undefined;
  reportRest(part, CALL, context);
  reportTool(part, context);
  reportMark(part, "tool", context);
  const wire: JsonObject = { type: "tool-call" };
  writeCallId(part, wire, context);
  wire["toolName"] = part.toolName;
  writeInput(part, wire, readForm(part, context.dialect)["input"] === "args" ? "args" : "input", context);
  if (part.executor === "provider") wire["providerExecuted"] = true;
  return finish(wire, part, context);
}

function encodeResult(part: ToolResultPart, role: Role, context: Context): JsonObject | undefined {
  if (isForeign(part, context)) return undefined;
  const { dialect, report } = context;
  reportRest(part, RESULT, context);
  reportTool(part, context);
  // Where a result stands says who ran the tool.
  if ((part.executor === "provider") !== (role === "assistant")) report.addLoss("result-executor", "executor");
  const form = readForm(part, dialect);
  const wire: JsonObject = { type: "tool-result" };
  writeCallId(part, wire, context);
  wire["toolName"] = typeof form["toolName"] === "string" ? form["toolName"] : part.toolName;
  if (form["output"] === "result" && part.content === undefined && part.output !== undefined) {
    copyField(part, "output", wire, "result");
    if (form["isError"] === true) wire["isError"] = part.isError;
    else if (part.isError) report.addLoss("error-unsaid", "isError");
  } else wire["output"] = encodeOutput(part, context);
  return finish(wire, part, context, "output");
}

/** A block as it came has room for nothing beside itself. */
const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "value", "extra"]);

function encodeOpaque(part: OpaquePart, context: Context): JsonObject | undefined {
  const { value } = part;
  if (part.dialect !== context.dialect || !isObject(value)) {
    context.report.addLoss(part.dialect === context.dialect ? "part-unsayable" : "opaque-foreign");
    return undefined;
  }
  reportRest(part, OPAQUE, context);
  reportShared(part, context);
  for (const key of Object.keys(part.extra?.[part.dialect] ?? {})) {
    if (key !== "$form") context.report.addLoss("residue-clash", ["extra", part.dialect, key]);
  }
  return value;
}

export function isApprovalResponse(wire: JsonObject): boolean {
  return wire["type"] === "tool-approval-response";
}
