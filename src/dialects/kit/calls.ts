// Calls and results as they are read: every call gets an id of its own, and every result finds its call, also where
// the wire's ids are empty, missing or repeated (B17).
import type { ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import type { NameBook } from "./names.ts";
import { formOf, keepForm } from "./residue.ts";

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
  private readonly byWireId = new Map<string, Alike>();
  private readonly byName = new Map<string, Alike>();
  private readonly taken = new Set<string>();
  private readonly dialect: string;
  private readonly seed: string;
  private count = 0;

  /** `seed` tells apart the made ids of two answers. */
  constructor(dialect: string, seed = "") {
    this.dialect = dialect;
    this.seed = seed;
  }

  /** Gives a call its id: the wire's, or one of its own where that is missing, empty or taken. */
  add(call: ToolCallPart, wireId: string | undefined): void {
    this.count++;
    const isPlain = wireId !== undefined && wireId !== "" && !this.taken.has(wireId);
    call.toolCallId = isPlain ? wireId : this.make();
    if (!isPlain) keepForm(call, this.dialect, "id", wireId ?? null);
    this.taken.add(call.toolCallId);
    const open: OpenCall = { id: call.toolCallId, name: call.toolName, answered: false };
    push(this.byWireId, wireId ?? "", open);
    push(this.byName, call.toolName, open);
  }

  /** Ties a result to its call: by the wire's id, else (Gemini) to the first unanswered call of that name. */
  answer(result: ToolResultPart, wireId: string | undefined): void {
    const call = firstOpen(wireId === undefined ? this.byName.get(result.toolName) : this.byWireId.get(wireId));
    if (call === undefined) {
      result.toolCallId = wireId ?? this.make();
      if (wireId === undefined) keepForm(result, this.dialect, "id", null);
      return;
    }
    call.answered = true;
    result.toolCallId = call.id;
    if (result.toolName === "") result.toolName = call.name;
    if (call.id !== wireId) keepForm(result, this.dialect, "id", wireId ?? null);
  }

  private make(): string {
    for (let count = this.count; ; count++) {
      const id = this.seed === "" ? `call_${count}` : `call_${this.seed}_${count}`;
      if (!this.taken.has(id)) return id;
    }
  }
}

function push(map: Map<string, Alike>, key: string, call: OpenCall): void {
  const alike = map.get(key);
  if (alike === undefined) map.set(key, { calls: [call], next: 0 });
  else alike.calls.push(call);
}

/** The first call that is not answered yet, else the last one. */
function firstOpen(alike: Alike | undefined): OpenCall | undefined {
  if (alike === undefined) return undefined;
  while (alike.calls[alike.next]?.answered === true) alike.next++;
  return alike.calls[alike.next] ?? alike.calls.at(-1);
}

/** The id to write for a call or result: as the wire once had it, else the mapped one; undefined where it had none. */
export function wireCallId(
  part: ToolCallPart | ToolResultPart,
  names: NameBook,
  { dialect }: EncodeContext,
): string | undefined {
  const form = part.extra === undefined ? undefined : formOf(part, dialect)["id"];
  if (form === null) return undefined;
  return typeof form === "string" ? form : names.callId(part.toolCallId);
}
