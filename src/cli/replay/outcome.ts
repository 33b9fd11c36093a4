// What came of a call, in the words in which two calls are compared: text, calls, finish, usage, losses.
import type { Answer } from "../../client/index.ts";
import { dialect, dialects } from "../../dialects/index.ts";
import type { Loss, ProviderError, ModelResponse, Usage } from "../../model/index.ts";
import { stringifyJson, getText } from "../../model/index.ts";

export interface Outcome {
  response?: ModelResponse;
  error?: ProviderError;
  losses: readonly Loss[];
  /** Of a run that failed, too. */
  usage?: Usage;
}

/** An answer of now, with what the client that asked then would not have been told. */
export function outcomeOf(answer: Answer, spoken: string, client: string | undefined): Outcome {
  const { provider: _, attempts: __, losses, ...response } = answer;
  // Where both speak the same, the provider's bytes reach the client.
  const isTranslated = client !== undefined && client !== spoken && (dialects as readonly string[]).includes(client);
  const untold = isTranslated ? dialect(client).encodeResponse(response).losses : [];
  return { response, losses: [...losses, ...untold.filter((loss) => !isTime(loss))] };
}

/** A server tells the time where the provider did not. */
function isTime({ code, path }: Loss): boolean {
  return code === "field-synthesized" && path === "/createdAt";
}

/** Everything comparable, as plain data. */
export interface Told {
  text: string;
  /** `name(arguments)`, in order. */
  calls: string[];
  finish: string;
  usage: Record<string, number>;
  losses: Loss[];
  error?: { kind: string; message: string };
}

export function tell({ response, error, losses, usage }: Outcome): Told {
  const { message, finishReason } = response ?? {};
  return {
    text: message === undefined ? "" : getText(message),
    calls: callsOf(response),
    finish: finishReason?.unified ?? (error === undefined ? "other" : "error"),
    usage: countsOf(response?.usage ?? usage),
    losses: [...losses],
    ...(error !== undefined && { error: { kind: error.kind, message: error.message } }),
  };
}

function callsOf(response: ModelResponse | undefined): string[] {
  return (response?.message.parts ?? []).flatMap((part) =>
    part.type === "tool-call" ? [`${part.toolName}(${argumentsOf(part.input)})`] : [],
  );
}

/** With keys in order: which one a model names first is no difference. */
function argumentsOf(input: unknown): string {
  return typeof input === "string" ? input : stringifyJson(sorted(input));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, sorted(each)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function countsOf(usage: Usage | undefined): Record<string, number> {
  const counts = Object.entries(usage ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  return Object.fromEntries(counts);
}

export type Aspect = keyof Told;

/** What two outcomes differ in. Of losses only which and where counts. */
export function differences(before: Told, after: Told): Aspect[] {
  const aspects: Aspect[] = ["text", "calls", "finish", "usage", "losses", "error"];
  return aspects.filter((aspect) => keyOf(before, aspect) !== keyOf(after, aspect));
}

function keyOf(told: Told, aspect: Aspect): string {
  if (aspect === "losses") return JSON.stringify(told.losses.map(lossLine).toSorted());
  return JSON.stringify(aspect === "usage" ? sorted(told.usage) : (told[aspect] ?? null));
}

export function lossLine({ level, code, path }: Loss): string {
  return `${level} ${code} ${path === "" ? "/" : path}`;
}
