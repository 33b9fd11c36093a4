// Declares the losses of encoding into Bedrock Converse: the shared codes that can occur, and the codes that only this
// dialect has.
import { BLOCK_LOSS_CODES } from "../blocks/losses.ts";
import { pickLosses } from "../kit/losses/catalog.ts";
import { PROVIDER_LOSSES } from "../kit/losses/provider-catalog.ts";
import type { LossTable } from "../kit/losses/report.ts";

export const BEDROCK_LOSSES = {
  ...pickLosses(PROVIDER_LOSSES, [...BLOCK_LOSS_CODES, "result-empty"]),
  "text-as-output": {
    action: "approximated",
    level: "note",
    message:
      "{target} cannot distinguish a single text in a result's content from its output; a decoder will read it as the output.",
  },
  "document-renamed": {
    action: "repaired",
    level: "note",
    message:
      "{target} accepts letters, digits, single spaces, hyphens and brackets in a document's name; other characters were replaced.",
  },
  "document-name-synthesized": {
    action: "synthesized",
    level: "note",
    message: "{target} requires a name for each document; a name was generated.",
  },
  "tools-synthesized": {
    action: "synthesized",
    level: "note",
    message:
      "{target} requires a definition of each tool that the history calls; definitions without a schema were sent.",
  },
} as const satisfies LossTable;

/** The code of a loss that encoding into Bedrock Converse can cause. */
export type BedrockLoss = keyof typeof BEDROCK_LOSSES;
