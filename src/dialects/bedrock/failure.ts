// An error body where an answer was expected: an answer that failed, and says nothing else.
import type { JsonObject } from "../../model/json.ts";
import type { ProviderError } from "../../model/provider-error.ts";
import type { ModelResponse } from "../../model/response.ts";
import type { EncodeContext } from "../dialect.ts";
import { reportForeignAnswer } from "../kit/echoes.ts";
import { isObject } from "../kit/read.ts";
import { readForm, storeForm, reportUnsupportedFields } from "../kit/residue.ts";
import { reportMessageFields } from "../kit/two-sides.ts";
import { encodeError, readError } from "./errors.ts";
import type { Code } from "./losses.ts";

const BODY = "body";

export function decodeFailure(wire: JsonObject, dialect: string): ModelResponse {
  const response: ModelResponse = {
    id: "",
    model: "",
    message: { role: "assistant", parts: [] },
    finishReason: { unified: "error" },
    error: readError(wire),
  };
  storeForm(response, dialect, BODY, "error");
  return response;
}

const CARRIED: ReadonlySet<string> = new Set(["id", "model", "message", "finishReason", "error", "extra"]);
const UNCARRIED: Readonly<Partial<Record<string, Code>>> = { createdAt: "bookkeeping" };

/** The error body of an answer that was one, and still says nothing else; undefined for every other. */
export function encodeFailure(response: ModelResponse, context: EncodeContext<Code>): JsonObject | undefined {
  const { message, error, finishReason } = response;
  const { dialect, report, pathTracker: trail } = context;
  if (response.extra === undefined || readForm(response, dialect)[BODY] !== "error") return undefined;
  if (error === undefined || message.parts.length > 0) {
    report.addLoss("form-stale", ["extra", dialect, "$form", BODY]);
    return undefined;
  }
  const { wire } = encodeError(error);
  reportFailure(error, wire, context);
  for (const name of ["id", "model"] as const) if (response[name] !== "") report.addLoss("bookkeeping", name);
  if (finishReason.unified !== "error") report.addLoss("finish-approximated", ["finishReason", "unified"]);
  if (finishReason.raw !== undefined) report.addLoss("finish-raw", ["finishReason", "raw"]);
  trail.into("message", () => reportMessageFields(message, context));
  reportForeignAnswer(response, context);
  reportUnsupportedFields(response, CARRIED, context, "field-unsaid", UNCARRIED);
  return isObject(wire) ? wire : {};
}

/** What only a reader of its own connection can say. */
const UNSAID: ReadonlySet<string> = new Set(["truncated", "network", "unknown"]);

/** Reports what an error says and its body does not. */
export function reportFailure(error: ProviderError, wire: unknown, { report }: EncodeContext<Code>): void {
  const again = readError(wire);
  for (const field of ["kind", "status", "retryAfterMs", "retryable"] as const) {
    if (error[field] === undefined || error[field] === again[field]) continue;
    const isUnsaid = field === "kind" && UNSAID.has(error.kind);
    report.addLoss(isUnsaid ? "bookkeeping" : "field-unsaid", ["error", field]);
  }
}
