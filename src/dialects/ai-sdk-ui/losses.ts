// What encoding into the AI SDK's UI messages can lose.
import type { Message } from "../../model/message.ts";
import type { Part } from "../../model/parts.ts";
import type { EncodeContext } from "../dialect.ts";
import { mediaRetyped } from "../kit/ai-sdk-media.ts";
import { reportOthers } from "../kit/ai-sdk-options.ts";
import { summaryAsText } from "../kit/ai-sdk-reasoning.ts";
import {
  bookkeeping,
  callInvalid,
  developerAsSystem,
  fieldUnsaid,
  fileId,
  finishApproximated,
  finishRaw,
  formStale,
  idForeign,
  mediaElsewhere,
  messageUnsaid,
  mimeGuessed,
  opaqueForeign,
  outputAsText,
  outputInContent,
  partUnsayable,
  refusalAsText,
  residueClash,
  resultEmpty,
  roleApproximated,
  STREAM_LOSSES,
  textAsData,
  toolDefault,
  turnsMerged,
} from "../kit/losses.ts";
import type { LossDeclaration } from "../kit/report.ts";
import { NOT_PORTABLE_LOSSES, reportUnsupportedFields } from "../kit/residue.ts";

export const LOSSES = {
  ...NOT_PORTABLE_LOSSES,
  ...idForeign,
  ...bookkeeping,
  ...fieldUnsaid,
  ...formStale,
  ...residueClash,
  ...roleApproximated,
  ...developerAsSystem,
  ...messageUnsaid,
  ...turnsMerged,
  ...partUnsayable,
  ...opaqueForeign,
  ...refusalAsText,
  ...summaryAsText,
  ...mediaElsewhere,
  ...fileId,
  ...mimeGuessed,
  ...mediaRetyped,
  ...textAsData,
  ...callInvalid,
  ...toolDefault,
  ...resultEmpty,
  ...outputAsText,
  ...outputInContent,
  ...finishRaw,
  ...finishApproximated,
  "part-split": STREAM_LOSSES["part-split"],
  "late-unsaid": STREAM_LOSSES["late-unsaid"],
  "id-made": { action: "synthesized", level: "note", message: "Every message has an id here; one was made." },
  "metadata-joined": { action: "moved", level: "note", message: "Metadata are told of the whole message, all steps." },
  "call-made": {
    action: "synthesized",
    level: "note",
    message: "A result stands with its call, and there is none; one without arguments was made.",
  },
  "result-joined": {
    action: "moved",
    level: "note",
    message: "A result stands with its call, wherever it came.",
  },
  "result-repeated": {
    action: "dropped",
    level: "loss",
    message: "A call has one result here; this one came after it.",
  },
  "result-executor": {
    action: "approximated",
    level: "note",
    message: "The call says who ran the tool; its result cannot say otherwise.",
  },
  "result-name": { action: "dropped", level: "note", message: "Only the call names the tool." },
} as const satisfies Record<string, LossDeclaration>;

export type Code = keyof typeof LOSSES;
export type Context = EncodeContext<Code>;

/** Fields of messages and parts that are known not to travel; what is not listed is `field-unsaid`. */
const CODES = {
  id: "bookkeeping",
  metadata: "bookkeeping",
  createdAt: "bookkeeping",
  parentMessageId: "bookkeeping",
  size: "bookkeeping",
} as const satisfies Record<string, Code>;

/** Reports the residue of others, and every field that is not carried. */
export function reportRest(value: Message | Part, carried: ReadonlySet<string>, context: Context): void {
  reportUnsupportedFields<Code>(value, carried, context, "field-unsaid", CODES);
  reportOthers(value, context);
}
