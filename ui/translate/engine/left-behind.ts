// What stays behind where a dialect has no place for the whole: the settings of a request and the facts of an answer where
// only messages are carried, and what the body of an error says beyond its kind and its words.
import type { AssembledRun, Loss, LossLevel, ProviderError, ModelRequest, Response } from "koine";
import { isObject, sameJson } from "koine";
import { pointerOf } from "../../json/pointers.ts";

function dropped(path: string, level: LossLevel, code: string, message: string): Loss {
  return { path, action: "dropped", level, code, message };
}

const MESSAGES_ONLY = "The dialect carries messages only.";

/** Who was asked, and what only other dialects say; everything else decides what is answered. */
const NOTES_OF_REQUEST: ReadonlySet<string> = new Set(["model", "metadata", "extra"]);

/** The flag that asks for a stream says nothing by itself. */
export function leftOfRequest(settings: Omit<ModelRequest, "messages">): Loss[] {
  return Object.entries(settings)
    .filter(([name, value]) => name !== "stream" && value !== undefined)
    .map(([name]) => dropped(`/${name}`, NOTES_OF_REQUEST.has(name) ? "note" : "loss", "settings-left", MESSAGES_ONLY));
}

/** Bookkeeping of an answer. That it ended as it should, nobody misses. */
const NOTES_OF_RESPONSE: ReadonlySet<string> = new Set(["id", "model", "createdAt", "usage", "metadata", "extra"]);
const PLAIN_ENDS: ReadonlySet<string> = new Set(["stop", "tool-calls"]);

export function leftOfResponse({ alternatives = [], ...facts }: Omit<Response, "message">): Loss[] {
  const choices = alternatives.map((_, at) =>
    dropped(`/alternatives/${at}`, "loss", "choice-left", "One answer is carried; this is another choice of it."),
  );
  const others = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => {
      const isNote =
        NOTES_OF_RESPONSE.has(name) || (name === "finishReason" && PLAIN_ENDS.has(facts.finishReason.unified));
      return dropped(`/${name}`, isNote ? "note" : "loss", "facts-left", MESSAGES_ONLY);
    });
  return [...choices, ...others];
}

/** The messages of a run are carried; the facts of its answers are not. */
export function leftOfRun({ responses }: AssembledRun): Loss[] {
  return responses.flatMap((response, at) => {
    const { message: _, ...facts } = response;
    return leftOfResponse(facts).map((loss) => Object.assign(loss, { path: `/responses/${at}${loss.path}` }));
  });
}

/** Compares an error with what a reader of the wire would take it for. */
export function leftOfError(error: ProviderError, wire: unknown, heard: ProviderError): Loss[] {
  const { raw, ...facts } = error;
  const losses = Object.entries(facts)
    .filter(([name, value]) => value !== undefined && !sameJson(value, heard[name as keyof ProviderError] ?? null))
    .map(([name]) => dropped(`/${name}`, "loss", "error-unsaid", "The body of this dialect's errors does not say it."));
  if (raw !== undefined && !sameJson(raw, wire)) {
    const said = new Set<unknown>([error.message, error.status, ...leavesOf(wire)]);
    gather(raw, "/raw", said, losses);
  }
  return losses;
}

/** How providers name kinds of errors: the kind itself arrives. */
const KIND_WORDS: ReadonlySet<string> = new Set(["type", "code", "status", "param", "object", "__type"]);

/** Whether nothing of it is said; if so of all of it, the whole is one loss, and else its parts are. */
function gather(value: unknown, path: string, said: ReadonlySet<unknown>, losses: Loss[]): void {
  const isWhole = leavesOf(value).every((leaf) => !said.has(leaf));
  if (leavesOf(value).length === 0) return;
  if (isObject(value) && !(isWhole && path.split("/").length > 3)) {
    for (const [name, each] of Object.entries(value)) gather(each, path + pointerOf([name]), said, losses);
  } else if (Array.isArray(value) && !isWhole) {
    value.forEach((each, at) => gather(each, `${path}/${at}`, said, losses));
  } else if (isWhole) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const level = KIND_WORDS.has(name) && typeof value !== "object" ? "note" : "loss";
    losses.push(dropped(path, level, "error-own-words", "What only the provider's own body says."));
  }
}

/** Texts, numbers and flags of a value; null says nothing. */
function leavesOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return typeof value === "object" ? Object.values(value).flatMap(leavesOf) : [value];
}
