// The result of an official SDK that accumulated a stream, in one form for all SDKs. It is compared with the result of
// reading a body that was encoded whole.
import type { Dialect, ModelResponse } from "../../src/index.ts";

export interface SdkResult {
  text: string;
  reasoning: string;
  refusal: string;
  /** Calls of client tools with parsed arguments; arguments that are no JSON stay text. */
  calls: { name: string; arguments: unknown }[];
  /** Signatures and encrypted reasoning, in order. */
  signatures: string[];
  finish: string;
  usage: Record<string, number>;
}

export interface AccumulatedResult extends SdkResult {
  /** The body that the SDK accumulated. */
  raw: unknown;
}

export interface Judge {
  /** Calls the SDK with a server that sends a stream, and waits for its end. Errors of the SDK are thrown. */
  runSdk(baseUrl: string): Promise<AccumulatedResult>;
  /** Reads a body of the SDK's dialect. */
  readBody(body: unknown): SdkResult;
}

/** Returns the expected result of the SDK: that of the same answer as a whole. */
export function expectedResult(response: ModelResponse, target: Dialect, judge: Judge): SdkResult {
  return judge.readBody(target.encodeResponse(response).wire);
}

/** A JSON value whose fields can be read without checks. */
export type LooseJson = { readonly [field: string]: LooseJson } & (string | number | boolean | null | undefined);

export function toLooseJson(value: unknown): LooseJson {
  return value as LooseJson;
}

export function toList(value: LooseJson | undefined): LooseJson[] {
  return Array.isArray(value) ? (value as LooseJson[]) : [];
}

export function toText(value: LooseJson | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Parses the arguments of a call; a blank text means no arguments, and a text that is no JSON is returned as it is. */
export function parseArguments(text: LooseJson | undefined): unknown {
  if (typeof text !== "string") return text ?? {};
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Returns the counts that are not zero: SDKs add zeros for counts that the provider did not send. */
export function readCounts(fields: Record<string, LooseJson | undefined>): Record<string, number> {
  const nonZero: Record<string, number> = {};
  for (const [name, value] of Object.entries(fields))
    if (typeof value === "number" && value !== 0) nonZero[name] = value;
  return nonZero;
}
