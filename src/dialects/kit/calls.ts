// Calls and results as they are read: every call gets an id of its own, and every result finds its call, also where
// the wire's ids are empty, missing or repeated (B17).
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameBook } from "./names.ts";
import { readForm, storeForm } from "./residue.ts";

interface OpenCall {
  id: string;
  name: string;
  answered: boolean;
}

/** Calls that look alike, in their order. */
interface Alike {
  calls: OpenCall[];
  /** All before this one are answered. */
  next: number;
}

/** The calls of one conversation, in the order they are read. */
export class CallBook {
  /** One call for nearly every id; a list where an id is repeated or missing. */
  #byWireId: Map<string, OpenCall | Alike> | undefined;
  /** Made when a result names no id. */
  #byName: Map<string, Alike> | undefined;
  readonly #calls: OpenCall[] = [];
  #made: Set<string> | undefined;
  #next = 1;
  readonly #dialect: string;
  readonly #seed: string;
  readonly #taken: ReadonlySet<string> | undefined;

  /** `seed` tells apart the made ids of two answers; `taken` are ids that calls elsewhere have. */
  constructor(dialect: string, seed = "", taken?: ReadonlySet<string>) {
    this.#dialect = dialect;
    this.#seed = seed;
    this.#taken = taken;
  }

  /** Gives a call its id: the wire's, or one of its own where that is missing, empty or taken. */
  add(call: ToolCallPart, wireId: string | undefined): void {
    const byWireId = (this.#byWireId ??= new Map<string, OpenCall | Alike>());
    const key = wireId ?? "";
    const known = byWireId.get(key);
    const isPlain =
      key !== "" && known === undefined && this.#made?.has(key) !== true && this.#taken?.has(key) !== true;
    const open: OpenCall = { id: isPlain ? key : this.#make(), name: call.toolName, answered: false };
    call.toolCallId = open.id;
    if (!isPlain) storeForm(call, this.#dialect, "id", wireId ?? null);
    this.#calls.push(open);
    if (this.#byName !== undefined) addAlike(this.#byName, open);
    if (known === undefined) byWireId.set(key, open);
    else if ("calls" in known) known.calls.push(open);
    else byWireId.set(key, { calls: [known, open], next: 0 });
  }

  /** Ties a result to its call: by the wire's id, else (Gemini) to the first unanswered call of that name. */
  answer(result: ToolResultPart, wireId: string | undefined): void {
    const call = wireId === undefined ? this.#named(result.toolName) : firstOpen(this.#byWireId?.get(wireId));
    if (call === undefined) {
      result.toolCallId = wireId ?? this.#make();
      if (wireId === undefined) storeForm(result, this.#dialect, "id", null);
      return;
    }
    call.answered = true;
    result.toolCallId = call.id;
    if (result.toolName === "") result.toolName = call.name;
    if (call.id !== wireId) storeForm(result, this.#dialect, "id", wireId ?? null);
  }

  #named(name: string): OpenCall | undefined {
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (const call of this.#calls) addAlike(this.#byName, call);
    }
    return firstOpen(this.#byName.get(name));
  }

  #make(): string {
    const made = (this.#made ??= new Set<string>());
    // Numbers only go up, so that many made ids take no longer than their count.
    for (this.#next = Math.max(this.#next, this.#calls.length + 1); ; this.#next++) {
      const id = this.#seed === "" ? `call_${this.#next}` : `call_${this.#seed}_${this.#next}`;
      if (made.has(id) || this.#byWireId?.has(id) === true || this.#taken?.has(id) === true) continue;
      made.add(id);
      return id;
    }
  }
}

function addAlike(byName: Map<string, Alike>, call: OpenCall): void {
  const alike = byName.get(call.name);
  if (alike === undefined) byName.set(call.name, { calls: [call], next: 0 });
  else alike.calls.push(call);
}

/** The first call that is not answered yet, else the last one. */
function firstOpen(alike: OpenCall | Alike | undefined): OpenCall | undefined {
  if (alike === undefined || !("calls" in alike)) return alike;
  while (alike.calls[alike.next]?.answered === true) alike.next++;
  return alike.calls[alike.next] ?? alike.calls.at(-1);
}

/** The id to write for a call or result: as the wire once had it, else the mapped one; undefined where it had none. */
export function wireCallId(
  part: ToolCallPart | ToolResultPart,
  names: NameBook,
  { dialect }: EncodeContext,
): string | undefined {
  const form = part.extra === undefined ? undefined : readForm(part, dialect)["id"];
  if (form === null) return undefined;
  return typeof form === "string" ? form : names.callId(part.toolCallId);
}
