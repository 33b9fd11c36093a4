// Decodes the tool calls of a streamed choice: assigns each fragment to its call (B18) and merges the fragments. A call
// starts when its name is complete and ends with its choice (B21).
import { flattenText } from "../../../assembly/draft.ts";
import type { Delta, PayloadBase, ToolCallStartPayload } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { Extra, Part } from "../../../model/parts.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import type { StreamCallIds } from "../../kit/streams/stream-tool-calls.ts";
import { CUSTOM_TYPE, decodeCall, decodeFunctionCall } from "../messages/tool-calls.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { EmittedPart } from "../../openai/emitted-part.ts";
import { overwriteField } from "./merge-chunks.ts";

const LEGACY_FIELD = "function_call";
type CallDataField = "function" | typeof CUSTOM_TYPE | typeof LEGACY_FIELD;

/** A streamed tool call, merged from the fragments that have arrived. */
export class StreamedChatCall {
  /** The merged call, in the format of a response. */
  readonly wire: JsonObject;
  readonly key: string;
  field: CallDataField;
  /** The received arguments that have not been emitted. */
  pendingArguments = "";
  /** The emitted part; undefined until the start of the call has been emitted. */
  emitted: EmittedPart | undefined;
  /** The length of the arguments when they were last flattened in memory. */
  flattenedLength = 0;
  /**
   * True if the name grew after the start of the call was emitted. The emitted name is wrong, so the call must not be
   * run.
   */
  isMisnamed = false;

  constructor(key: string, field: CallDataField) {
    this.key = key;
    this.field = field;
    this.wire = {};
  }

  get toolCallId(): string | undefined {
    return this.emitted?.call?.toolCallId;
  }

  get hasEnded(): boolean {
    return this.emitted?.hasEnded === true;
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
    return this.data[this.field === CUSTOM_TYPE ? "input" : "arguments"];
  }

  get id(): string | undefined {
    const { id } = this.wire;
    return typeof id === "string" && id !== "" ? id : undefined;
  }

  /**
   * Merges a fragment. Returns an id or a name that arrived after the start of the call was emitted and that the
   * emitted start lacks; undefined if there is none.
   */
  addFields(fragment: JsonObject): JsonObject | undefined {
    let late: JsonObject | undefined;
    for (const key in fragment) {
      const value = fragment[key];
      if (key === "index" || value === undefined) continue;
      if (key === "id" && typeof value === "string") {
        if (this.id !== undefined || value === "") this.wire["id"] ??= value;
        else if (this.toolCallId === undefined) this.wire["id"] = value;
        else late = { id: value };
      } else if (key === "function" || key === CUSTOM_TYPE) {
        const name = this.addData(key, value);
        if (name !== undefined) late = { ...late, [key]: { name } };
      } else if (key !== "type" || typeof this.wire["type"] !== "string") overwriteField(this.wire, fragment, key);
    }
    return late;
  }

  /**
   * Merges the name and arguments of a fragment. Returns the name of the fragment if it would change the name of a call
   * whose start has already been emitted; undefined otherwise.
   */
  addData(field: CallDataField, value: JsonValue): string | undefined {
    if (!isObject(value)) {
      if (value !== null) this.wire[field] ??= value;
      return undefined;
    }
    let late: string | undefined;
    if (this.field !== field && !isObject(this.wire[this.field])) this.field = field;
    const known = this.wire[field];
    const data: JsonObject = isObject(known) ? known : (this.wire[field] = {});
    const argumentsField = field === CUSTOM_TYPE ? "input" : "arguments";
    for (const key in value) {
      const text = value[key];
      const before = data[key] ?? "";
      if (key === "name" && typeof text === "string") {
        const name = mergeName(this.name, text);
        if (this.toolCallId === undefined) data[key] = name;
        else if (name !== this.name) {
          late = text;
          this.isMisnamed = true;
        }
      } else if (key === argumentsField && typeof text === "string" && typeof before === "string") {
        const grown = before + text;
        data[key] = grown;
        flattenText(this, grown);
        if (field === this.field) this.pendingArguments += text;
      } else if (key !== argumentsField || text !== null) overwriteField(data, value, key);
    }
    return late;
  }

  /**
   * Returns the merged call in the format of a response, with the arguments and the type, which a stream can omit.
   * `args` replaces the arguments.
   */
  toWholeCall(args?: string): JsonObject {
    const argumentsField = this.field === CUSTOM_TYPE ? "input" : "arguments";
    const data: JsonObject = copyObject(this.data);
    data[argumentsField] = args ?? data[argumentsField] ?? "";
    if (this.field === LEGACY_FIELD) return data;
    const wire: JsonObject = copyObject(this.wire);
    if (isObject(wire[this.field])) wire[this.field] = data;
    wire["type"] ??= this.field;
    return wire;
  }
}

