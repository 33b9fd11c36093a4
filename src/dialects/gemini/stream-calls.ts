// The calls of a candidate in a stream: whole ones, which wait until it is clear that they were not cut off, and those
// whose arguments come in pieces.
import type { Delta, PayloadBase } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import type { Extra, ToolCallPart } from "../../model/parts.ts";
import { copyField, isObject, unknownFields } from "../kit/read.ts";
import { dropForm } from "../kit/residue.ts";
import { issuerOf } from "../kit/seals.ts";
import { decodePart } from "./decode-part.ts";
import { PartialArguments, restOfArgument } from "./partial-args.ts";
import type { Reading } from "./reading.ts";

/** A payload with the place of the part that it belongs to. */
export function placed<P extends object>(payload: P, part: number, choice: number): P & PayloadBase {
  return choice === 0 ? { ...payload, part } : { ...payload, part, choice };
}

interface Placed {
  part: ToolCallPart;
  at: number;
}

/** A call whose arguments are still coming. */
interface OpenCall extends Placed {
  wireId: JsonValue | undefined;
  args: PartialArguments;
  /** What of them cannot be read. */
  unread: JsonValue[];
  /** What further pieces say that nobody knows. */
  rest: JsonObject;
}

const CALL = "functionCall";
const BESIDE: ReadonlySet<string> = new Set([CALL, "thoughtSignature"]);
const STREAMED: ReadonlySet<string> = new Set(["partialArgs", "willContinue"]);
const CONTINUED: ReadonlySet<string> = new Set([...STREAMED, "name", "id"]);

export class CallStream {
  readonly #choice: number;
  readonly #reading: Reading;
  #held: Placed | undefined;
  #open: OpenCall | undefined;

  constructor(choice: number, reading: Reading) {
    this.#choice = choice;
    this.#reading = reading;
  }

  /** Takes a whole call, which is said when something follows it (B31). */
  hold(part: ToolCallPart, at: number): void {
    this.#held = { part, at };
  }

  /** Something follows: what was held is complete. */
  settle(deltas: Delta[]): void {
    const held = this.#held;
    const open = this.#open;
    this.#held = undefined;
    if (held !== undefined) this.#say(held, deltas);
    if (open !== undefined) this.#end(open, deltas);
  }

  /** The candidate has ended, in the middle of a call where that is given. */
  finish(cut: ToolCallPart | undefined, deltas: Delta[]): void {
    if (cut !== undefined && cut === this.#held?.part) cut.invalid = true;
    if (cut !== undefined && cut === this.#open?.part) this.abandon(deltas);
    this.settle(deltas);
  }

  /** The call whose arguments were still coming stays as it is: without an end. */
  abandon(deltas: Delta[]): void {
    const open = this.#open;
    this.#open = undefined;
    const extra = open && this.#residueOf(open);
    if (open === undefined || extra === undefined) return;
    deltas.push({ kind: "tool_call_args", payload: { toolCallId: open.part.toolCallId, argsTextDelta: "", extra } });
  }

  #say({ part, at }: Placed, deltas: Delta[]): void {
    const { toolCallId, input, inputText, invalid, format } = part;
    this.#start({ part, at }, deltas);
    const argsTextDelta = format === "text" && typeof input === "string" ? input : (inputText ?? stringifyJson(input));
    deltas.push({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta } });
    deltas.push({ kind: "tool_call_end", payload: invalid === true ? { toolCallId, invalid } : { toolCallId } });
  }

