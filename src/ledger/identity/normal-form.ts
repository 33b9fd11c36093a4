// The normal form of a turn: the content that every client resends, in any dialect and any division into messages. Two
// turns with the same normal form are the same turn.
import { stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import type { Message, Role } from "../../model/message.ts";
import type { MediaPart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { encodeForHash, encodeString } from "./hash-encoding.ts";
import { toMediaIdentity } from "./media-identity.ts";

/**
 * Returns the role of a message's turn: developer messages count as system, because some dialects have no developer
 * role.
 */
export function toTurnRole<Name extends string>(role: Name): Name | "system" {
  return role === "developer" ? "system" : role;
}

/** True if the role gives instructions; leading instructions are not part of a history's identity. */
export function isInstruction(role: string): boolean {
  return role === "system" || role === "developer";
}

/**
 * True if an assistant message is blank: it has no content in its normal form, for example only reasoning, media or
 * white space. A client may drop it, so it neither is a turn nor separates turns; right before assistant content it
 * belongs to that turn.
 */
export function isBlank({ role, parts }: Message): boolean {
  return role === "assistant" && !parts.some(hasNormalForm);
}

function hasNormalForm(part: Part): boolean {
  if (part.type === "text" || part.type === "refusal") return part.text.trimEnd() !== "";
  return (part.type === "tool-call" || part.type === "tool-result") && part.executor !== "provider";
}

/**
 * Returns the normal form of a turn, a run of messages of one role with blank messages between them. Text is joined;
 * then come the calls of client tools, results and media, each in order: Chat has text and calls in two fields, so no
 * order between them survives. Omitted is all that a client may drop or never received: call ids, reasoning, seals,
 * residue, annotations, calls and results of provider tools, media made by the model, opaque and empty parts; also the
 * error flag of a result, which Chat does not have. `before` is the previous turn, which contains the calls of results.
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

/** Missing arguments count as an empty object (B20). */
function encodeCall({ toolName, input }: ToolCallPart): string {
  return `c${encodeString(toolName)}${encodeForHash(input === undefined ? {} : unwrapInput(input))}`;
}

/**
 * The only field of an object that wraps arguments which are not an object, for dialects that accept only objects (B22,
 * B32).
 */
const WRAPPER_KEY = "value";

/** Returns the arguments without the wrapper object of a dialect. */
function unwrapInput(input: unknown): unknown {
  if (!isObject(input) || !Object.hasOwn(input, WRAPPER_KEY) || Object.keys(input).length !== 1) return input;
  return isObject(input[WRAPPER_KEY]) ? input : input[WRAPPER_KEY];
}

/**
 * Encodes a result. A JSON output counts as its text, because most dialects transmit only text; text parts count as
 * text.
 */
function encodeResult({ output, content }: ToolResultPart): string {
  const builder = new NormalFormBuilder("tool");
  if (output !== undefined)
    builder.add({ type: "text", text: typeof output === "string" ? output : stringifyJson(output) });
  for (const part of content ?? []) builder.add(part);
  return `r${builder.build([])}`;
}

/** Returns the results in the order of their calls; results without a call come last, in their order. */
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

/** Encodes media by their bytes or address. Equal bytes are equal: inline, in a data URL or in a blob. */
function encodeMedia(part: MediaPart): string {
  if (part.content !== undefined) {
    const builder = new NormalFormBuilder("user");
    for (const each of part.content) builder.add(each);
    return `n${builder.build([])}`;
  }
  return `m${encodeString(toMediaIdentity(part))}`;
}
