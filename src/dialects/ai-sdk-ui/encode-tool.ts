// Encodes tool parts of UI messages from calls, approvals and results, which can be in different canonical messages.
import type { JsonObject } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import type { OpaquePart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { encodeProviderOptions, readSharedForm } from "../ai-sdk/provider-options.ts";
import { DEFAULT_DENIAL, encodeOutputContent, MODEL_DIALECT } from "../ai-sdk/tool-output.ts";
import { reportToolFields, withoutFormat, encodeCallId, encodeInput } from "../ai-sdk/tool-calls.ts";
import { readText } from "../ai-sdk/to-json.ts";
import { copyField, isObject } from "../kit/fields/read-wire.ts";
import { readForm, restoreResidue } from "../kit/residue/residue.ts";
import { formatToolOutput } from "../kit/tools/tool-output-text.ts";
import { readDenialReason, REQUEST_FIELDS, RESPONSE_FIELDS, toCallState } from "./decode-tool.ts";
import type { UiEncodeContext } from "./losses.ts";
import { reportUnsupportedUiFields } from "./losses.ts";

/** A tool part that is being encoded, with the canonical parts that it has so far. */
interface ToolPartEntry {
  wire: JsonObject;
  call: ToolCallPart;
  /** The index of the call among all calls of the history. */
  order: number;
  /** The value of `#round` at the call: the number of tool messages before it. */
  round: number;
  /** The approval request; undefined if there is none. */
  request?: Part;
  /** The approval response; undefined if there is none. */
  response?: Part;
  isAnswered?: boolean;
}

const CALL_FIELDS: ReadonlySet<string> = new Set(
  "type toolCallId toolName input inputText invalid executor format tool extra cache seals".split(" "),
);
const RESULT_FIELDS: ReadonlySet<string> = new Set(
  "type toolCallId toolName isError output content executor format tool extra cache seals".split(" "),
);

/** Returns the value of an approval request or response; undefined for all other parts. */
function readApproval(part: Part): JsonObject | undefined {
  if (part.type !== "opaque" || part.dialect !== MODEL_DIALECT || !isObject(part.value)) return undefined;
  const { type, approvalId } = part.value;
  const isApproval = type === "tool-approval-request" || type === "tool-approval-response";
  return isApproval && typeof approvalId === "string" ? part.value : undefined;
}

export class ToolPartEncoder {
  readonly #context: UiEncodeContext;
  readonly #entriesByCallId = new Map<string, ToolPartEntry>();
  /**
   * Tool parts by approval id. If several requests have the same id, a response belongs to the first request without a
   * response.
   */
  readonly #entriesByApprovalId = new Map<string, ToolPartEntry[]>();
  #callCount = 0;
  /**
   * The number of tool messages that have ended. The result of a call is expected in the first tool message after the
   * call, that is, while this number is the same as at the call.
   */
  #round = 0;
  /**
   * The index (`order`) of the call whose result or approval was added last in the current tool message; −1 if none was
   * added.
   */
  #lastOrder = -1;
  #latestEntry: ToolPartEntry | undefined;

  /** Ids of the calls that have a result anywhere in the history. */
  readonly #answeredIds: ReadonlySet<string>;

  constructor(context: UiEncodeContext, messages: readonly Message[]) {
    this.#context = context;
    const results = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result"));
    this.#answeredIds = new Set(results.map(({ toolCallId }) => toolCallId));
  }

  /** True if a part is encoded within a tool part: a call, a result or an approval. */
  accepts(part: Part): boolean {
    return part.type === "tool-call" || part.type === "tool-result" || readApproval(part) !== undefined;
  }

  /** Ends a tool message, so that the next calls and results belong to the next round. */
  endRound(): void {
    this.#round++;
    this.#lastOrder = -1;
  }

  /**
   * Adds a call, result or approval; `isInRound` is true if it is in a tool message. Returns a new wire part for a
   * call, or for a result without a call; undefined if an existing wire part was extended or the added part was
   * dropped.
   */
  add(part: Part, isInRound: boolean): JsonObject | undefined {
    if (part.type === "tool-call") return this.#addCall(part);
    if (part.type === "tool-result") return this.#addResult(part, isInRound);
    // The cast is safe, because `accepts` allows no other type.
    return this.#addApproval(part as OpaquePart, isInRound);
  }

  #addCall(call: ToolCallPart): JsonObject {
    const context = this.#context;
    reportUnsupportedUiFields(call, CALL_FIELDS, context);
    // UI messages have the field `inputEncoding`, which marks text input, only while the input is streaming.
    const isStreaming =
      call.invalid === true && call.inputText !== undefined && !this.#answeredIds.has(call.toolCallId);
    const hasTextEncoding = isStreaming && call.format === "text";
    reportToolFields(hasTextEncoding ? withoutFormat(call) : call, context);
    const form = readForm(call, context.dialect);
    const displayFields = readSharedForm(call, "tool");
    const { dynamic, ...others } = isObject(displayFields) ? displayFields : {};
    const wire: JsonObject =
      dynamic === true ? { type: "dynamic-tool", toolName: call.toolName } : { type: `tool-${call.toolName}` };
    encodeCallId(call, wire, context);
    for (const field of Object.keys(others)) copyField(others, field, wire);
    wire["state"] = typeof form["state"] === "string" ? form["state"] : toCallState(call, undefined);
    // UI messages mark an invalid call only by its streaming state. A result replaces that state, so the mark is lost.
    if (call.invalid === true && this.#answeredIds.has(call.toolCallId))
      context.report.addLoss("invalid-call-unsupported", "invalid");
    if (call.invalid === false) context.report.addLoss("metadata-dropped", "invalid");
    if (call.invalid === true) this.#encodeRawInput(call, wire);
    else encodeInput(call, wire, "input", context);
    if (hasTextEncoding) wire["inputEncoding"] = "text";
    if (call.executor === "provider") wire["providerExecuted"] = true;
    const metadata = encodeProviderOptions(call, context);
    if (metadata !== undefined) wire["callProviderMetadata"] = metadata;
    restoreResidue(wire, call, context, "approval");
    const entry: ToolPartEntry = { wire, call, order: this.#callCount++, round: this.#round };
    this.#entriesByCallId.set(call.toolCallId, entry);
    this.#latestEntry = entry;
    return wire;
  }

  /**
   * Writes the input of an invalid call, which must not be executed: its text, and the parsed value if the call has
   * one.
   */
  #encodeRawInput(call: ToolCallPart, wire: JsonObject): void {
    const { input, inputText } = call;
    const isBoth = readForm(call, this.#context.dialect)["input"] === "both";
    if (inputText === undefined || input !== inputText || isBoth) encodeInput(call, wire, "input", this.#context);
    if (inputText !== undefined) wire["rawInput"] = inputText;
  }

  /**
   * Reports a result or approval that a decoder would move. If `belongsInRound` is true, a decoder puts it into the
   * tool message after its call, in the order of the calls; otherwise directly after its call.
   */
  #reportPosition(entry: ToolPartEntry, isInRound: boolean, belongsInRound: boolean): void {
    const isPlain = belongsInRound
      ? isInRound && entry.round === this.#round && entry.order >= this.#lastOrder
      : !isInRound && entry === this.#latestEntry;
    if (!isPlain) this.#context.report.addLoss("result-merged-into-call");
    if (isInRound) this.#lastOrder = entry.order;
  }

  #findApprovalEntry(approvalId: string): ToolPartEntry | undefined {
    const entries = this.#entriesByApprovalId.get(approvalId) ?? [];
    return entries.find(({ response }) => response === undefined) ?? entries.at(-1);
  }

  #addApproval(part: OpaquePart, isInRound: boolean): JsonObject | undefined {
    const context = this.#context;
    const value = readApproval(part) ?? {};
    const isRequest = value["type"] === "tool-approval-request";
    const id = readText(value, "approvalId");
    const entry = isRequest ? this.#entriesByCallId.get(readText(value, "toolCallId")) : this.#findApprovalEntry(id);
    if (entry === undefined || (isRequest ? entry.request : entry.response) !== undefined) {
      context.report.addLoss("part-unsupported");
      return undefined;
    }
    this.#reportPosition(entry, isInRound, !isRequest);
    reportUnsupportedUiFields(part, OPAQUE_FIELDS, context);
    const approval: JsonObject = isObject(entry.wire["approval"]) ? { ...entry.wire["approval"] } : {};
    const encodedKeys = new Set(["type", "approvalId", isRequest ? "toolCallId" : "providerExecuted"]);
    for (const [field, name] of isRequest ? REQUEST_FIELDS : RESPONSE_FIELDS) {
      if (value[name] !== undefined) copyField(value, name, approval, field);
      encodedKeys.add(name);
    }
    if (!isRequest && (value["providerExecuted"] === true) !== (entry.call.executor === "provider")) {
      context.report.addLoss("result-executor-approximated", ["value", "providerExecuted"]);
    }
    for (const key of Object.keys(value))
      if (!encodedKeys.has(key)) context.report.addLoss("field-unsupported", ["value", key]);
    entry.wire["approval"] = approval;
    if (isRequest) {
      entry.request = part;
      this.#entriesByApprovalId.set(id, [...(this.#entriesByApprovalId.get(id) ?? []), entry]);
    } else entry.response = part;
    const form = readForm(entry.call, context.dialect)["state"];
    if (entry.isAnswered !== true)
      entry.wire["state"] = typeof form === "string" ? form : toCallState(entry.call, entry);
    return undefined;
  }

  #addResult(part: ToolResultPart, isInRound: boolean): JsonObject | undefined {
    const context = this.#context;
    const { report } = context;
    let entry = this.#entriesByCallId.get(part.toolCallId);
    if (entry?.isAnswered === true) {
      report.addLoss("result-duplicate");
      return undefined;
    }
    let synthesizedWire: JsonObject | undefined;
    if (entry === undefined) {
      report.addLoss("call-synthesized");
      const { toolCallId, toolName, executor } = part;
      const call: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: {} };
      if (executor === "provider") call.executor = executor;
      synthesizedWire = this.#addCall(call);
      entry = this.#entriesByCallId.get(toolCallId);
    } else {
      this.#reportPosition(entry, isInRound, entry.call.executor !== "provider");
      if (part.toolName !== entry.call.toolName) report.addLoss("result-tool-name-dropped", "toolName");
      if ((part.executor === "provider") !== (entry.call.executor === "provider"))
        report.addLoss("result-executor-approximated", "executor");
    }
    if (entry !== undefined) this.#addOutput(entry, part);
    return synthesizedWire;
  }

  #addOutput(entry: ToolPartEntry, part: ToolResultPart): void {
    const context = this.#context;
    reportUnsupportedUiFields(part, RESULT_FIELDS, context);
    reportToolFields(part, context);
    const { wire } = entry;
    entry.isAnswered = true;
    const state = readForm(part, context.dialect)["state"];
    const isDenied =
      state === "output-denied" && part.isError && part.output === (readDenialReason(entry.response) ?? DEFAULT_DENIAL);
    if (state !== undefined && !isDenied)
      context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "state"]);
    wire["state"] = isDenied ? "output-denied" : part.isError ? "output-error" : "output-available";
    // A result ends the streaming state of an invalid call, so the input moves from `rawInput` to `input`.
    if (entry.call.invalid === true) {
      if (wire["input"] === undefined) wire["input"] = wire["rawInput"] ?? {};
      delete wire["rawInput"];
    }
    if (!isDenied) encodeUiOutput(wire, part, context);
    const metadata = encodeProviderOptions(part, context);
    if (metadata !== undefined) wire["resultProviderMetadata"] = metadata;
    restoreResidue(wire, part, context);
  }
}

