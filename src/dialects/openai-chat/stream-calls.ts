// The calls of one choice in a stream: which call a piece belongs to (B18), and what it becomes. Pieces are put together
// as an answer in one piece would have them; a call is told when its name is known, and ends with its answer (B21).
import { settle } from "../../assembly/draft.ts";
import type { Delta, PayloadBase, ToolCallStartPayload } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import type { Extra, Part } from "../../model/parts.ts";
import { isObject } from "../kit/read.ts";
import type { RunCalls } from "../kit/stream-calls.ts";
import { CUSTOM, decodeCall, decodeFunctionCall } from "./calls.ts";
import type { Reading } from "./reading.ts";
import type { Told } from "./stream-choice.ts";
import { addLater } from "./stream-merge.ts";

const LEGACY = "function_call";
type Field = "function" | typeof CUSTOM | typeof LEGACY;

/** A call as far as it has come. */
export class CallEntry {
  /** The call as an answer in one piece has it. */
  readonly wire: JsonObject;
  readonly key: string;
  field: Field;
  /** Arguments that have not been told yet. */
  pending = "";
  /** Set when the call has been told. */
  toolCallId: string | undefined;
  extra: Extra | undefined;
  /** How long its arguments were when they were last made one piece. */
  settled = 0;
  /** Told in one piece, because its arguments are no text. */
  isWhole = false;
  /** Told with a part of its name: nobody can run it. */
  isMisnamed = false;
  /** Told that it has ended. */
  isEnded = false;

  constructor(key: string, field: Field) {
    this.key = key;
    this.field = field;
    this.wire = {};
  }

  get data(): JsonObject {
    const data = this.wire[this.field];
    return isObject(data) ? data : {};
  }

  get name(): string {
    const { name } = this.data;
    return typeof name === "string" ? name : "";
  }

  get args(): JsonValue | undefined {
    return this.data[this.field === CUSTOM ? "input" : "arguments"];
  }

  get id(): string | undefined {
    const { id } = this.wire;
    return typeof id === "string" && id !== "" ? id : undefined;
  }

  /** Takes a piece; what came too late to be the call's id or name. */
  add(piece: JsonObject): JsonObject | undefined {
    let late: JsonObject | undefined;
    for (const key in piece) {
      const value = piece[key];
      if (key === "index" || value === undefined) continue;
      if (key === "id" && typeof value === "string") {
        if (this.id !== undefined || value === "") this.wire["id"] ??= value;
        else if (this.toolCallId === undefined) this.wire["id"] = value;
        else late = { id: value };
      } else if (key === "function" || key === CUSTOM) {
        const name = this.addData(key, value);
        if (name !== undefined) late = { ...late, [key]: { name } };
      } else if (key !== "type" || typeof this.wire["type"] !== "string") addLater(this.wire, piece, key);
    }
    return late;
  }

  /** Takes name and arguments; what came too late to be the name. */
  addData(field: Field, value: JsonValue): string | undefined {
    if (!isObject(value)) {
      if (value !== null) this.wire[field] ??= value;
      return undefined;
    }
    let late: string | undefined;
    if (this.field !== field && !isObject(this.wire[this.field])) this.field = field;
    const known = this.wire[field];
    const data: JsonObject = isObject(known) ? known : (this.wire[field] = {});
    const given = field === CUSTOM ? "input" : "arguments";
    for (const key in value) {
      const said = value[key];
      const before = data[key] ?? "";
      if (key === "name" && typeof said === "string") {
        const name = grownName(this.name, said);
        if (this.toolCallId === undefined) data[key] = name;
        else if (name !== this.name) {
          late = said;
          this.isMisnamed = true;
        }
      } else if (key === given && typeof said === "string" && typeof before === "string") {
        const grown = before + said;
        data[key] = grown;
        settle(this, grown);
        if (field === this.field) this.pending += said;
      } else if (key !== given || said !== null) addLater(data, value, key);
    }
    return late;
  }

