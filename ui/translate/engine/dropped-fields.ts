// Creates losses that dialects do not report themselves: for the fields of requests and responses in dialects that
// support only messages, and for the details of error bodies.
import type { AssembledRun, Loss, LossLevel, ProviderError, ModelRequest, ModelResponse } from "koine";
import { isObject, sameJson } from "koine";
import { joinPointer } from "../../json/json-pointers.ts";

function createDroppedLoss(path: string, level: LossLevel, code: string, message: string): Loss {
  return { path, action: "dropped", level, code, message };
}

const MESSAGES_ONLY_MESSAGE = "This dialect supports only messages.";

/** Fields of a request whose loss is only a note; all other fields affect the answer. */
const REQUEST_NOTE_FIELDS: ReadonlySet<string> = new Set(["model", "metadata", "extra"]);

/** Returns a loss for each field of a request except the messages and the `stream` flag, which is not a loss. */
export function listRequestLosses(settings: Omit<ModelRequest, "messages">): Loss[] {
  return Object.entries(settings)
    .filter(([name, value]) => name !== "stream" && value !== undefined)
    .map(([name]) =>
      createDroppedLoss(
        `/${name}`,
        REQUEST_NOTE_FIELDS.has(name) ? "note" : "loss",
        "settings-unsupported",
        MESSAGES_ONLY_MESSAGE,
      ),
    );
}

/** Fields of a response whose loss is only a note. The loss of a normal finish reason is also only a note. */
const RESPONSE_NOTE_FIELDS: ReadonlySet<string> = new Set(["id", "model", "createdAt", "usage", "metadata", "extra"]);
const NORMAL_FINISH_REASONS: ReadonlySet<string> = new Set(["stop", "tool-calls"]);

export function listResponseLosses({ alternatives = [], ...fields }: Omit<ModelResponse, "message">): Loss[] {
  const choices = alternatives.map((_, at) =>
    createDroppedLoss(
      `/alternatives/${at}`,
      "loss",
      "choice-unsupported",
      "This dialect supports one answer; this is a further choice.",
    ),
  );
  const fieldLosses = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => {
      const isNote =
        RESPONSE_NOTE_FIELDS.has(name) ||
        (name === "finishReason" && NORMAL_FINISH_REASONS.has(fields.finishReason.unified));
      return createDroppedLoss(`/${name}`, isNote ? "note" : "loss", "field-unsupported", MESSAGES_ONLY_MESSAGE);
    });
  return [...choices, ...fieldLosses];
}

/**
 * Returns the losses of a run in a dialect that supports only messages: one for each field of the run's responses
 * except the message.
 */
export function listRunLosses({ responses }: AssembledRun): Loss[] {
  return responses.flatMap((response, at) => {
    const { message: _, ...facts } = response;
    return listResponseLosses(facts).map((loss) => Object.assign(loss, { path: `/responses/${at}${loss.path}` }));
  });
}

/**
 * Returns the losses of an encoded error. `wire` is the encoding of `error`, and `decodedError` is decoded from `wire`;
 * a field of `error` that `decodedError` does not have is lost.
 */
export function listErrorLosses(error: ProviderError, wire: unknown, decodedError: ProviderError): Loss[] {
  const { raw, ...facts } = error;
  const losses = Object.entries(facts)
    .filter(
      ([name, value]) => value !== undefined && !sameJson(value, decodedError[name as keyof ProviderError] ?? null),
    )
    .map(([name]) =>
      createDroppedLoss(
        `/${name}`,
        "loss",
        "error-flag-unsupported",
        "This dialect's error format has no field for it.",
      ),
    );
  if (raw !== undefined && !sameJson(raw, wire)) {
    const knownValues = new Set<unknown>([error.message, error.status, ...listLeaves(wire)]);
    collectLosses(raw, "/raw", knownValues, losses);
  }
  return losses;
}

/** Fields of provider error bodies that name the kind of error; their loss is a note, because `kind` replaces them. */
const ERROR_KIND_FIELDS: ReadonlySet<string> = new Set(["type", "code", "status", "param", "object", "__type"]);

/**
 * Adds a loss for each value that is not in `knownValues`, the values of the encoded error. A nested object of which no
 * value is known becomes one loss.
 */
function collectLosses(value: unknown, path: string, knownValues: ReadonlySet<unknown>, losses: Loss[]): void {
  const isUnknownCompletely = listLeaves(value).every((leaf) => !knownValues.has(leaf));
  if (listLeaves(value).length === 0) return;
  if (isObject(value) && !(isUnknownCompletely && path.split("/").length > 3)) {
    for (const [name, each] of Object.entries(value))
      collectLosses(each, path + joinPointer([name]), knownValues, losses);
  } else if (Array.isArray(value) && !isUnknownCompletely) {
    value.forEach((each, at) => collectLosses(each, `${path}/${at}`, knownValues, losses));
  } else if (isUnknownCompletely) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const level = ERROR_KIND_FIELDS.has(name) && typeof value !== "object" ? "note" : "loss";
    losses.push(
      createDroppedLoss(path, level, "error-body-not-portable", "Only the original provider's error body has this."),
    );
  }
}

/** Returns all texts, numbers and booleans in a value, without null. */
function listLeaves(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return typeof value === "object" ? Object.values(value).flatMap(listLeaves) : [value];
}
