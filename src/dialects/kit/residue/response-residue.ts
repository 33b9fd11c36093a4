// Reports the residue of other dialects in a response. The residue of a choice is usually content and is reported with
// the level "loss", except for CHOICE_METADATA. The residue of the response is usually metadata and is reported with
// the level "note", except for RESPONSE_CONTENT. An explicit null has no information and is always a note.
import type { JsonObject } from "../../../model/json/index.ts";
import type { WithExtra } from "../../../model/parts.ts";
import type { EncodeContext } from "../../dialect.ts";
import { isObject } from "../fields/read-wire.ts";
import type { NotPortableLoss } from "../losses/catalog.ts";
import { reportNotPortableResidue } from "./unsent-fields.ts";

type ResponseResidueLoss = "response-metadata-not-portable" | NotPortableLoss;

/** The fields of a choice that are metadata: counts, ratings and details of the stop. */
const CHOICE_METADATA: ReadonlySet<string> = new Set(
  (
    "$form index avgLogprobs safetyRatings tokenCount content_filter_results native_finish_reason stop_reason " +
    "matched_stop"
  ).split(" "),
);
/** The fields of a response that are content: search results, images and the reason of a refusal. */
const RESPONSE_CONTENT: ReadonlySet<string> = new Set(["citations", "search_results", "images", "stop_details"]);
/** The fields of a response's residue that contain the residue of its first choice. */
const CHOICE_FIELDS: ReadonlySet<string> = new Set(["choices", "candidates"]);

/** Reports the residue of other dialects in a response, including that of its first choice. */
export function reportNotPortableResponse(response: WithExtra, context: EncodeContext<ResponseResidueLoss>): void {
  reportResidue(response, context, (residue, key) => {
    const value = residue[key];
    if (CHOICE_FIELDS.has(key) && isObject(value)) {
      return Object.keys(value).some((inner) => isChoiceContent(value, inner));
    }
    return RESPONSE_CONTENT.has(key) && value !== null;
  });
}

/** Reports the residue of other dialects in a further choice of a response (an entry of `alternatives`). */
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
