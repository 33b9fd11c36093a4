// Creates the normal form of a turn: the content that the clients of every dialect resend, for any division of the turn
// into messages. Turns with the same normal form count as the same turn.
import { stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Message, Role } from "../../model/message.ts";
import type { MediaPart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { encodeForHash, encodeString } from "./hash-encoding.ts";
import { toMediaIdentity } from "./media-identity.ts";

/**
 * Returns the role of a message's turn. Developer messages count as system messages, because some dialects have no
 * developer role.
 */
export function toTurnRole<Name extends string>(role: Name): Name | "system" {
  return role === "developer" ? "system" : role;
}

/** True if messages of the role are instructions. Leading instructions are not part of a history's identity. */
export function isInstruction(role: string): boolean {
  return role === "system" || role === "developer";
}

/**
 * True if a message is blank: an assistant message without content in its normal form, for example with only reasoning,
 * media or white space. A client may drop a blank message, so it is not a turn of its own and does not separate turns;
 * directly before assistant content it belongs to the turn of that content.
 */
export function isBlank({ role, parts }: Message): boolean {
  return role === "assistant" && !parts.some(hasNormalForm);
}

function hasNormalForm(part: Part): boolean {
  if (part.type === "text" || part.type === "refusal") return part.text.trimEnd() !== "";
  return (part.type === "tool-call" || part.type === "tool-result") && part.executor !== "provider";
}

/**
 * Returns the normal form of a turn, whose messages have one role, with blank messages between them. The text is
 * joined; then follow the calls of client tools, the results and the media. The order is preserved only within each
 * kind, because Chat has text and calls in two fields. The normal form omits data that a client may drop or never
 * received: call ids, reasoning, seals, residue, annotations, calls and results of provider tools, media made by the
 * model, opaque and empty parts. It also omits the error flag of a result, which Chat does not have. `before` is the
 * previous turn, which contains the calls of the results.
 */
export function toNormalForm(turn: readonly Message[], before: readonly Message[]): string {
  const role = turn[0]?.role ?? "user";
  const builder = new NormalFormBuilder(role);
  for (const message of turn) {
    if (toTurnRole(message.role) === toTurnRole(role)) for (const part of message.parts) builder.add(part);
  }
  return toTurnRole(role).charAt(0) + builder.build(before);
}

/** Collects the content of parts by kind. */
class NormalFormBuilder {
  readonly #role: Role;
  #text = "";
  #calls = "";
  #media = "";
  #results: ToolResultPart[] | undefined;

  constructor(role: Role) {
    this.#role = role;
  }

  add(part: Part): void {
    switch (part.type) {
      case "text":
      case "refusal":
        this.#text += part.text;
        return;
      case "tool-call":
        if (part.executor !== "provider") this.#calls += encodeCall(part);
        return;
      case "tool-result":
        if (part.executor !== "provider") (this.#results ??= []).push(part);
        return;
      case "image":
      case "audio":
      case "video":
      case "file":
        if (this.#role !== "assistant") this.#media += encodeMedia(part);
        return;
      default:
    }
  }

  build(before: readonly Message[]): string {
    let form = encodeString(this.#text.trimEnd()) + this.#calls;
    for (const result of sortByCalls(this.#results ?? [], before)) form += encodeResult(result);
    return form + this.#media;
  }
}

/** Encodes a call. Missing arguments count as an empty object (B20). */
function encodeCall({ toolName, input }: ToolCallPart): string {
  return `c${encodeString(toolName)}${encodeForHash(input === undefined ? {} : unwrapInput(input))}`;
}

/**
 * The name of the only field of a wrapper object: dialects that accept only objects as arguments wrap other values in
 * such an object (B22, B32).
 */
const WRAPPER_KEY = "value";

/** Returns the arguments of a call without the wrapper object that a dialect added. */
function unwrapInput(input: unknown): unknown {
  if (!isObject(input) || !Object.hasOwn(input, WRAPPER_KEY) || Object.keys(input).length !== 1) return input;
  return isObject(input[WRAPPER_KEY]) ? input : input[WRAPPER_KEY];
}

/**
 * Encodes a tool result. An output that is not a string counts as its JSON text, because most dialects transmit only
 * text; text parts count as text.
 */
function encodeResult({ output, content }: ToolResultPart): string {
  const builder = new NormalFormBuilder("tool");
  if (output !== undefined)
    builder.add({ type: "text", text: typeof output === "string" ? output : stringifyJson(output) });
  for (const part of content ?? []) builder.add(part);
  return `r${builder.build([])}`;
}

/** Returns the results in the order of their calls. Results without a call come last, in their original order. */
function sortByCalls(results: readonly ToolResultPart[], before: readonly Message[]): readonly ToolResultPart[] {
  if (results.length < 2 || before.length === 0) return results;
  const indexesById = new Map<string, number[]>();
  let count = 0;
  for (const { parts } of before) {
    for (const part of parts) {
      if (part.type !== "tool-call" || part.executor === "provider") continue;
      const indexes = indexesById.get(part.toolCallId);
      if (indexes === undefined) indexesById.set(part.toolCallId, [count++]);
      else indexes.push(count++);
    }
  }
  // If several calls have one id, the n-th result belongs to the n-th call.
  const indexed = results.map((result) => ({ result, index: indexesById.get(result.toolCallId)?.shift() ?? count }));
  return indexed.sort((one, other) => one.index - other.index).map(({ result }) => result);
}

/**
 * Encodes a media part by its content parts, or else by its bytes or address. Equal bytes have equal encodings, whether
 * they are inline, in a data URL or in a blob.
 */
function encodeMedia(part: MediaPart): string {
  if (part.content !== undefined) {
    const builder = new NormalFormBuilder("user");
    for (const each of part.content) builder.add(each);
    return `n${builder.build([])}`;
  }
  return `m${encodeString(toMediaIdentity(part))}`;
}
