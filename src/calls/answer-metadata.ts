// Computes the metadata of an answer's message: provider, model, response id, finish reason, and usage with its cost.
import type { Extra, FinishReason, Metadata, ModelResponse, Usage } from "../model/index.ts";
import type { PreparedRequest } from "./types.ts";

/** The provider and model of a target, and a function that computes the cost of its usage. */
export interface TargetInfo {
  /** The provider's registered name. */
  provider: string;
  model: string;
  /**
   * Returns the cost in US dollars; undefined if no price is known. `models` is the requested model name, followed by
   * the name that the provider reported if it differs.
   */
  computeCost(usage: Usage, provider: string, models: readonly string[]): number | undefined;
  /** Computes provider-specific metadata from the residue of the answer; undefined if the provider has none. */
  answerMetadata?: PreparedRequest["answerMetadata"];
}

/**
 * Returns the metadata that is known at the start of an answer. The model is the name that the provider reported, or
 * the requested name if the provider reported none.
 */
export function startMetadata({ provider, model }: TargetInfo, reported: { id: string; model: string }): Metadata {
  const metadata: Metadata = { provider, model: reported.model === "" ? model : reported.model };
  if (reported.id !== "") metadata["responseId"] = reported.id;
  return metadata;
}

/** Returns the metadata that is known at the end of an answer; `extra` is the residue of the answer. */
export function endMetadata(
  info: TargetInfo,
  usage: Usage | undefined,
  finishReason: FinishReason,
  extra: Extra | undefined,
): Metadata {
  const metadata: Metadata = { ...info.answerMetadata?.(extra), finishReason };
  if (usage !== undefined) metadata.usage = usage;
  return metadata;
}

/**
 * Returns the cost of the usage in US dollars; undefined if the provider already reported a cost or if no price is
 * known.
 */
export function computeMissingCost(usage: Usage, info: TargetInfo, reportedModel: string): number | undefined {
  if (usage.cost !== undefined) return undefined;
  const models = reportedModel === "" || reportedModel === info.model ? [info.model] : [info.model, reportedModel];
  return info.computeCost(usage, info.provider, models);
}

/** Returns a copy of a complete response with its computed cost and with the metadata in its message. */
export function withAnswerMetadata(response: ModelResponse, info: TargetInfo): ModelResponse {
  const { message, usage, model, finishReason, extra } = response;
  const cost = usage && computeMissingCost(usage, info, model);
  const pricedUsage = usage !== undefined && cost !== undefined ? { ...usage, cost } : usage;
  const metadata = { ...startMetadata(info, response), ...endMetadata(info, pricedUsage, finishReason, extra) };
  const result = { ...response, message: { ...message, metadata: { ...message.metadata, ...metadata } } };
  return pricedUsage === undefined ? result : { ...result, usage: pricedUsage };
}
