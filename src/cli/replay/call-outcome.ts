// The outcome of a call (text, tool calls, finish reason, usage, losses, error), and the comparison of two outcomes.
import type { Answer } from "../../client/index.ts";
import { dialect, dialects } from "../../dialects/index.ts";
import type { Loss, ProviderError, ModelResponse, Usage } from "../../model/index.ts";
import { stringifyJson, getText } from "../../model/index.ts";

export interface ReplayOutcome {
  response?: ModelResponse;
  error?: ProviderError;
  losses: readonly Loss[];
  /** The usage of the run; also set for a failed run. */
  usage?: Usage;
}

/**
 * Returns the outcome of a new answer. Its losses include those of the translation to the recorded client's dialect,
 * because the recorded losses include them.
 */
export function toReplayOutcome(
  answer: Answer,
  providerDialect: string,
  clientDialect: string | undefined,
): ReplayOutcome {
  const { provider: _, attempts: __, losses, ...response } = answer;
  // With equal dialects the server passes the provider's bytes through, without losses.
  const isTranslated =
    clientDialect !== undefined &&
    clientDialect !== providerDialect &&
    (dialects as readonly string[]).includes(clientDialect);
  const clientLosses = isTranslated ? dialect(clientDialect).encodeResponse(response).losses : [];
  return { response, losses: [...losses, ...clientLosses.filter((loss) => !isSynthesizedTime(loss))] };
}

/** True for a synthesized `createdAt`: the server always has a time, so the recorded losses never contain this one. */
function isSynthesizedTime({ code, path }: Loss): boolean {
  return code === "field-synthesized" && path === "/createdAt";
}

/** The comparable data of an outcome; written by `--json`. */
export interface OutcomeSummary {
  text: string;
  /** `name(arguments)`, in order. */
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

/** Formats arguments with sorted keys, because the order of keys is not a difference. */
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
