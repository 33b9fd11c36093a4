// Ids of decoded calls: every call gets a unique id, and every result the id of its call, also where the wire's ids are
// empty, missing or repeated (B17).
import type { ToolCallPart, ToolResultPart } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import type { RenameTable } from "./tool-renames.ts";
import { readForm, storeForm } from "../residue/residue.ts";

interface KnownCall {
  id: string;
  name: string;
  isAnswered: boolean;
}

/** Calls with the same wire id or tool name, in their order. */
interface EqualCalls {
  calls: KnownCall[];
  /** All calls before this index are answered. */
  next: number;
}

/** Assigns the ids of the calls and results of one conversation, in the order of decoding. */
export class ToolCallIds {
  /** One call for nearly every id; a list where an id is repeated or missing. */
  #byWireId: Map<string, KnownCall | EqualCalls> | undefined;
  /** Created when a result has no id. */
  #byName: Map<string, EqualCalls> | undefined;
  readonly #calls: KnownCall[] = [];
  #createdIds: Set<string> | undefined;
  #nextNumber = 1;
  readonly #dialect: string;
  readonly #seed: string;
  readonly #takenIds: ReadonlySet<string> | undefined;

  /** `seed` keeps the created ids of two answers apart; `takenIds` are ids of calls elsewhere. */
  constructor(dialect: string, seed = "", takenIds?: ReadonlySet<string>) {
    this.#dialect = dialect;
    this.#seed = seed;
    this.#takenIds = takenIds;
  }

  /** Sets the id of a call: the wire's id, or a created one if that is missing, empty or taken. */
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

  /** Sets the call id of a result: found by the wire's id, else (Gemini) by the first unanswered call of its tool. */
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
    // The number never decreases, so that creating n ids takes linear time.
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

/** Returns the first unanswered call, else the last one. */
function findFirstUnanswered(entry: KnownCall | EqualCalls | undefined): KnownCall | undefined {
  if (entry === undefined || !("calls" in entry)) return entry;
  while (entry.calls[entry.next]?.isAnswered === true) entry.next++;
  return entry.calls[entry.next] ?? entry.calls.at(-1);
}

/** Returns the wire id of a call or result: the decoded one if it differs, else the renamed one; undefined for none. */
export function toWireCallId(
  part: ToolCallPart | ToolResultPart,
  renames: RenameTable,
  { dialect }: EncodeContext,
): string | undefined {
  const form = part.extra === undefined ? undefined : readForm(part, dialect)["id"];
  if (form === null) return undefined;
  return typeof form === "string" ? form : renames.encodeCallId(part.toolCallId);
}