const OPAQUE_FIELDS: ReadonlySet<string> = new Set(["type", "dialect", "value"]);

/** Writes the output of a result: a JSON value, or the text of an error. */
export function encodeUiOutput(wire: JsonObject, part: ToolResultPart, context: UiEncodeContext): void {
  const { isError, output, content } = part;
  if (isError) wire["errorText"] = toErrorText(part, context);
  else if (content !== undefined) wire["output"] = { type: "content", value: encodeOutputContent(part, context) };
  else if (output !== undefined) copyField(part, "output", wire);
  else if (readForm(part, context.dialect)["output"] !== "absent") {
    context.report.addLoss("result-empty", "output");
    wire["output"] = "";
  }
}

/** Returns the error as one text, because UI messages support no other form. */
function toErrorText(part: ToolResultPart, { report }: UiEncodeContext): string {
  const texts: string[] = [];
  if (part.output !== undefined) {
    if (typeof part.output !== "string") report.addLoss("output-as-text", "output");
    texts.push(formatToolOutput(part));
  }
  part.content?.forEach((piece, at) => {
    if (piece.type === "text") texts.push(piece.text);
    report.addLoss(piece.type === "text" ? "output-in-content" : "part-unsupported", ["content", at]);
  });
  if (texts.length === 0 && part.output === undefined) report.addLoss("result-empty", "output");
  return texts.join("\n");
}
