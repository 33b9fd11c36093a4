// What stands around a conversation, in a few words: the settings of a request, and how an answer ended and what it cost.
import type { FinishReason, ProviderError, ModelRequest, ModelResponse, Usage } from "../../model/index.ts";
import { count, counted } from "./numbers.ts";

/** "temperature 0.7 · at most 1,024 tokens · tools: weather, search". */
export function requestFacts(request: ModelRequest): string[] {
  const { tools = [], toolChoice, output, sampling = {}, reasoning = {}, stream, parallelToolCalls } = request;
  const { maxOutputTokens, stop, ...others } = sampling;
  const facts = Object.entries(others).map(([name, value]) => `${name} ${String(value)}`);
  if (maxOutputTokens !== undefined) facts.push(`at most ${counted(maxOutputTokens, "token")}`);
  if (stop !== undefined) facts.push(`stops at ${JSON.stringify(stop)}`);
  for (const [name, value] of Object.entries(reasoning)) facts.push(`reasoning ${name} ${String(value)}`);
  if (output !== undefined && output.type !== "text") facts.push(`answers in ${output.type}`);
  if (stream === true) facts.push("streamed");
  if (tools.length > 0) facts.push(`tools: ${tools.map(({ name }) => name).join(", ")}`);
  if (toolChoice !== undefined)
    facts.push(`tool choice ${typeof toolChoice === "string" ? toolChoice : JSON.stringify(toolChoice)}`);
  if (parallelToolCalls === false) facts.push("one call at a time");
  return facts;
}

export function responseFacts({ finishReason, usage, error }: ModelResponse): string[] {
  const facts = [`finish: ${finishWords(finishReason)}`];
  if (error !== undefined) facts.push(errorWords(error));
  if (usage !== undefined) facts.push(usageWords(usage));
  return facts;
}

function finishWords({ unified, raw }: FinishReason): string {
  return raw === undefined || raw === unified ? unified : `${unified} (${raw})`;
}

export function errorWords({ kind, status, message }: ProviderError): string {
  return `error: ${kind}${status === undefined ? "" : ` (${status})`}: ${message}`;
}

function inside(words: readonly string[]): string {
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

function usageWords(usage: Usage): string {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0, cost } = usage;
  const input = [
    cacheReadTokens > 0 ? `${count(cacheReadTokens)} from the cache` : "",
    cacheWriteTokens > 0 ? `${count(cacheWriteTokens)} into it` : "",
  ].filter((word) => word !== "");
  const output = reasoningTokens > 0 ? [`${count(reasoningTokens)} reasoning`] : [];
  const price = cost === undefined ? "" : `, $${cost}`;
  return `usage: ${count(inputTokens)} in${inside(input)}, ${count(outputTokens)} out${inside(output)}${price}`;
}
