// What a record is: its dialect, and whether it is a request, a response, messages or an error. What the user has said
// wins; the rest is told by the record itself, and what could be two things is an error that says how to decide.
import type { Dialect } from "../../dialects/index.ts";
import { detect, dialects, isObject } from "../../dialects/index.ts";
import type { JsonObject } from "../../model/index.ts";
import { CliError } from "../exit.ts";
import type { Beside } from "./envelope.ts";
import { unwrap } from "./envelope.ts";
import { dialectOfMessages, isMessage } from "./messages.ts";

export const KINDS = ["request", "response", "messages", "stream", "error"] as const;
export type Kind = (typeof KINDS)[number];

/** What the user said about all records. */
export interface Wanted {
  from?: Dialect | undefined;
  kind?: Kind | undefined;
  /** The dialect of that name, with the user's options. */
  dialectOf(id: string): Dialect;
}

export interface Recognised {
  dialect: Dialect;
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
  if (!isObject(body)) throw unknown(`Expected an object or a list of messages, found ${typeof body}.`);
  const { kind = kindOf(body, wanted.from) } = wanted;
  if (kind === "messages") {
    const list = body["messages"] ?? body["contents"] ?? body["input"];
    if (list === undefined) return recogniseMessages([body], true, wanted, beside);
    const dialect = wanted.from ?? dialectOfBody(body, wanted) ?? dialectOfList(list, wanted);
    return { dialect, kind, value: body, beside, isOne: false };
  }
  const dialect = wanted.from ?? dialectOfBody(body, wanted);
  if (dialect === undefined) throw ambiguous(kind);
  if (kind === undefined) {
    throw unknown("It is no request, response, error or message that can be told; give --kind.");
  }
  return { dialect, kind, value: body, beside, isOne: false };
}

function recogniseMessages(list: readonly unknown[], isOne: boolean, wanted: Wanted, beside: Beside): Recognised {
  if (wanted.kind !== undefined && wanted.kind !== "messages") {
    throw unknown(`It is ${isOne ? "a message" : "a list of messages"}, no ${wanted.kind}; leave --kind out.`);
  }
  const dialect = wanted.from ?? dialectOfList(list, wanted);
  return { dialect, kind: "messages", value: list, beside, isOne };
}

function dialectOfList(list: unknown, wanted: Wanted): Dialect {
  const id = Array.isArray(list) ? dialectOfMessages(list) : undefined;
  if (id === undefined) throw ambiguous("messages");
  return wanted.dialectOf(id);
}

function dialectOfBody(body: JsonObject, wanted: Wanted): Dialect | undefined {
  const found = detect(body);
  return found && wanted.dialectOf(found.dialect);
}

/** The kind of an object, by what its dialect recognises, else by the fields that all dialects have in common. */
function kindOf(body: JsonObject, from: Dialect | undefined): Kind | undefined {
  const recognised = from === undefined ? detect(body)?.kind : from.recognise(body);
  if (recognised !== undefined) return recognised;
  if (isMessage(body)) return "messages";
  const { messages, contents, input } = body;
  if (messages !== undefined || contents !== undefined || input !== undefined) {
    if (from !== undefined) return from.carries.has("requests") ? "request" : "messages";
    return Array.isArray(messages) && dialectOfMessages(messages) !== undefined ? "messages" : undefined;
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
