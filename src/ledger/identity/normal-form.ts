// What a turn says, in one spelling: what every client that resends its history says again, whichever dialect it speaks
// and however it cuts the turn into messages. Two turns with the same normal form are the same turn.
import { stringifyJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import type { Message, Role } from "../../model/message.ts";
import type { MediaPart, Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";
import { canonical, sized } from "./canonical.ts";
import { sourceOf } from "./media.ts";

/** Whose turn a message belongs to: developer messages become system ones where a dialect has no word for them. */
export function voiceOf<Name extends string>(role: Name): Name | "system" {
  return role === "developer" ? "system" : role;
}

/** Whether the role gives instructions; at the beginning of a history those are outside its identity. */
export function isInstruction(role: string): boolean {
  return role === "system" || role === "developer";
}

/**
 * Whether an assistant's message says nothing of which a normal form is made: reasoning alone, media, white space. A
 * client may leave it out, so that it neither is a turn nor divides one; before words of the assistant it is part of them.
 */
export function isSilent({ role, parts }: Message): boolean {
  return role === "assistant" && !parts.some(isSaid);
}

function isSaid(part: Part): boolean {
  if (part.type === "text" || part.type === "refusal") return part.text.trimEnd() !== "";
  return (part.type === "tool-call" || part.type === "tool-result") && part.executor !== "provider";
}

/**
 * The normal form of a turn, which is a run of messages of one voice; those of another are silent ones. Text is joined; then come the calls of client tools,
 * results, and media, each in its order: Chat has text and calls in two fields, so that no order between them survives.
 * Left out is what a client may drop or was never given: call ids, reasoning, seals, residue, annotations, what the
 * provider ran, media that the model made, opaque and empty parts; also whether a result is an error, which Chat cannot
 * say. `before` is the turn before, which holds the calls that results answer.
 */
export function normalForm(turn: readonly Message[], before: readonly Message[]): string {
  const role = turn[0]?.role ?? "user";
  const said = new Said(role);
  for (const message of turn) {
    if (voiceOf(message.role) === voiceOf(role)) for (const part of message.parts) said.add(part);
  }
  return voiceOf(role).charAt(0) + said.form(before);
}

/** What parts say, gathered by kind. */
class Said {
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
        if (part.executor !== "provider") this.#calls += callForm(part);
        return;
      case "tool-result":
        if (part.executor !== "provider") (this.#results ??= []).push(part);
        return;
      case "image":
      case "audio":
      case "video":
      case "file":
        if (this.#role !== "assistant") this.#media += mediaForm(part);
        return;
      default:
    }
  }

  form(before: readonly Message[]): string {
    let form = sized(this.#text.trimEnd()) + this.#calls;
    for (const result of inCallOrder(this.#results ?? [], before)) form += resultForm(result);
    return form + this.#media;
  }
}

/** No arguments are none to speak of (B20). */
function callForm({ toolName, input }: ToolCallPart): string {
  return `c${sized(toolName)}${canonical(input === undefined ? {} : unwrapped(input))}`;
}

/** The one field of an object that holds arguments which are none, where a dialect takes nothing but objects (B22, B32). */
const WRAPPED = "value";

/** Arguments as they were before a dialect put them into an object. */
function unwrapped(input: unknown): unknown {
  if (!isObject(input) || !Object.hasOwn(input, WRAPPED) || Object.keys(input).length !== 1) return input;
  return isObject(input[WRAPPED]) ? input : input[WRAPPED];
}

/** A JSON output counts as its text, because most dialects carry no other; and a text in parts as the text. */
function resultForm({ output, content }: ToolResultPart): string {
  const said = new Said("tool");
  if (output !== undefined)
    said.add({ type: "text", text: typeof output === "string" ? output : stringifyJson(output) });
  for (const part of content ?? []) said.add(part);
  return `r${said.form([])}`;
}

/** Results in the order of the calls that they answer; others behind them, as they stand. */
function inCallOrder(results: readonly ToolResultPart[], before: readonly Message[]): readonly ToolResultPart[] {
  if (results.length < 2 || before.length === 0) return results;
  const waiting = new Map<string, number[]>();
  let count = 0;
  for (const { parts } of before) {
    for (const part of parts) {
      if (part.type !== "tool-call" || part.executor === "provider") continue;
      const places = waiting.get(part.toolCallId);
      if (places === undefined) waiting.set(part.toolCallId, [count++]);
      else places.push(count++);
    }
  }
  // Where an id was called with twice, the n-th result belongs to the n-th call.
  const placed = results.map((result) => ({ result, place: waiting.get(result.toolCallId)?.shift() ?? count }));
  return placed.sort((one, other) => one.place - other.place).map(({ result }) => result);
}

/** Media by what they are made of, else by where they are. Inline, in a data URL or in the ledger: the same bytes are the same. */
function mediaForm(part: MediaPart): string {
  if (part.content !== undefined) {
    const said = new Said("user");
    for (const each of part.content) said.add(each);
    return `n${said.form([])}`;
  }
  return `m${sized(sourceOf(part))}`;
}
