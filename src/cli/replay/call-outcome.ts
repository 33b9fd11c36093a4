// Defines the outcome of a call (text, tool calls, finish reason, usage, losses, error), and compares two outcomes.
import type { Answer } from "../../client/index.ts";
import { dialect, dialects } from "../../dialects/index.ts";
import type { Loss, ProviderError, ModelResponse, Usage } from "../../model/index.ts";
import { stringifyJson, getText } from "../../model/index.ts";

export interface ReplayOutcome {
  response?: ModelResponse;
  error?: ProviderError;
  losses: readonly Loss[];
  /** The usage of a recorded run. A failed run without a response can have usage too. */
  usage?: Usage;
}

/**
 * Returns the outcome of a new answer. The losses include the losses of the translation to the dialect of the recorded
 * client, because the recorded losses include them too.
 */
export function toReplayOutcome(
  answer: Answer,
  providerDialect: string,
  clientDialect: string | undefined,
): ReplayOutcome {
  const { provider: _, attempts: __, losses, ...response } = answer;
  // The answer is translated only if the client's dialect is known and differs from the provider's. If both dialects
  // are equal, the server passes the provider's bytes to the client unchanged, so there are no losses.
  const isTranslated =
    clientDialect !== undefined &&
    clientDialect !== providerDialect &&
    (dialects as readonly string[]).includes(clientDialect);
  const clientLosses = isTranslated ? dialect(clientDialect).encodeResponse(response).losses : [];
  return { response, losses: [...losses, ...clientLosses.filter((loss) => !isSynthesizedTime(loss))] };
}

/**
 * True for the loss that reports a synthesized `createdAt`. It is never among the recorded losses, because the server
 * always sets a time.
 */
function isSynthesizedTime({ code, path }: Loss): boolean {
  return code === "field-synthesized" && path === "/createdAt";
}

/** The data of an outcome that are compared and that `--json` writes. */
export interface OutcomeSummary {
  text: string;
  /** The tool calls in their order, each as `name(arguments)`. */
  calls: string[];
  finish: string;
  usage: Record<string, number>;
  losses: Loss[];
  error?: { kind: string; message: string };
}

export function summarizeOutcome({ response, error, losses, usage }: ReplayOutcome): OutcomeSummary {
  const { message, finishReason } = response ?? {};
  return {
    text: message === undefined ? "" : getText(message),
    calls: formatToolCalls(response),
    finish: finishReason?.unified ?? (error === undefined ? "other" : "error"),
    usage: readTokenCounts(response?.usage ?? usage),
    losses: [...losses],
    ...(error !== undefined && { error: { kind: error.kind, message: error.message } }),
  };
}

function formatToolCalls(response: ModelResponse | undefined): string[] {
  return (response?.message.parts ?? []).flatMap((part) =>
    part.type === "tool-call" ? [`${part.toolName}(${formatSortedArguments(part.input)})`] : [],
  );
}

/** Formats arguments with sorted keys, so that a different order of keys is not a difference. */
function formatSortedArguments(input: unknown): string {
  return typeof input === "string" ? input : stringifyJson(sortKeys(input));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sortKeys(each)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function readTokenCounts(usage: Usage | undefined): Record<string, number> {
  const counts = Object.entries(usage ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return Object.fromEntries(counts);
}

export type OutcomeAspect = keyof OutcomeSummary;

/** Returns the aspects in which two outcomes differ. Losses are compared by level, code and path only. */
export function listDifferences(before: OutcomeSummary, after: OutcomeSummary): OutcomeAspect[] {
  const aspects: OutcomeAspect[] = ["text", "calls", "finish", "usage", "losses", "error"];
  return aspects.filter((aspect) => toComparisonKey(before, aspect) !== toComparisonKey(after, aspect));
}

function toComparisonKey(summary: OutcomeSummary, aspect: OutcomeAspect): string {
  if (aspect === "losses") return JSON.stringify(summary.losses.map(formatLoss).toSorted());
  return JSON.stringify(aspect === "usage" ? sortKeys(summary.usage) : (summary[aspect] ?? null));
}

export function formatLoss({ level, code, path }: Loss): string {
  return `${level} ${code} ${path === "" ? "/" : path}`;
}
