// What encoding into the AI SDK's model messages can lose.
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
  errorUnsaid,
  fieldUnsaid,
  fileId,
  finishApproximated,
  formStale,
  idForeign,
  mediaElsewhere,
  mimeGuessed,
  opaqueForeign,
  outputAsText,
  outputInContent,
  partUnsayable,
  providerTool,
  refusalAsText,
  residueClash,
  resultEmpty,
  roleApproximated,
  STREAM_LOSSES,
  toolDefault,
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
  ...partUnsayable,
  ...opaqueForeign,
  ...refusalAsText,
  ...summaryAsText,
  ...mediaElsewhere,
  ...fileId,
  ...mimeGuessed,
  ...mediaRetyped,
  ...callInvalid,
  ...providerTool,
  ...toolDefault,
  ...resultEmpty,
  ...outputAsText,
  ...outputInContent,
  ...errorUnsaid,
  ...finishApproximated,
  "part-split": STREAM_LOSSES["part-split"],
  "late-unsaid": STREAM_LOSSES["late-unsaid"],
  "system-split": {
    action: "moved",
    level: "note",
    message: "A system message is one text here; each of its parts went out as a message of its own.",
  },
  "response-moved": {
    action: "moved",
    level: "note",
    message: "The answer to a request for approval belongs into a tool message; it went out in one.",
  },
  "result-executor": {
    action: "approximated",
    level: "note",
    message: "Where a result stands tells who ran its tool: the provider among what the model says, the client else.",
  },
} as const satisfies Record<string, LossDeclaration>;

export type Code = keyof typeof LOSSES;
export type Context = EncodeContext<Code>;

/** Fields of messages and parts that are known not to travel; what is not listed is `field-unsaid`. */
const CODES = {
  id: "bookkeeping",
  metadata: "bookkeeping",
  createdAt: "bookkeeping",
  parentMessageId: "bookkeeping",
  invalid: "call-invalid",
} as const satisfies Record<string, Code>;

/** Reports the residue of others, and every field that is not carried. */
export function reportRest(value: Message | Part, carried: ReadonlySet<string>, context: Context): void {
  reportUnsupportedFields<Code>(value, carried, context, "field-unsaid", CODES);
  reportOthers(value, context);
}
