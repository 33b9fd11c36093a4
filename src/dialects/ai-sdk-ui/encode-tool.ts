// Tool parts of UI messages, put together from calls, approvals and results wherever they stand among the messages.
import type { JsonObject } from "../../model/json.ts";
import type { Message } from "../../model/message.ts";
import type { OpaquePart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { encodeOptions, markOf } from "../kit/ai-sdk-options.ts";
import { DENIED, encodeContent, MODEL } from "../kit/ai-sdk-output.ts";
import { reportTool, withoutFormat, writeCallId, writeInput } from "../kit/ai-sdk-tools.ts";
import { textIn } from "../kit/ai-sdk-plain.ts";
import { copyField, isObject } from "../kit/read.ts";
import { readForm, restoreResidue } from "../kit/residue.ts";
import { outputText } from "../kit/results.ts";
import { reasonOf, REQUEST, RESPONSE, stateOf } from "./decode-tool.ts";
import type { Context } from "./losses.ts";
import { reportRest } from "./losses.ts";

/** A tool part on its way out, and what has been said about it. */
interface Entry {
  wire: JsonObject;
  call: ToolCallPart;
  /** Its place among all calls. */
  order: number;
  round: number;
  request?: Part;
  response?: Part;
  isAnswered?: boolean;
}

const CALL: ReadonlySet<string> = new Set(
  "type toolCallId toolName input inputText invalid executor format tool extra cache seals".split(" "),
);
const RESULT: ReadonlySet<string> = new Set(
  "type toolCallId toolName isError output content executor format tool extra cache seals".split(" "),
);

function approvalOf(part: Part): JsonObject | undefined {
  if (part.type !== "opaque" || part.dialect !== MODEL || !isObject(part.value)) return undefined;
  const { type, approvalId } = part.value;
  const isOne = type === "tool-approval-request" || type === "tool-approval-response";
  return isOne && typeof approvalId === "string" ? part.value : undefined;
}

export class ToolParts {
  readonly #context: Context;
  readonly #byId = new Map<string, Entry>();
  /** Whoever repeats an id means the first call that is not answered. */
  readonly #byApproval = new Map<string, Entry[]>();
  #calls = 0;
  /** Counts the tool messages: a result is expected in the one behind its call. */
  #round = 0;
  /** The call whose result or approval came last. */
  #last = -1;
  #latest: Entry | undefined;

  /** The calls that have a result. */
  readonly #answered: ReadonlySet<string>;

  constructor(context: Context, messages: readonly Message[]) {
    this.#context = context;
    const results = messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result"));
    this.#answered = new Set(results.map(({ toolCallId }) => toolCallId));
  }

  /** Whether a part is one of a tool's. */
  takes(part: Part): boolean {
    return part.type === "tool-call" || part.type === "tool-result" || approvalOf(part) !== undefined;
  }

  /** A tool message has ended. */
  endRound(): void {
    this.#round++;
    this.#last = -1;
  }

  /** Takes a part over; a call begins a tool part of its own, and so does what belongs to none. */
  add(part: Part, isInRound: boolean): JsonObject | undefined {
    if (part.type === "tool-call") return this.#addCall(part);
    if (part.type === "tool-result") return this.#addResult(part, isInRound);
    return this.#addApproval(part as OpaquePart, isInRound); // `takes` has let nothing else in.
  }

  #addCall(call: ToolCallPart): JsonObject {
    const context = this.#context;
    reportRest(call, CALL, context);
    // While its input streams, a call says that it is a text.
    const isStreaming = call.invalid === true && call.inputText !== undefined && !this.#answered.has(call.toolCallId);
    const saysText = isStreaming && call.format === "text";
    reportTool(saysText ? withoutFormat(call) : call, context);
    const form = readForm(call, context.dialect);
    const shown = markOf(call, "tool");
    const { dynamic, ...others } = isObject(shown) ? shown : {};
    const wire: JsonObject =
      dynamic === true ? { type: "dynamic-tool", toolName: call.toolName } : { type: `tool-${call.toolName}` };
    writeCallId(call, wire, context);
    for (const field of Object.keys(others)) copyField(others, field, wire);
    wire["state"] = typeof form["state"] === "string" ? form["state"] : stateOf(call, undefined);
    // Only input that is still streaming is not to be executed.
    if (call.invalid === true && this.#answered.has(call.toolCallId)) context.report.addLoss("call-invalid", "invalid");
    if (call.invalid === false) context.report.addLoss("bookkeeping", "invalid");
    if (call.invalid === true) this.#writeRaw(call, wire);
    else writeInput(call, wire, "input", context);
    if (saysText) wire["inputEncoding"] = "text";
    if (call.executor === "provider") wire["providerExecuted"] = true;
    const metadata = encodeOptions(call, context);
    if (metadata !== undefined) wire["callProviderMetadata"] = metadata;
    restoreResidue(wire, call, context, "approval");
    const entry: Entry = { wire, call, order: this.#calls++, round: this.#round };
    this.#byId.set(call.toolCallId, entry);
    this.#latest = entry;
    return wire;
  }

  /** Input that must not be executed: its text, and what can be read of it. */
  #writeRaw(call: ToolCallPart, wire: JsonObject): void {
    const { input, inputText } = call;
    const isBoth = readForm(call, this.#context.dialect)["input"] === "both";
    if (inputText === undefined || input !== inputText || isBoth) writeInput(call, wire, "input", this.#context);
    if (inputText !== undefined) wire["rawInput"] = inputText;
  }

  /** Reports where a part came from that is not where a reader would put it. */
  #reportPlace(entry: Entry, isInRound: boolean, isRoundExpected: boolean): void {
    const isPlain = isRoundExpected
      ? isInRound && entry.round === this.#round && entry.order >= this.#last
      : !isInRound && entry === this.#latest;
    if (!isPlain) this.#context.report.addLoss("result-joined");
    if (isInRound) this.#last = entry.order;
  }

  #asked(approvalId: string): Entry | undefined {
    const entries = this.#byApproval.get(approvalId) ?? [];
    return entries.find(({ response }) => response === undefined) ?? entries.at(-1);
  }

  #addApproval(part: OpaquePart, isInRound: boolean): JsonObject | undefined {
    const context = this.#context;
    const value = approvalOf(part) ?? {};
    const isRequest = value["type"] === "tool-approval-request";
    const id = textIn(value, "approvalId");
    const entry = isRequest ? this.#byId.get(textIn(value, "toolCallId")) : this.#asked(id);
    if (entry === undefined || (isRequest ? entry.request : entry.response) !== undefined) {
      context.report.addLoss("part-unsayable");
      return undefined;
    }
    this.#reportPlace(entry, isInRound, !isRequest);
    reportRest(part, OPAQUE, context);
    const approval: JsonObject = isObject(entry.wire["approval"]) ? { ...entry.wire["approval"] } : {};
    const said = new Set(["type", "approvalId", isRequest ? "toolCallId" : "providerExecuted"]);
    for (const [field, name] of isRequest ? REQUEST : RESPONSE) {
      if (value[name] !== undefined) copyField(value, name, approval, field);
      said.add(name);
    }
    if (!isRequest && (value["providerExecuted"] === true) !== (entry.call.executor === "provider")) {
      context.report.addLoss("result-executor", ["value", "providerExecuted"]);
    }
    for (const key of Object.keys(value)) if (!said.has(key)) context.report.addLoss("field-unsaid", ["value", key]);
    entry.wire["approval"] = approval;
    if (isRequest) {
      entry.request = part;
      this.#byApproval.set(id, [...(this.#byApproval.get(id) ?? []), entry]);
    } else entry.response = part;
    const form = readForm(entry.call, context.dialect)["state"];
    if (entry.isAnswered !== true) entry.wire["state"] = typeof form === "string" ? form : stateOf(entry.call, entry);
    return undefined;
  }

  #addResult(part: ToolResultPart, isInRound: boolean): JsonObject | undefined {
    const context = this.#context;
    const { report } = context;
    let entry = this.#byId.get(part.toolCallId);
    if (entry?.isAnswered === true) {
      report.addLoss("result-repeated");
      return undefined;
    }
    let made: JsonObject | undefined;
    if (entry === undefined) {
      report.addLoss("call-made");
      const { toolCallId, toolName, executor } = part;
      const call: ToolCallPart = { type: "tool-call", toolCallId, toolName, input: {} };
      if (executor === "provider") call.executor = executor;
      made = this.#addCall(call);
      entry = this.#byId.get(toolCallId);
    } else {
      this.#reportPlace(entry, isInRound, entry.call.executor !== "provider");
      if (part.toolName !== entry.call.toolName) report.addLoss("result-name", "toolName");
      if ((part.executor === "provider") !== (entry.call.executor === "provider"))
        report.addLoss("result-executor", "executor");
    }
    if (entry !== undefined) this.#fill(entry, part);
    return made;
  }

  #fill(entry: Entry, part: ToolResultPart): void {
    const context = this.#context;
    reportRest(part, RESULT, context);
    reportTool(part, context);
    const { wire } = entry;
    entry.isAnswered = true;
    const state = readForm(part, context.dialect)["state"];
    const isDenied = state === "output-denied" && part.isError && part.output === (reasonOf(entry.response) ?? DENIED);
    if (state !== undefined && !isDenied)
      context.report.addLoss("form-stale", ["extra", context.dialect, "$form", "state"]);
    wire["state"] = isDenied ? "output-denied" : part.isError ? "output-error" : "output-available";
    // Whatever came of a call that must not be executed, its input is no longer streaming.
    if (entry.call.invalid === true) {
      if (wire["input"] === undefined) wire["input"] = wire["rawInput"] ?? {};
      delete wire["rawInput"];
    }
    if (!isDenied) writeOutput(wire, part, context);
    const metadata = encodeOptions(part, context);
    if (metadata !== undefined) wire["resultProviderMetadata"] = metadata;
    restoreResidue(wire, part, context);
  }
}

const OPAQUE: ReadonlySet<string> = new Set(["type", "dialect", "value"]);

/** What came back: a JSON value, or a text where it is an error. */
export function writeOutput(wire: JsonObject, part: ToolResultPart, context: Context): void {
  const { isError, output, content } = part;
  if (isError) wire["errorText"] = errorText(part, context);
  else if (content !== undefined) wire["output"] = { type: "content", value: encodeContent(part, context) };
  else if (output !== undefined) copyField(part, "output", wire);
  else if (readForm(part, context.dialect)["output"] !== "absent") {
    context.report.addLoss("result-empty", "output");
    wire["output"] = "";
  }
}

/** An error is one text here. */
function errorText(part: ToolResultPart, { report }: Context): string {
  const texts: string[] = [];
  if (part.output !== undefined) {
    if (typeof part.output !== "string") report.addLoss("output-as-text", "output");
    texts.push(outputText(part));
  }
  part.content?.forEach((piece, at) => {
    if (piece.type === "text") texts.push(piece.text);
    report.addLoss(piece.type === "text" ? "output-in-content" : "part-unsayable", ["content", at]);
  });
  if (texts.length === 0 && part.output === undefined) report.addLoss("result-empty", "output");
  return texts.join("\n");
}