/** Returns the merged name. A fragment can continue the name, repeat it, or repeat it with a continuation. */
function mergeName(name: string, text: string): string {
  if (text === name || text === "") return name;
  return text.startsWith(name) ? text : name + text;
}

/** The fields of a fragment that identify its call. */
interface CallFragment {
  index: JsonValue | undefined;
  id: string | undefined;
  name: string | undefined;
  args: string;
  /** True if an earlier fragment of the same chunk belongs to the call that `#findCandidate` returned. */
  isRepeatedInList: boolean;
}

export class ChatToolCallDecoder {
  readonly calls: StreamedChatCall[] = [];
  legacyCall: StreamedChatCall | undefined;
  readonly #byIndex = new Map<JsonValue, StreamedChatCall>();
  readonly #byId = new Map<string, StreamedChatCall>();
  readonly #state: ChatDecodeState;
  readonly #callIds: StreamCallIds;
  readonly #emittedParts: Map<string, EmittedPart>;
  readonly #base: PayloadBase;
  /** The index of the first call whose start has not been emitted. */
  #nextToStart = 0;

  constructor(
    state: ChatDecodeState,
    callIds: StreamCallIds,
    emittedParts: Map<string, EmittedPart>,
    base: PayloadBase,
  ) {
    this.#state = state;
    this.#callIds = callIds;
    this.#emittedParts = emittedParts;
    this.#base = base;
  }

  /** Decodes the fragments of a chunk. Returns the fragments whose call has already ended. */
  decode(list: readonly JsonObject[], out: Delta[]): JsonObject[] {
    const touched = new Set<StreamedChatCall>();
    const ended: JsonObject[] = [];
    for (const fragment of list) {
      const call = this.#findOrCreateCall(fragment, touched);
      if (call.hasEnded) ended.push(fragment);
      else {
        touched.add(call);
        const late = call.addFields(fragment);
        if (late !== undefined) this.#emitArguments(call, out, { [this.#state.context.dialect]: late });
      }
    }
    this.emitReadyCalls(out);
    for (const call of touched) this.#emitArguments(call, out);
    return ended;
  }

  /** Decodes a fragment of the deprecated `function_call`. Returns false if the call has already ended. */
  decodeLegacy(data: JsonObject, out: Delta[]): boolean {
    this.legacyCall ??= new StreamedChatCall(LEGACY_FIELD, LEGACY_FIELD);
    if (this.legacyCall.hasEnded) return false;
    this.legacyCall.addData(LEGACY_FIELD, data);
    this.emitReadyCalls(out);
    return true;
  }

  get isEmpty(): boolean {
    return this.calls.length === 0 && this.legacyCall === undefined;
  }

