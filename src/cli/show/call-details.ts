// Formats the settings of a request, and the finish reason, error and usage of a response, as short phrases.
import type { FinishReason, ProviderError, ModelRequest, ModelResponse, Usage } from "../../model/index.ts";
import { formatCount, formatQuantity } from "./format-numbers.ts";

/** Returns phrases such as "temperature 0.7", "at most 1,024 tokens" and "tools: weather, search". */
export function formatRequestDetails(request: ModelRequest): string[] {
  const { tools = [], toolChoice, output, sampling = {}, reasoning = {}, stream, parallelToolCalls } = request;
  const { maxOutputTokens, stop, ...others } = sampling;
  const details = Object.entries(others).map(([name, value]) => `${name} ${String(value)}`);
  if (maxOutputTokens !== undefined) details.push(`at most ${formatQuantity(maxOutputTokens, "token")}`);
  if (stop !== undefined) details.push(`stop at ${JSON.stringify(stop)}`);
  for (const [name, value] of Object.entries(reasoning)) details.push(`reasoning ${name} ${String(value)}`);
  if (output !== undefined && output.type !== "text") details.push(`output ${output.type}`);
  if (stream === true) details.push("streamed");
  if (tools.length > 0) details.push(`tools: ${tools.map(({ name }) => name).join(", ")}`);
  if (toolChoice !== undefined)
    details.push(`tool choice ${typeof toolChoice === "string" ? toolChoice : JSON.stringify(toolChoice)}`);
  if (parallelToolCalls === false) details.push("no parallel tool calls");
  return details;
}

export function formatResponseDetails({ finishReason, usage, error }: ModelResponse): string[] {
  const details = [`finish: ${formatFinishReason(finishReason)}`];
  if (error !== undefined) details.push(formatProviderError(error));
  if (usage !== undefined) details.push(formatUsage(usage));
  return details;
}

function formatFinishReason({ unified, raw }: FinishReason): string {
  return raw === undefined || raw === unified ? unified : `${unified} (${raw})`;
}

export function formatProviderError({ kind, status, message }: ProviderError): string {
  return `error: ${kind}${status === undefined ? "" : ` (${status})`}: ${message}`;
}

function formatParenthesis(phrases: readonly string[]): string {
  return phrases.length === 0 ? "" : ` (${phrases.join(", ")})`;
}

function formatUsage(usage: Usage): string {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0, cost } = usage;
  const input = [
    cacheReadTokens > 0 ? `${formatCount(cacheReadTokens)} from cache` : "",
    cacheWriteTokens > 0 ? `${formatCount(cacheWriteTokens)} to cache` : "",
  ].filter((phrase) => phrase !== "");
  const output = reasoningTokens > 0 ? [`${formatCount(reasoningTokens)} reasoning`] : [];
  const price = cost === undefined ? "" : `, $${cost}`;
  return `usage: ${formatCount(inputTokens)} in${formatParenthesis(input)}, ${formatCount(outputTokens)} out${formatParenthesis(output)}${price}`;
}
