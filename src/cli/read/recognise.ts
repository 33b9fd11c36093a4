// What a record is: its dialect, and whether it is a request, a response, messages or an error. What the user has said
// wins; the rest is told by the record itself, and what could be two things is an error that says how to decide.
import type { Dialect } from "../../dialects/index.ts";
import { dialects, isObject } from "../../dialects/index.ts";
import type { JsonObject } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { Beside } from "./envelope.ts";
import { unwrap } from "./envelope.ts";
import { dialectOfMessages, haveParts, isMessage } from "./messages.ts";
import { guess, tell } from "./settle.ts";

export const KINDS = ["request", "response", "messages", "stream", "error"] as const;
export type Kind = (typeof KINDS)[number];

/** What the user said about all records. */
export interface Wanted {
  from?: Dialect | undefined;
  kind?: Kind | undefined;
  /** What could be of several dialects is read as the likeliest. */
  guesses?: boolean;
  /** The dialect of that name, with the user's options. */
  dialectOf: (id: string) => Dialect;
}

export interface Recognised {
  dialect: Dialect;
  /** It could be another dialect's as well. */
  isGuess: boolean;
  kind: Kind;
  /** What to decode: a body, or for messages a list or a fragment. */
  value: unknown;
  beside: Beside;
  /** The record was one message by itself. */
  isOne: boolean;
}

export function recognise(record: unknown, wanted: Wanted): Recognised {
  const { body, beside } = unwrap(record);
  if (Array.isArray(body)) return recogniseMessages(body, false, wanted, beside);
  if (!isObject(body)) {
    const what = body === null ? "null" : `a ${typeof body}`;
    throw unknown(`Expected an object or a list of messages, found ${what}.`);
  }
  const told = wanted.from === undefined ? tell(body, beside.address?.model) : undefined;
  const { kind = told?.kind ?? kindOf(body, wanted.from) } = wanted;
  if (kind === "messages") {
    const list = body["messages"] ?? body["contents"] ?? body["input"];
    if (list === undefined) return recogniseMessages([body], true, wanted, beside);
    const shown = wanted.from === undefined ? (told?.dialect ?? dialectOfList(list)) : undefined;
    return { ...speakerOf(body, kind, shown, wanted), kind, value: body, beside, isOne: false };
  }
  const speaker = speakerOf(body, kind, told?.dialect, wanted);
  if (kind === undefined) {
    throw unknown("It is no request, response, error or message that can be told; give --kind.");
  }
  return { ...speaker, kind, value: body, beside, isOne: false };
}

function recogniseMessages(list: readonly unknown[], isOne: boolean, wanted: Wanted, beside: Beside): Recognised {
  if (wanted.kind !== undefined && wanted.kind !== "messages") {
    throw unknown(`It is ${isOne ? "a message" : "a list of messages"}, no ${wanted.kind}; leave --kind out.`);
  }
  const shown = wanted.from === undefined ? dialectOfList(list) : undefined;
  return { ...speakerOf(list, "messages", shown, wanted), kind: "messages", value: list, beside, isOne };
}

function dialectOfList(list: unknown): string | undefined {
  return Array.isArray(list) ? dialectOfMessages(list) : undefined;
}

/** The dialect that the user named, else the one that the record shows, else the likeliest where that will do. */
function speakerOf(
  value: unknown,
  kind: Kind | undefined,
  shown: string | undefined,
  { from, guesses, dialectOf }: Wanted,
): Pick<Recognised, "dialect" | "isGuess"> {
  const dialect = from ?? (shown === undefined ? undefined : dialectOf(shown));
  if (dialect !== undefined) return { dialect, isGuess: false };
  const guessed = guesses === true ? guess(value, kind, dialectOf) : undefined;
  if (guessed === undefined) throw ambiguous(kind);
  return { dialect: guessed, isGuess: true };
}

/** The kind of an object, by what its dialect recognises, else by the fields that all dialects have in common. */
function kindOf(body: JsonObject, from: Dialect | undefined): Kind | undefined {
  const recognised = from?.detectKind(body);
  if (recognised !== undefined) return recognised;
  if (isMessage(body)) return "messages";
  const { messages, contents, input } = body;
  if (messages !== undefined || contents !== undefined || input !== undefined) {
    if (from !== undefined) return from.supports.has("requests") ? "request" : "messages";
    const isShape = haveParts(messages) || dialectOfList(messages) !== undefined;
    return isShape || body["model"] === undefined ? "messages" : "request";
  }
  if (Array.isArray(body["choices"]) || Array.isArray(body["candidates"]) || Array.isArray(body["output"])) {
    return "response";
  }
  return body["error"] === undefined ? undefined : "error";
}

function unknown(message: string): CliError {
  return new CliError("record", message);
}

function ambiguous(kind: Kind | undefined): CliError {
  const what = kind === undefined ? "record" : kind === "messages" ? "list of messages" : kind;
  return unknown(`This ${what} could be of several dialects, or of none; give --from (${dialects.join(", ")}).`);
}
