// What an official SDK makes of a stream, in one form for all of them. The same reading of the SDK's accumulated body
// and of a body that was encoded whole gives two verdicts that must be equal.
import type { Dialect, ModelResponse } from "../../src/index.ts";

export interface SdkResult {
  text: string;
  reasoning: string;
  refusal: string;
  /** The calls that the client is to run, arguments parsed; text where they are no JSON. */
  calls: { name: string; arguments: unknown }[];
  /** Signatures and encrypted reasoning, in order. */
  signatures: string[];
  finish: string;
  usage: Record<string, number>;
}

export interface AccumulatedResult extends SdkResult {
  /** What the SDK accumulated. */
  raw: unknown;
}

export interface Judge {
  /** Calls the SDK against a server that answers with a stream, and waits for its end. Throws what the SDK throws. */
  runSdk(baseUrl: string): Promise<AccumulatedResult>;
  /** Reads a body of the SDK's dialect. */
  readBody(body: unknown): SdkResult;
}

/** What the SDK should make of an answer: what it would find in the same answer as a whole. */
export function expectedResult(response: ModelResponse, target: Dialect, judge: Judge): SdkResult {
  return judge.readBody(target.encodeResponse(response).wire);
}

/** Anything as an object to look into: bodies are foreign until they are read. */
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

/** Arguments as a value; no text at all means none, and what is no JSON stays text. */
export function parseArguments(text: LooseJson | undefined): unknown {
  if (typeof text !== "string") return text ?? {};
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The counts that are there and are no zero: the SDKs fill in those that no provider sent. */
export function readCounts(fields: Record<string, LooseJson | undefined>): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, value] of Object.entries(fields)) if (typeof value === "number" && value !== 0) found[name] = value;
  return found;
}
