// Assigns the ids of decoded calls and results. Every call gets a unique id, and every result gets the id of its call,
// even if the wire ids are empty, missing or repeated (B17).
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { RenameTable } from "./tool-renames.ts";
import { readForm, storeForm } from "../residue/residue.ts";

interface KnownCall {
  id: string;
  name: string;
  isAnswered: boolean;
}

/** The calls that have the same wire id or the same tool name, in the order of decoding. */
interface EqualCalls {
  calls: KnownCall[];
  /** The index to start from when the first unanswered call is searched; all calls before it are answered. */
  next: number;
}

/** Assigns the ids of the calls and results of one conversation, in the order of decoding. */
export class ToolCallIds {
  /** The calls by wire id ("" if it is missing): the call itself, or a list if several calls have the same id. */
  #byWireId: Map<string, KnownCall | EqualCalls> | undefined;
  /** The calls by tool name. The map is created when the first result without an id is decoded. */
  #byName: Map<string, EqualCalls> | undefined;
  readonly #calls: KnownCall[] = [];
  #createdIds: Set<string> | undefined;
  #nextNumber = 1;
  readonly #dialect: string;
  readonly #seed: string;
  readonly #takenIds: ReadonlySet<string> | undefined;

  /**
   * `seed` becomes part of the created ids, so that created ids of different answers are different. `takenIds` are the
   * ids of calls that this object has not seen; a call does not get one of them.
   */
  constructor(dialect: string, seed = "", takenIds?: ReadonlySet<string>) {
    this.#dialect = dialect;
    this.#seed = seed;
    this.#takenIds = takenIds;
  }

  /** Sets the id of a call to its wire id, or to a new id if the wire id is missing, empty or already used. */
  add(call: ToolCallPart, wireId: string | undefined): void {
    const byWireId = (this.#byWireId ??= new Map<string, KnownCall | EqualCalls>());
    const key = wireId ?? "";
    const existing = byWireId.get(key);
    const isUnique =
      key !== "" && existing === undefined && this.#createdIds?.has(key) !== true && this.#takenIds?.has(key) !== true;
    const known: KnownCall = { id: isUnique ? key : this.#createId(), name: call.toolName, isAnswered: false };
    call.toolCallId = known.id;
    if (!isUnique) storeForm(call, this.#dialect, "id", wireId ?? null);
    this.#calls.push(known);
    if (this.#byName !== undefined) addByName(this.#byName, known);
    if (existing === undefined) byWireId.set(key, known);
    else if ("calls" in existing) existing.calls.push(known);
    else byWireId.set(key, { calls: [existing, known], next: 0 });
  }

  /**
   * Sets the call id of a result to the id of the first unanswered call with the same wire id. If the result has no
   * wire id (Gemini), the call is found by the name of the tool. If there is no such call, the wire id or a new id is
   * used.
   */
  matchResult(result: ToolResultPart, wireId: string | undefined): void {
    const call =
      wireId === undefined ? this.#findByName(result.toolName) : findFirstUnanswered(this.#byWireId?.get(wireId));
    if (call === undefined) {
      result.toolCallId = wireId ?? this.#createId();
      if (wireId === undefined) storeForm(result, this.#dialect, "id", null);
      return;
    }
    call.isAnswered = true;
    result.toolCallId = call.id;
    if (result.toolName === "") result.toolName = call.name;
    if (call.id !== wireId) storeForm(result, this.#dialect, "id", wireId ?? null);
  }

  #findByName(name: string): KnownCall | undefined {
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (const call of this.#calls) addByName(this.#byName, call);
    }
    return findFirstUnanswered(this.#byName.get(name));
  }

  #createId(): string {
    const created = (this.#createdIds ??= new Set<string>());
    // The search for a free number starts at the number of the previous created id, so creating n ids takes linear
    // time.
    for (this.#nextNumber = Math.max(this.#nextNumber, this.#calls.length + 1); ; this.#nextNumber++) {
      const id = this.#seed === "" ? `call_${this.#nextNumber}` : `call_${this.#seed}_${this.#nextNumber}`;
      if (created.has(id) || this.#byWireId?.has(id) === true || this.#takenIds?.has(id) === true) continue;
      created.add(id);
      return id;
    }
  }
}

function addByName(byName: Map<string, EqualCalls>, call: KnownCall): void {
  const equal = byName.get(call.name);
  if (equal === undefined) byName.set(call.name, { calls: [call], next: 0 });
  else equal.calls.push(call);
}

/**
 * Returns the first unanswered call of an entry of `#byWireId` or `#byName`, or its last call if all its calls are
 * answered.
 */
function findFirstUnanswered(entry: KnownCall | EqualCalls | undefined): KnownCall | undefined {
  if (entry === undefined || !("calls" in entry)) return entry;
  while (entry.calls[entry.next]?.isAnswered === true) entry.next++;
  return entry.calls[entry.next] ?? entry.calls.at(-1);
}

/**
 * Returns the wire id of a call or result: the id that the decoder stored as form, else `toolCallId`, renamed if the
 * target does not accept it. Returns undefined if the decoder stored that the wire had no id.
 */
export function toWireCallId(
  part: ToolCallPart | ToolResultPart,
  renames: RenameTable,
  { dialect }: EncodeContext,
): string | undefined {
  const form = part.extra === undefined ? undefined : readForm(part, dialect)["id"];
  if (form === null) return undefined;
  return typeof form === "string" ? form : renames.encodeCallId(part.toolCallId);
}
