// What a message is told about where it came from, whole or streamed: provider, model, ids, usage with its price.
import type { Extra, FinishReason, Metadata, Response, Usage } from "../../model/index.ts";
import type { PreparedRequest } from "../types.ts";

/** Who was asked, and what that costs: undefined where nobody knows. */
export interface TargetInfo {
  /** As registered. */
  provider: string;
  model: string;
  /** `models`: the name that was asked for, and the one that the provider says it was. */
  costOf(usage: Usage, provider: string, models: readonly string[]): number | undefined;
  /** What this provider's answers are told beside. */
  facts?: PreparedRequest["facts"];
}

/** What is known when an answer begins. The provider's own name for the model is the better one. */
export function firstFacts({ provider, model }: TargetInfo, said: { id: string; model: string }): Metadata {
  const facts: Metadata = { provider, model: said.model === "" ? model : said.model };
  if (said.id !== "") facts["responseId"] = said.id;
  return facts;
}

/** What is known when it has ended; `said` is its residue. */
export function lastFacts(
  asked: TargetInfo,
  usage: Usage | undefined,
  finishReason: FinishReason,
  said: Extra | undefined,
): Metadata {
  const facts: Metadata = { ...asked.facts?.(said), finishReason };
  if (usage !== undefined) facts.usage = usage;
  return facts;
}

/** What the usage costs, where the provider does not say it itself. */
export function missingCost(usage: Usage, asked: TargetInfo, saidModel: string): number | undefined {
  if (usage.cost !== undefined) return undefined;
  const models = saidModel === "" || saidModel === asked.model ? [asked.model] : [asked.model, saidModel];
  return asked.costOf(usage, asked.provider, models);
}

/** A whole response with the facts in its message. */
export function withFacts(response: Response, asked: TargetInfo): Response {
  const { message, usage, model, finishReason, extra } = response;
  const cost = usage && missingCost(usage, asked, model);
  const priced = usage !== undefined && cost !== undefined ? { ...usage, cost } : usage;
  const facts = { ...firstFacts(asked, response), ...lastFacts(asked, priced, finishReason, extra) };
  const told = { ...response, message: { ...message, metadata: { ...message.metadata, ...facts } } };
  return priced === undefined ? told : { ...told, usage: priced };
}
