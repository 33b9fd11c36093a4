// Lists losses that dialects do not report themselves: fields of requests and responses in dialects that support only
// messages, and details of error bodies.
import type { AssembledRun, Loss, LossLevel, ProviderError, ModelRequest, ModelResponse } from "koine";
import { isObject, sameJson } from "koine";
import { joinPointer } from "../../json/json-pointers.ts";

function createDroppedLoss(path: string, level: LossLevel, code: string, message: string): Loss {
  return { path, action: "dropped", level, code, message };
}

const MESSAGES_ONLY_MESSAGE = "This dialect supports only messages.";

/** Fields whose loss is only a note; all others affect the answer. */
const REQUEST_NOTE_FIELDS: ReadonlySet<string> = new Set(["model", "metadata", "extra"]);

/** The `stream` flag is ignored. */
export function listRequestLosses(settings: Omit<ModelRequest, "messages">): Loss[] {
  return Object.entries(settings)
    .filter(([name, value]) => name !== "stream" && value !== undefined)
    .map(([name]) =>
      createDroppedLoss(
        `/${name}`,
        REQUEST_NOTE_FIELDS.has(name) ? "note" : "loss",
        "settings-left",
        MESSAGES_ONLY_MESSAGE,
      ),
    );
}

/** Fields whose loss is only a note. A normal finish reason is one, too. */
const RESPONSE_NOTE_FIELDS: ReadonlySet<string> = new Set(["id", "model", "createdAt", "usage", "metadata", "extra"]);
const NORMAL_FINISH_REASONS: ReadonlySet<string> = new Set(["stop", "tool-calls"]);

export function listResponseLosses({ alternatives = [], ...fields }: Omit<ModelResponse, "message">): Loss[] {
  const choices = alternatives.map((_, at) =>
    createDroppedLoss(
      `/alternatives/${at}`,
      "loss",
      "choice-left",
      "This dialect supports one answer; this is a further choice.",
    ),
  );
  const fieldLosses = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => {
      const isNote =
        RESPONSE_NOTE_FIELDS.has(name) ||
        (name === "finishReason" && NORMAL_FINISH_REASONS.has(fields.finishReason.unified));
      return createDroppedLoss(`/${name}`, isNote ? "note" : "loss", "facts-left", MESSAGES_ONLY_MESSAGE);
    });
  return [...choices, ...fieldLosses];
}

/** The messages of a run are encoded; the fields of its responses are not. */
export function listRunLosses({ responses }: AssembledRun): Loss[] {
  return responses.flatMap((response, at) => {
    const { message: _, ...facts } = response;
    return listResponseLosses(facts).map((loss) => Object.assign(loss, { path: `/responses/${at}${loss.path}` }));
  });
}

/** Compares an error with the one decoded from its encoding. */
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

/** Names of error kinds in provider bodies; the canonical kind replaces them. */
const ERROR_KIND_FIELDS: ReadonlySet<string> = new Set(["type", "code", "status", "param", "object", "__type"]);

/** Collects the values that the encoded error does not contain; an object without any known value is one loss. */
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
    losses.push(createDroppedLoss(path, level, "error-own-words", "Only the original provider's error body has this."));
  }
}

/** Lists texts, numbers and booleans of a value; null does not count. */
function listLeaves(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return typeof value === "object" ? Object.values(value).flatMap(listLeaves) : [value];
}