  #findOrCreateCall(wireFragment: JsonObject, touched: ReadonlySet<StreamedChatCall>): StreamedChatCall {
    const { index, id } = wireFragment;
    const data = isObject(wireFragment[CUSTOM_TYPE])
      ? wireFragment[CUSTOM_TYPE]
      : isObject(wireFragment["function"])
        ? wireFragment["function"]
        : {};
    const { name } = data;
    const args = data["arguments"] ?? data["input"];
    const fragment: CallFragment = {
      index: typeof index === "number" ? index : undefined,
      id: typeof id === "string" && id !== "" ? id : undefined,
      name: typeof name === "string" && name !== "" ? name : undefined,
      args: typeof args === "string" ? args : "",
      isRepeatedInList: false,
    };
    const known = this.#findCandidate(fragment);
    if (known !== undefined) {
      fragment.isRepeatedInList = touched.has(known);
      if (continuesCall(known, fragment)) return this.#register(known, fragment);
    }
    const call = new StreamedChatCall(
      `calls/${this.calls.length}`,
      isObject(wireFragment[CUSTOM_TYPE]) ? CUSTOM_TYPE : "function",
    );
    this.calls.push(call);
    return this.#register(call, fragment);
  }

  /**
   * Returns the call that a fragment may continue, found by index, id or order; undefined if the fragment starts a
   * call.
   */
  #findCandidate({ index, id, name }: CallFragment): StreamedChatCall | undefined {
    if (index !== undefined) {
      const known = this.#byIndex.get(index);
      // A fragment with an unknown index and a known id continues the call with that id. If it also has a name, it
      // starts a new call.
      return known ?? (id !== undefined && name === undefined ? this.#byId.get(id) : undefined);
    }
    const byId = id === undefined ? undefined : this.#byId.get(id);
    return byId ?? this.calls.at(-1);
  }

  #register(call: StreamedChatCall, { index, id }: CallFragment): StreamedChatCall {
    if (index !== undefined) this.#byIndex.set(index, call);
    if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, call);
    return call;
  }

  /** Emits the starts of the calls whose names are complete, in order; with `isLast`, of all calls. */
  emitReadyCalls(out: Delta[], isLast = false): void {
    for (; this.#nextToStart < this.calls.length; this.#nextToStart++) {
      const call = this.calls[this.#nextToStart];
      if (call === undefined) break;
      if (call.name === "" && !isLast) break;
      // A name is complete once arguments or another call follow. Empty arguments count only if the call has an id.
      const isNamed =
        isObject(call.args) || call.pendingArguments !== "" || (call.id !== undefined && call.args === "");
      if (!isNamed && this.#nextToStart === this.calls.length - 1 && !isLast) break;
      this.#emitStart(call, out);
    }
    const { legacyCall } = this;
    if (legacyCall === undefined) return;
    if (legacyCall.toolCallId === undefined && legacyCall.name !== "" && (legacyCall.pendingArguments !== "" || isLast))
      this.#emitStart(legacyCall, out);
    this.#emitArguments(legacyCall, out);
  }

  #emitStart(call: StreamedChatCall, out: Delta[]): void {
    const isText = typeof (call.args ?? "") === "string";
    const part = this.#decodePart(call, isText ? "" : undefined);
    if (part === undefined) return;
    const emitted = new EmittedPart(call.key, isText && part.type === "tool-call" ? "call" : "whole");
    this.#emittedParts.set(call.key, emitted);
    call.emitted = emitted;
    if (part.type !== "tool-call") {
      // A call without a name becomes an opaque part.
      out.push({ kind: "part", payload: { value: part, partKey: call.key, ...this.#base } });
      return;
    }
    this.#callIds.assignId(part, this.#state.context.dialect);
    const { toolCallId, toolName, format, extra } = part;
    emitted.call = part;
    emitted.extra = extra;
    if (!isText) {
      out.push({ kind: "part", payload: { value: part, partKey: call.key, ...this.#base } });
      return;
    }
    const payload: ToolCallStartPayload = { toolCallId, toolName, partKey: call.key, ...this.#base };
    if (format !== undefined) payload.format = format;
    if (extra !== undefined) payload.extra = extra;
    out.push({ kind: "tool_call_start", payload });
    this.#emitArguments(call, out);
  }

  #decodePart(call: StreamedChatCall, args: string | undefined): Part | undefined {
    const wire = call.toWholeCall(args);
    return call === this.legacyCall ? decodeFunctionCall(wire, this.#state) : decodeCall(wire, this.#state);
  }

  #emitArguments(call: StreamedChatCall, out: Delta[], extra?: Extra): void {
    const { toolCallId, pendingArguments } = call;
    if (toolCallId === undefined || call.emitted?.kind === "whole" || (pendingArguments === "" && extra === undefined))
      return;
    call.pendingArguments = "";
    out.push({
      kind: "tool_call_args",
      payload:
        extra === undefined
          ? { toolCallId, argsTextDelta: pendingArguments }
          : { toolCallId, argsTextDelta: pendingArguments, extra },
    });
  }
}

/** True if a fragment continues a call; false if it starts a new one. Decided by id, name and arguments (B18). */
function continuesCall(call: StreamedChatCall, { index, id, name, args, isRepeatedInList }: CallFragment): boolean {
  if (isRepeatedInList && (name !== undefined || id !== undefined)) return false;
  const known = call.args;
  const hasArgs = known !== undefined && known !== "";
  const hasOtherId = id !== undefined && call.id !== undefined && id !== call.id;
  if (!hasOtherId && id !== undefined && call.id !== undefined) return true;
  // Without an index, another id starts a new call. With an index, the name and the arguments decide, because some
  // vendors send another id with every fragment of a call.
  if (hasOtherId && index === undefined) return false;
  if (name === undefined || call.name === "") return !hasOtherId || typeof known !== "string" || !isComplete(known);
  if (!hasArgs) return !hasOtherId;
  if ((id !== undefined && !hasOtherId) || typeof known !== "string") return false;
  // A name cannot grow after arguments have arrived: an equal name is a repetition, another name starts a call.
  if (name !== call.name) return false;
  const startsObject = args.trimStart().startsWith("{");
  return hasOtherId ? !startsObject && !isComplete(known) : !startsObject || !isComplete(known);
}

/** True if the text is a complete JSON object, which further arguments cannot continue. */
function isComplete(text: string): boolean {
  if (!text.trimEnd().endsWith("}")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
