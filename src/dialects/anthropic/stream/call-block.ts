// Decodes a tool call of a stream. Its arguments arrive as text; the call ends when the answer continues after it or
// ends.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject, stringifyJson } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import { isObject } from "../../kit/fields/read-wire.ts";
import { readForm, storeForm } from "../../kit/residue/residue.ts";
import type { OpenCallBlock } from "../../kit/streams/open-blocks.ts";
import type { StreamCallIds } from "../../kit/streams/stream-tool-calls.ts";
import { createCallStart, parseJsonOr } from "../../kit/streams/stream-tool-calls.ts";
import { restoreName } from "../../kit/tools/tool-renames.ts";
import type { AnthropicDecodeState } from "../content/decode-state.ts";
import { decodeToolUse } from "../content/decode-tool-blocks.ts";
import type { AnthropicOpenBlock } from "./text-blocks.ts";
import { AnthropicStreamedBlock, readDeltaResidue } from "./text-blocks.ts";

const JSON_DELTA_FIELDS: ReadonlySet<string> = new Set(["type", "partial_json"]);

export class AnthropicCallBlock extends AnthropicStreamedBlock implements AnthropicOpenBlock, OpenCallBlock {
  readonly kind = "call";
  readonly #calls: StreamCallIds;
  #form: JsonObject = {};
  /** The canonical id of the call; "" until the delta that starts the call is emitted. */
  #toolCallId = "";
  /**
   * The argument text so far of a call to a free-form tool, which is emitted together with the delta that starts the
   * call.
   */
  #argumentText = "";
  /** True while the argument text of all deltas so far is empty or white space. */
  #isBlank = true;
  #hasEnded = false;

  constructor(wire: JsonObject, key: number, state: AnthropicDecodeState, calls: StreamCallIds) {
    super(wire, key, state);
    this.#calls = calls;
  }

  get isRunByClient(): boolean {
    return this.wire["type"] === "tool_use";
  }

  /**
   * True for a call to a free-form tool. Its input text is wrapped in an object, which must be complete before the call
   * is emitted.
   */
  get #isFreeForm(): boolean {
    const { names } = this.state;
    const { name } = this.wire;
    if (names?.textTools === undefined || !this.isRunByClient || typeof name !== "string") return false;
    return names.textTools.includes(restoreName(name, names.toolNames));
  }

  get #isEmitted(): boolean {
    return this.#toolCallId !== "";
  }

  open(): Delta[] {
    return this.#isFreeForm ? [] : [this.#startDelta({})];
  }

  #startDelta(input: JsonValue): Delta {
    const { context } = this.state;
    const block = copyObject(this.wire);
    block["input"] = input;
    const call = decodeToolUse(block, this.state);
    // This cannot happen: the answer decoder creates this block only for a wire block with a name and a type, and
    // decodeToolUse returns undefined only if one of them is missing.
    if (call === undefined) return context.fail("missing-field", "The tool call has no name.", "name");
    this.#calls.assignId(call, context.dialect);
    this.#toolCallId = call.toolCallId;
    this.#form = readForm(call, context.dialect);
    if (call.format === "text") this.#argumentText = String(call.input);
    return createCallStart(call, this.key);
  }

  add(delta: JsonObject, event: JsonObject): Delta[] | undefined {
    const { type, partial_json: text } = delta;
    if (type !== "input_json_delta" || typeof text !== "string" || this.#hasEnded) return undefined;
    const { extra } = readDeltaResidue(event, delta, text, JSON_DELTA_FIELDS, this.state.context.dialect);
    this.#isBlank &&= text.trim() === "";
    if (!this.#isEmitted) this.#argumentText += text;
    if (!this.#isEmitted || (text === "" && extra === undefined)) return [];
    return [this.#argumentsDelta(text, extra === undefined ? undefined : { extra })];
  }

  abandon(): Delta[] {
    const extra = this.addUnknownEvents({});
    if (this.#hasEnded || (this.#isEmitted && extra === undefined)) return [];
    const residue = extra === undefined ? undefined : { extra };
    if (this.#isEmitted) return [this.#argumentsDelta("", residue)];
    return [this.#startDelta({}), this.#argumentsDelta(this.#argumentText, residue)];
  }

  #argumentsDelta(argsTextDelta: string, residue?: WithExtra): Delta {
    return { kind: "tool_call_args", payload: { toolCallId: this.#toolCallId, argsTextDelta, ...residue } };
  }

  close(): Delta[] {
    return [];
  }

  /**
   * Ends the call. If the argument text of the deltas is blank, the `input` of the start event is used as the arguments
   * (B20).
   */
  end(isCut = false): Delta[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = true;
    const isBlank = this.#isBlank;
    const { input } = this.wire;
    const initialText = isBlank && input !== undefined && !isEmptyObject(input) ? stringifyJson(input) : "";
    const deltas: Delta[] = [];
    if (!this.#isEmitted) {
      if (isBlank) this.#argumentText = initialText;
      deltas.push(this.#startDelta(parseJsonOr({}, this.#argumentText)), this.#argumentsDelta(this.#argumentText));
    } else if (initialText !== "") deltas.push(this.#argumentsDelta(initialText));
    const target: WithExtra = {};
    if (isBlank && input === undefined) {
      // The form `input: "none"` records that no arguments arrived. The `$form` of this residue replaces the `$form` of
      // the delta that started the call, so the forms of that delta are stored again.
      const { dialect } = this.state.context;
      for (const key of Object.keys(this.#form)) storeForm(target, dialect, key, this.#form[key] ?? null);
      storeForm(target, dialect, "input", "none");
    }
    const extra = this.addUnknownEvents(target);
    const payload = { toolCallId: this.#toolCallId, ...(extra !== undefined && { extra }) };
    deltas.push({ kind: "tool_call_end", payload: isCut ? { ...payload, invalid: true } : payload });
    return deltas;
  }
}

function isEmptyObject(value: JsonValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
