// Decodes the calls of a candidate in a stream. A complete call is emitted when the next part or the end of the
// candidate shows that it was not cut off. A call with streamed arguments is emitted as they arrive.
import type { Delta, PayloadBase } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { stringifyJson } from "../../../model/json/index.ts";
import type { Extra, ToolCallPart } from "../../../model/parts.ts";
import { copyField, isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { dropForm } from "../../kit/residue/residue.ts";
import { toIssuer } from "../../kit/seals/seals.ts";
import { decodePart } from "../content/decode-part.ts";
import { PartialArguments, readUnknownArgument } from "./partial-args.ts";
import type { GeminiDecodeState } from "../content/decode-state.ts";

/** Returns the payload with the part key `part` and, unless it is 0, the choice. */
export function withPartKey<P extends object>(payload: P, part: number, choice: number): P & PayloadBase {
  return choice === 0 ? { ...payload, partKey: part } : { ...payload, partKey: part, choice };
}

interface PositionedCall {
  part: ToolCallPart;
  partKey: number;
}

/** A call whose arguments are still arriving. */
interface PartialCall extends PositionedCall {
  wireId: JsonValue | undefined;
  args: PartialArguments;
  /** Arguments that cannot be decoded, and unknown fields of arguments; they are stored as residue. */
  unreadableArgs: JsonValue[];
  /** Unknown fields of the `functionCall` object in the second and later pieces of the call. */
  callResidue: JsonObject;
}

const CALL = "functionCall";
const KNOWN_PART_FIELDS: ReadonlySet<string> = new Set([CALL, "thoughtSignature"]);
const PARTIAL_FIELDS: ReadonlySet<string> = new Set(["partialArgs", "willContinue"]);
const KNOWN_CALL_FIELDS: ReadonlySet<string> = new Set([...PARTIAL_FIELDS, "name", "id"]);

export class GeminiCallDecoder {
  readonly #choice: number;
  readonly #state: GeminiDecodeState;
  #pendingCall: PositionedCall | undefined;
  #partialCall: PartialCall | undefined;

  constructor(choice: number, state: GeminiDecodeState) {
    this.#choice = choice;
    this.#state = state;
  }

  /** Adds a complete call. It is emitted when the next part begins or the candidate ends (B31). */
  addWholeCall(part: ToolCallPart, partKey: number): void {
    this.#pendingCall = { part, partKey };
  }

  /** Emits the pending complete call and ends the partial call, because the next part begins. */
  completeCall(deltas: Delta[]): void {
    const pendingCall = this.#pendingCall;
    const partialCall = this.#partialCall;
    this.#pendingCall = undefined;
    if (pendingCall !== undefined) this.#emitCall(pendingCall, deltas);
    if (partialCall !== undefined) this.#endPartialCall(partialCall, deltas);
  }

  /**
   * Ends the calls of a candidate whose finish reason has arrived. `cutOffCall` is the call that was cut off according
   * to this finish reason; undefined if none was.
   */
  finish(cutOffCall: ToolCallPart | undefined, deltas: Delta[]): void {
    if (cutOffCall !== undefined && cutOffCall === this.#pendingCall?.part) cutOffCall.invalid = true;
    if (cutOffCall !== undefined && cutOffCall === this.#partialCall?.part) this.abandonPartialCall(deltas);
    this.completeCall(deltas);
  }

  /**
   * Ends the decoding of the partial call without a `tool_call_end` delta, so that the call counts as incomplete. Emits
   * only its remaining residue.
   */
  abandonPartialCall(deltas: Delta[]): void {
    const partialCall = this.#partialCall;
    this.#partialCall = undefined;
    const extra = partialCall && this.#collectResidue(partialCall);
    if (partialCall === undefined || extra === undefined) return;
    deltas.push({
      kind: "tool_call_args",
      payload: { toolCallId: partialCall.part.toolCallId, argsTextDelta: "", extra },
    });
  }

  #emitCall({ part, partKey }: PositionedCall, deltas: Delta[]): void {
    const { toolCallId, input, inputText, invalid, format } = part;
    this.#emitCallStart({ part, partKey }, deltas);
    const argsTextDelta = format === "text" && typeof input === "string" ? input : (inputText ?? stringifyJson(input));
    deltas.push({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta } });
    deltas.push({ kind: "tool_call_end", payload: invalid === true ? { toolCallId, invalid } : { toolCallId } });
  }

  #emitCallStart({ part, partKey }: PositionedCall, deltas: Delta[]): void {
    const { toolCallId, toolName, format, extra, seals = [] } = part;
    const form = format === undefined ? {} : { format };
    const residue = extra === undefined ? {} : { extra };
    const payload = withPartKey({ toolCallId, toolName, objectArgs: true, ...form, ...residue }, partKey, this.#choice);
    deltas.push({ kind: "tool_call_start", payload });
    for (const seal of seals) deltas.push({ kind: "seal", payload: withPartKey({ seal }, partKey, this.#choice) });
  }

  /** Decodes the first piece of a call with streamed arguments; returns undefined for other parts. */
  decodeCallStart(wire: JsonObject): ToolCallPart | undefined {
    const call = wire[CALL];
    if (!isObject(call) || (call["willContinue"] !== true && !Array.isArray(call["partialArgs"]))) return undefined;
    if (typeof call["name"] !== "string") return undefined;
    const part = decodePart({ ...wire, [CALL]: unknownFields(call, PARTIAL_FIELDS) ?? {} }, this.#state);
    if (part.type !== "tool-call") return undefined;
    dropForm(part, this.#state.context.dialect, "args");
    return part;
  }

  beginPartialCall(part: ToolCallPart, partKey: number, wire: JsonObject, deltas: Delta[]): void {
    const call = isObject(wire[CALL]) ? wire[CALL] : {};
    this.#partialCall = {
      part,
      partKey,
      wireId: call["id"],
      args: new PartialArguments(),
      unreadableArgs: [],
      callResidue: {},
    };
    this.#emitCallStart(this.#partialCall, deltas);
    this.#addArguments(this.#partialCall, call, deltas);
  }

  /**
   * Adds a wire part to the partial call, the call whose arguments are still arriving; returns false if the part does
   * not continue that call.
   */
  continuePartialCall(wire: JsonObject, deltas: Delta[]): boolean {
    const partialCall = this.#partialCall;
    const call = wire[CALL];
    if (partialCall === undefined || !isObject(call)) return false;
    const { name, id } = call;
    if (name !== undefined && (id === undefined || id !== partialCall.wireId)) return false;
    this.#addPartFields(partialCall, wire, deltas);
    copyFields(unknownFields(call, KNOWN_CALL_FIELDS), partialCall.callResidue);
    this.#addArguments(partialCall, call, deltas);
    return true;
  }

  #addArguments(partialCall: PartialCall, { partialArgs, willContinue }: JsonObject, deltas: Delta[]): void {
    let argsTextDelta = "";
    for (const arg of Array.isArray(partialArgs) ? partialArgs : []) {
      const json = partialCall.args.add(arg);
      const unknown = json === undefined ? arg : readUnknownArgument(arg);
      if (unknown !== undefined) partialCall.unreadableArgs.push(unknown);
      argsTextDelta += json ?? "";
    }
    const { toolCallId } = partialCall.part;
    if (argsTextDelta !== "") deltas.push({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta } });
    if (willContinue !== true) this.#endPartialCall(partialCall, deltas);
  }

  /** Emits the signature and the unknown part fields of the second or a later piece of the partial call. */
  #addPartFields({ part, partKey }: PartialCall, wire: JsonObject, deltas: Delta[]): void {
    const { context } = this.#state;
    const { thoughtSignature: value } = wire;
    if (typeof value === "string") {
      const seal = { ...toIssuer(context), kind: "signature", value };
      part.seals = [seal];
      deltas.push({ kind: "seal", payload: withPartKey({ seal }, partKey, this.#choice) });
    }
    const residue = unknownFields(wire, KNOWN_PART_FIELDS);
    if (residue === undefined) return;
    const extra = { [context.dialect]: residue };
    deltas.push({ kind: "tool_call_args", payload: { toolCallId: part.toolCallId, argsTextDelta: "", extra } });
  }

  #endPartialCall(partialCall: PartialCall, deltas: Delta[]): void {
    const { toolCallId, input } = partialCall.part;
    this.#partialCall = undefined;
    // If no streamed argument arrived, the arguments are those in `args` of the first piece, which `decodeCallStart`
    // decoded as `input`.
    const argsTextDelta = partialCall.args.isEmpty && isObject(input) ? stringifyJson(input) : partialCall.args.end();
    const payload = { toolCallId, argsTextDelta };
    const extra = this.#collectResidue(partialCall);
    deltas.push({ kind: "tool_call_end", payload: extra === undefined ? payload : { ...payload, extra } });
  }

  /**
   * Returns the residue of the first piece, the unknown fields of later pieces and the unreadable arguments; undefined
   * if there is nothing new since the first piece.
   */
  #collectResidue({ part, unreadableArgs, callResidue: rest }: PartialCall): Extra | undefined {
    const { dialect } = this.#state.context;
    if (unreadableArgs.length === 0 && Object.keys(rest).length === 0) return undefined;
    const storedResidue = part.extra?.[dialect]?.[CALL];
    const residue: JsonObject = {};
    if (isObject(storedResidue)) copyFields(storedResidue, residue);
    copyFields(rest, residue);
    if (unreadableArgs.length > 0) residue["partialArgs"] = unreadableArgs;
    return { [dialect]: { [CALL]: residue } };
  }
}

function copyFields(from: JsonObject | undefined, to: JsonObject): void {
  if (from !== undefined) for (const key of Object.keys(from)) copyField(from, key, to);
}
