// Reports the residue of other dialects on responses. Residue of a choice is content and counts as a loss; residue of
// the response itself describes it and counts as a note. The two tables below list the exceptions. An explicit null
// carries no information and is a note everywhere.
import type { JsonObject } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { isObject } from "../fields/read-wire.ts";
import type { NotPortableLoss } from "../losses/catalog.ts";
import { reportNotPortableResidue } from "./unsent-fields.ts";

type ResponseResidueLoss = "response-metadata-not-portable" | NotPortableLoss;

/** Fields of a choice that describe it: counts, ratings and stop details. */
const CHOICE_METADATA: ReadonlySet<string> = new Set(
  (
    "$form index avgLogprobs safetyRatings tokenCount content_filter_results native_finish_reason stop_reason " +
    "matched_stop"
  ).split(" "),
);
/** Fields of a response that are content: search results, and why the answer was refused. */
const RESPONSE_CONTENT: ReadonlySet<string> = new Set(["citations", "search_results", "images", "stop_details"]);
/** Fields of a response that hold the residue of its first choice. */
const CHOICE_FIELDS: ReadonlySet<string> = new Set(["choices", "candidates"]);

/** Reports the residue of other dialects on a response. */
export function reportNotPortableResponse(response: WithExtra, context: EncodeContext<ResponseResidueLoss>): void {
  reportResidue(response, context, (residue, key) => {
    const value = residue[key];
    if (CHOICE_FIELDS.has(key) && isObject(value)) {
      return Object.keys(value).some((inner) => isChoiceContent(value, inner));
    }
    return RESPONSE_CONTENT.has(key) && value !== null;
  });
}

/** Reports the residue of other dialects on an alternative. */
export function reportNotPortableAlternative(choice: WithExtra, context: EncodeContext<ResponseResidueLoss>): void {
  reportResidue(choice, context, isChoiceContent);
}

function isChoiceContent(residue: JsonObject, key: string): boolean {
  return !CHOICE_METADATA.has(key) && residue[key] !== null;
}

function reportResidue(
  { extra = {} }: WithExtra,
  context: EncodeContext<ResponseResidueLoss>,
  isContent: (residue: JsonObject, key: string) => boolean,
): void {
  for (const dialect of Object.keys(extra)) {
    const residue = extra[dialect] ?? {};
    const codes: Record<string, ResponseResidueLoss> = {};
    for (const key of Object.keys(residue)) if (isContent(residue, key)) codes[key] = "residue-not-portable";
    reportNotPortableResidue<ResponseResidueLoss>(
      { extra: { [dialect]: residue } },
      context,
      codes,
      "response-metadata-not-portable",
    );
  }
}