  /** The call as it is to be read. A stream need not say that there are no arguments, nor that a function is one. */
  whole(args?: string): JsonObject {
    const given = this.field === CUSTOM ? "input" : "arguments";
    const data: JsonObject = copyObject(this.data);
    data[given] = args ?? data[given] ?? "";
    if (this.field === LEGACY) return data;
    const wire: JsonObject = copyObject(this.wire);
    if (isObject(wire[this.field])) wire[this.field] = data;
    wire["type"] ??= this.field;
    return wire;
  }
}

/** A name may come in pieces, or again, or again and longer. */
function grownName(name: string, said: string): string {
  if (said === name || said === "") return name;
  return said.startsWith(name) ? said : name + said;
}

/** What tells calls apart in a piece. */
interface Marks {
  index: JsonValue | undefined;
  id: string | undefined;
  name: string | undefined;
  args: string;
  /** Another piece of the same list was this call's. */
  isAgain: boolean;
}

export class CallReader {
  readonly entries: CallEntry[] = [];
  legacy: CallEntry | undefined;
  readonly #byIndex = new Map<JsonValue, CallEntry>();
  readonly #byId = new Map<string, CallEntry>();
  readonly #reading: Reading;
  readonly #run: RunCalls;
  readonly #told: Map<string, Told>;
  readonly #at: PayloadBase;
  /** All before this one have been told. */
  #next = 0;

  constructor(reading: Reading, run: RunCalls, told: Map<string, Told>, at: PayloadBase) {
    this.#reading = reading;
    this.#run = run;
    this.#told = told;
    this.#at = at;
  }

  /** Reads pieces of calls; those that came when their call had ended. */
  read(list: readonly JsonObject[], out: Delta[]): JsonObject[] {
    const touched = new Set<CallEntry>();
    const ended: JsonObject[] = [];
    for (const piece of list) {
      const entry = this.#entryOf(piece, touched);
      if (entry.isEnded) ended.push(piece);
      else {
        touched.add(entry);
        const late = entry.add(piece);
        if (late !== undefined) this.#tell(entry, out, { [this.#reading.context.dialect]: late });
      }
    }
    this.advance(out);
    for (const entry of touched) this.#tell(entry, out);
    return ended;
  }

  /** Reads a piece of the one call of old; false where it has ended. */
  readLegacy(data: JsonObject, out: Delta[]): boolean {
    this.legacy ??= new CallEntry(LEGACY, LEGACY);
    if (this.legacy.isEnded) return false;
    this.legacy.addData(LEGACY, data);
    this.advance(out);
    return true;
  }

  get isEmpty(): boolean {
    return this.entries.length === 0 && this.legacy === undefined;
  }

