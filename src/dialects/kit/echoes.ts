// What another dialect keeps of an answer, and what it means that it stays behind. One rule: what is kept of a choice
// belongs to what was said, and is a loss; what is kept of the answer itself tells about it, and is a note. The two
// tables name the exceptions. An explicit null says nothing, and is a note everywhere.
import type { JsonObject } from "../../model/json.ts";
import type { Extra } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { isObject } from "./read.ts";
import type { NotPortableLoss } from "./residue.ts";
import { reportNotPortableResidue } from "./residue.ts";

interface Carrier {
  extra?: Extra;
}
type EchoCode = "echo-foreign" | NotPortableLoss;

/** Of a choice: how it was counted, rated and stopped. */
const TOLD_OF_CHOICE: ReadonlySet<string> = new Set(
  (
    "$form index avgLogprobs safetyRatings tokenCount content_filter_results native_finish_reason stop_reason " +
    "matched_stop"
  ).split(" "),
);
/** Of an answer: what it found, and why it was refused. */
const SAID_BY_ANSWER: ReadonlySet<string> = new Set(["citations", "search_results", "images", "stop_details"]);
/** Where answers keep what is said of their first choice. */
const CHOICES: ReadonlySet<string> = new Set(["choices", "candidates"]);

/** Reports what others keep of a response. */
export function reportForeignAnswer(response: Carrier, context: EncodeContext<EchoCode>): void {
  report(response, context, (residue, key) => {
    const value = residue[key];
    if (CHOICES.has(key) && isObject(value)) return Object.keys(value).some((inner) => isSaidOfChoice(value, inner));
    return SAID_BY_ANSWER.has(key) && value !== null;
  });
}

/** Reports what others keep of an alternative. */
export function reportForeignChoice(choice: Carrier, context: EncodeContext<EchoCode>): void {
  report(choice, context, isSaidOfChoice);
}

function isSaidOfChoice(residue: JsonObject, key: string): boolean {
  return !TOLD_OF_CHOICE.has(key) && residue[key] !== null;
}

function report(
  { extra = {} }: Carrier,
  context: EncodeContext<EchoCode>,
  isSaid: (residue: JsonObject, key: string) => boolean,
): void {
  for (const dialect of Object.keys(extra)) {
    const residue = extra[dialect] ?? {};
    const codes: Record<string, EchoCode> = {};
    for (const key of Object.keys(residue)) if (isSaid(residue, key)) codes[key] = "residue-foreign";
    reportNotPortableResidue<EchoCode>({ extra: { [dialect]: residue } }, context, codes, "echo-foreign");
  }
}