  #start({ part, at }: Placed, deltas: Delta[]): void {
    const { toolCallId, toolName, format, extra, seals = [] } = part;
    const form = format === undefined ? {} : { format };
    const residue = extra === undefined ? {} : { extra };
    const payload = placed({ toolCallId, toolName, objectArgs: true, ...form, ...residue }, at, this.#choice);
    deltas.push({ kind: "tool_call_start", payload });
    for (const seal of seals) deltas.push({ kind: "seal", payload: placed({ seal }, at, this.#choice) });
  }

  /** The call that begins with this piece; undefined where it is no piece. */
  read(wire: JsonObject): ToolCallPart | undefined {
    const call = wire[CALL];
    if (!isObject(call) || (call["willContinue"] !== true && !Array.isArray(call["partialArgs"]))) return undefined;
    if (typeof call["name"] !== "string") return undefined;
    const part = decodePart({ ...wire, [CALL]: unknownFields(call, STREAMED) ?? {} }, this.#reading);
    if (part.type !== "tool-call") return undefined;
    dropForm(part, this.#reading.context.dialect, "args");
    return part;
  }

  begin(part: ToolCallPart, at: number, wire: JsonObject, deltas: Delta[]): void {
    const call = isObject(wire[CALL]) ? wire[CALL] : {};
    this.#open = { part, at, wireId: call["id"], args: new PartialArguments(), unread: [], rest: {} };
    this.#start(this.#open, deltas);
    this.#add(this.#open, call, deltas);
  }

  /** Takes a further piece of the open call; false where it is none. */
  goOn(wire: JsonObject, deltas: Delta[]): boolean {
    const open = this.#open;
    const call = wire[CALL];
    if (open === undefined || !isObject(call)) return false;
    const { name, id } = call;
    if (name !== undefined && (id === undefined || id !== open.wireId)) return false;
    this.#addBeside(open, wire, deltas);
    copyFields(unknownFields(call, CONTINUED), open.rest);
    this.#add(open, call, deltas);
    return true;
  }

  #add(open: OpenCall, { partialArgs, willContinue }: JsonObject, deltas: Delta[]): void {
    let argsTextDelta = "";
    for (const arg of Array.isArray(partialArgs) ? partialArgs : []) {
      const said = open.args.add(arg);
      const unknown = said === undefined ? arg : restOfArgument(arg);
      if (unknown !== undefined) open.unread.push(unknown);
      argsTextDelta += said ?? "";
    }
    const { toolCallId } = open.part;
    if (argsTextDelta !== "") deltas.push({ kind: "tool_call_args", payload: { toolCallId, argsTextDelta } });
    if (willContinue !== true) this.#end(open, deltas);
  }

  /** What a further piece says beside its arguments. */
  #addBeside({ part, at }: OpenCall, wire: JsonObject, deltas: Delta[]): void {
    const { context } = this.#reading;
    const { thoughtSignature: value } = wire;
    if (typeof value === "string") {
      const seal = { ...issuerOf(context), kind: "signature", value };
      part.seals = [seal];
      deltas.push({ kind: "seal", payload: placed({ seal }, at, this.#choice) });
    }
    const rest = unknownFields(wire, BESIDE);
    if (rest === undefined) return;
    const extra = { [context.dialect]: rest };
    deltas.push({ kind: "tool_call_args", payload: { toolCallId: part.toolCallId, argsTextDelta: "", extra } });
  }

  #end(open: OpenCall, deltas: Delta[]): void {
    const { toolCallId, input } = open.part;
    this.#open = undefined;
    // A call may have them whole, and pieces that say something else.
    const argsTextDelta = open.args.isEmpty && isObject(input) ? stringifyJson(input) : open.args.end();
    const payload = { toolCallId, argsTextDelta };
    const extra = this.#residueOf(open);
    deltas.push({ kind: "tool_call_end", payload: extra === undefined ? payload : { ...payload, extra } });
  }

  /** What the pieces of a call said that could not be read, beside what its beginning said; undefined for nothing. */
  #residueOf({ part, unread, rest }: OpenCall): Extra | undefined {
    const { dialect } = this.#reading.context;
    if (unread.length === 0 && Object.keys(rest).length === 0) return undefined;
    const kept = part.extra?.[dialect]?.[CALL];
    const residue: JsonObject = {};
    if (isObject(kept)) copyFields(kept, residue);
    copyFields(rest, residue);
    if (unread.length > 0) residue["partialArgs"] = unread;
    return { [dialect]: { [CALL]: residue } };
  }
}

function copyFields(from: JsonObject | undefined, to: JsonObject): void {
  if (from !== undefined) for (const key of Object.keys(from)) copyField(from, key, to);
}