  #entryOf(piece: JsonObject, touched: ReadonlySet<CallEntry>): CallEntry {
    const { index, id } = piece;
    const data = isObject(piece[CUSTOM]) ? piece[CUSTOM] : isObject(piece["function"]) ? piece["function"] : {};
    const { name } = data;
    const args = data["arguments"] ?? data["input"];
    const marks: Marks = {
      index: typeof index === "number" ? index : undefined,
      id: typeof id === "string" && id !== "" ? id : undefined,
      name: typeof name === "string" && name !== "" ? name : undefined,
      args: typeof args === "string" ? args : "",
      isAgain: false,
    };
    const known = this.#candidate(marks);
    if (known !== undefined) {
      marks.isAgain = touched.has(known);
      if (isSame(known, marks)) return this.#book(known, marks);
    }
    const entry = new CallEntry(`calls/${this.entries.length}`, isObject(piece[CUSTOM]) ? CUSTOM : "function");
    this.entries.push(entry);
    return this.#book(entry, marks);
  }

  #candidate({ index, id, name }: Marks): CallEntry | undefined {
    if (index !== undefined) {
      const known = this.#byIndex.get(index);
      // An index may change under an id; with a name it is another call whose id is not its own.
      return known ?? (id !== undefined && name === undefined ? this.#byId.get(id) : undefined);
    }
    const byId = id === undefined ? undefined : this.#byId.get(id);
    return byId ?? this.entries.at(-1);
  }

  #book(entry: CallEntry, { index, id }: Marks): CallEntry {
    if (index !== undefined) this.#byIndex.set(index, entry);
    if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, entry);
    return entry;
  }

  /** Tells the calls whose time has come, in their order; at the end, all that can be told. */
  advance(out: Delta[], isEnd = false): void {
    for (; this.#next < this.entries.length; this.#next++) {
      const entry = this.entries[this.#next];
      if (entry === undefined) break;
      if (entry.name === "" && !isEnd) break;
      // More of the name may come, until there are arguments, be they empty, or another call.
      const isNamed = isObject(entry.args) || entry.pending !== "" || (entry.id !== undefined && entry.args === "");
      if (!isNamed && this.#next === this.entries.length - 1 && !isEnd) break;
      this.#start(entry, out);
    }
    const { legacy } = this;
    if (legacy === undefined) return;
    if (legacy.toolCallId === undefined && legacy.name !== "" && (legacy.pending !== "" || isEnd))
      this.#start(legacy, out);
    this.#tell(legacy, out);
  }

  #start(entry: CallEntry, out: Delta[]): void {
    const isText = typeof (entry.args ?? "") === "string";
    const part = this.#decode(entry, isText ? "" : undefined);
    if (part === undefined) return;
    this.#told.set(entry.key, { key: entry.key, kind: "whole", tokens: 0 });
    if (part.type !== "tool-call") {
      // What lacks a name is no call, but stands among them.
      entry.isWhole = true;
      out.push({ kind: "part", payload: { value: part, part: entry.key, ...this.#at } });
      return;
    }
    this.#run.start(part, this.#reading.context.dialect);
    const { toolCallId, toolName, format, extra } = part;
    entry.toolCallId = toolCallId;
    entry.isWhole = !isText;
    entry.extra = extra;
    if (!isText) {
      out.push({ kind: "part", payload: { value: part, part: entry.key, ...this.#at } });
      return;
    }
    const payload: ToolCallStartPayload = { toolCallId, toolName, part: entry.key, ...this.#at };
    if (format !== undefined) payload.format = format;
    if (extra !== undefined) payload.extra = extra;
    out.push({ kind: "tool_call_start", payload });
    this.#tell(entry, out);
  }

  #decode(entry: CallEntry, args: string | undefined): Part | undefined {
    const wire = entry.whole(args);
    return entry === this.legacy ? decodeFunctionCall(wire, this.#reading) : decodeCall(wire, this.#reading);
  }

  #tell(entry: CallEntry, out: Delta[], extra?: Extra): void {
    const { toolCallId, pending } = entry;
    if (toolCallId === undefined || entry.isWhole || (pending === "" && extra === undefined)) return;
    entry.pending = "";
    out.push({
      kind: "tool_call_args",
      payload:
        extra === undefined ? { toolCallId, argsTextDelta: pending } : { toolCallId, argsTextDelta: pending, extra },
    });
  }
}

/** Whether a piece goes on with a call: its id, its name or its arguments may show that it does not (B18). */
function isSame(entry: CallEntry, { index, id, name, args, isAgain }: Marks): boolean {
  if (isAgain && (name !== undefined || id !== undefined)) return false;
  const known = entry.args;
  const hasArgs = known !== undefined && known !== "";
  const isOther = id !== undefined && entry.id !== undefined && id !== entry.id;
  if (!isOther && id !== undefined && entry.id !== undefined) return true;
  // Some give every piece another id: what has no name of its own is no other call.
  if (isOther && index === undefined) return false;
  if (name === undefined || entry.name === "") return !isOther || typeof known !== "string" || !isComplete(known);
  if (!hasArgs) return !isOther;
  if ((id !== undefined && !isOther) || typeof known !== "string") return false;
  // Names do not go on after arguments: it is repeated with every piece, or another call's.
  if (name !== entry.name) return false;
  const begins = args.trimStart().startsWith("{");
  return isOther ? !begins && !isComplete(known) : !begins || !isComplete(known);
}

/** Whether arguments are whole: an object that has ended cannot go on. */
function isComplete(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
