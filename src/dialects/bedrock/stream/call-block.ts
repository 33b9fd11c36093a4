// Decodes a tool call of a Bedrock stream. Its arguments arrive as pieces of JSON text.
import type { Delta } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import type { ToolCallPart, WithExtra } from "../../../model/parts.ts";
import { hasFieldCount } from "../../blocks/fields.ts";
import { isObject, unknownFields } from "../../kit/fields/read-wire.ts";
import { storeResidue } from "../../kit/residue/residue.ts";
import type { OpenCallBlock } from "../../kit/streams/open-blocks.ts";
import { createCallStart, parseJsonOr } from "../../kit/streams/stream-tool-calls.ts";
import { restoreName } from "../../kit/tools/tool-renames.ts";
import { storeRest } from "../content/cache-point.ts";
import type { BedrockDecodeState } from "../content/decode-state.ts";
import { decodeToolUse } from "../content/decode-tool-blocks.ts";
import { SERVER_CALL } from "../terms.ts";
import type { BedrockOpenBlock } from "./open-blocks.ts";
import { withResidue } from "./open-blocks.ts";
import type { BedrockStreamCalls } from "./stream-calls.ts";

const DELTA_FIELDS: ReadonlySet<string> = new Set(["toolUse"]);
const TOOL_USE_FIELDS: ReadonlySet<string> = new Set(["input"]);

/** One open call block; it is created for a start event whose `toolUse` has a name. */
export class BedrockCallBlock implements BedrockOpenBlock, OpenCallBlock {
  readonly kind = "call";
  readonly key: number;
  readonly isRunByClient: boolean;
  readonly #wire: JsonObject;
  readonly #state: BedrockDecodeState;
  readonly #calls: BedrockStreamCalls;
  /** The canonical call id; undefined until the start of the call is emitted. */
  #toolCallId: string | undefined;
  /** The arguments of a free-form tool's call that have arrived before the start of the call is emitted. */
  #argumentText = "";
  #hasEnded = false;

  constructor(start: JsonObject, key: number, state: BedrockDecodeState, calls: BedrockStreamCalls) {
    this.key = key;
    this.#wire = start;
    this.#state = state;
    this.#calls = calls;
    const { toolUse } = start;
    this.isRunByClient = isObject(toolUse) && toolUse["type"] !== SERVER_CALL;
  }

  /**
   * Emits the start of the call. For a free-form tool it is emitted later, because the tool's text is in a JSON object
   * that must be complete before the text can be read.
   */
  open(): Delta[] {
    const { names } = this.#state;
    const { toolUse } = this.#wire;
    const wireName = isObject(toolUse) ? toolUse["name"] : undefined;
    const name = typeof wireName === "string" ? restoreName(wireName, names?.toolNames) : "";
    return names?.textTools?.includes(name) === true && this.isRunByClient ? [] : [this.#startDelta({})];
  }

  #startDelta(input: JsonValue): Delta {
    const { context } = this.#state;
    const toolUse = copyObject(this.#wire["toolUse"] as JsonObject);
    toolUse["input"] = input;
    const call = decodeToolUse(toolUse, this.#state) as ToolCallPart;
    storeRest(call, this.#wire, context.dialect, [], "toolUse");
    this.#calls.assignId(call);
    this.#toolCallId = call.toolCallId;
    if (call.format === "text") this.#argumentText = String(call.input);
    return createCallStart(call, this.key);
  }

  add(delta: JsonObject): Delta[] {
    const { toolUse } = delta;
    const { dialect } = this.#state.context;
    const { input } = isObject(toolUse) ? toolUse : {};
    const residue: WithExtra = {};
    const hasText = typeof input === "string";
    const isPlain = hasText && isObject(toolUse) && hasFieldCount(toolUse, 1) && hasFieldCount(delta, 1);
    if (!isPlain) storeResidue(residue, dialect, unknownFields(delta, DELTA_FIELDS));
    if (!isPlain && isObject(toolUse))
      storeResidue(residue, dialect, hasText ? unknownFields(toolUse, TOOL_USE_FIELDS) : toolUse, "toolUse");
    const text = hasText ? input : "";
    if (this.#toolCallId === undefined) this.#argumentText += text;
    if (text === "" && residue.extra === undefined) return [];
    return this.#toolCallId === undefined ? [] : [this.#argumentsDelta(text, residue)];
  }

  #argumentsDelta(argsTextDelta: string, residue: WithExtra = {}): Delta {
    const toolCallId = this.#toolCallId ?? "";
    return { kind: "tool_call_args", payload: withResidue({ toolCallId, argsTextDelta }, residue) };
  }

  close(): Delta[] {
    return [];
  }

  abandon(): Delta[] {
    if (this.#toolCallId !== undefined) return [];
    return [this.#startDelta({}), this.#argumentsDelta(this.#argumentText)];
  }

  end(isCut = false): Delta[] {
    if (this.#hasEnded) return [];
    this.#hasEnded = true;
    const deltas: Delta[] = [];
    if (this.#toolCallId === undefined) {
      deltas.push(this.#startDelta(parseJsonOr({}, this.#argumentText)), this.#argumentsDelta(this.#argumentText));
    }
    const payload = { toolCallId: this.#toolCallId ?? "" };
    deltas.push({ kind: "tool_call_end", payload: isCut ? { ...payload, invalid: true } : payload });
    return deltas;
  }
}
