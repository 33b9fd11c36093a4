// Reports how a recorded call used the provider's prompt cache, and the first difference from the previous request,
// which explains a cache miss (B122). The report is computed when it is read; nothing is stored for it.
import type { ClientContext, ProviderAdapter } from "../../../calls/index.ts";
import { ClientError } from "../../../calls/index.ts";
import { DialectError } from "../../../dialects/index.ts";
import type { Ledger, RunInfo } from "../../../ledger/index.ts";
import { LedgerError } from "../../../ledger/index.ts";
import type { ModelRequest } from "../../../model/index.ts";
import { JsonError, parseJson, stringifyJson } from "../../../model/index.ts";
import { isObject } from "../../../model/value-kind.ts";
import { readStoredRequest } from "../stored-request.ts";
import type { RequestDifference, WireRequest } from "./first-difference.ts";
import { findFirstDifference } from "./first-difference.ts";
import { findPreviousRun } from "./previous-run.ts";

/** The use of the provider's prompt cache by one run. */
export interface CacheReport {
  /** The input tokens that the provider read from its cache; absent if the provider did not report them. */
  readTokens?: number;
  /** The input tokens that the provider wrote to its cache; absent if the provider did not report them. */
  writeTokens?: number;
  /** The run with whose request this run's request was compared; absent if the requests could not be compared. */
  previousRunId?: string;
  /** Null if the request only appends to the previous request, or if there is no `previousRunId`. */
  firstDifference: RequestDifference | null;
}

type Adapters = ClientContext["adapters"];

/** Creates the report of a run. A request that cannot be read or encoded is not compared and causes no error. */
export async function createCacheReport(ledger: Ledger, adapters: Adapters, run: RunInfo): Promise<CacheReport> {
  const { cacheReadTokens, cacheWriteTokens } = run.usage ?? {};
  const report: CacheReport = { firstDifference: null };
  if (cacheReadTokens !== undefined) report.readTokens = cacheReadTokens;
  if (cacheWriteTokens !== undefined) report.writeTokens = cacheWriteTokens;
  const current = await readWireRequest(ledger, adapters, run);
  const previousRun = current && (await findPreviousRun(ledger, run));
  const previous = previousRun && (await readWireRequest(ledger, adapters, previousRun));
  if (current === undefined || previousRun === undefined || previous === undefined) return report;
  return { ...report, previousRunId: previousRun.id, firstDifference: findFirstDifference(previous, current) ?? null };
}

/**
 * Encodes the request of a run as the gateway encodes it for the run's provider. Returns undefined if the run is not a
 * recorded call, if its request can no longer be read, or if the provider is no longer configured.
 */
async function readWireRequest(ledger: Ledger, adapters: Adapters, run: RunInfo): Promise<WireRequest | undefined> {
  const { provider, model } = run.metadata ?? {};
  const adapter = typeof provider === "string" ? adapters.get(provider) : undefined;
  if (adapter === undefined || typeof model !== "string") return undefined;
  try {
    const request = await readStoredRequest(ledger, run);
    return request && encodeWireRequest(adapter, request, model);
  } catch (error) {
    if (UNREADABLE_ERRORS.some((type) => error instanceof type)) return undefined;
    throw error;
  }
}

/** The errors of a request whose fields or messages were deleted, or that the provider's dialect cannot express. */
const UNREADABLE_ERRORS = [LedgerError, DialectError, JsonError, ClientError] as const;

function encodeWireRequest(adapter: ProviderAdapter, request: ModelRequest, model: string): WireRequest | undefined {
  const isHttp = adapter.kind === "http";
  const body = isHttp
    ? adapter.prepare(request, model, false, {}).request.body
    : stringifyJson(adapter.prepare(request, model).request);
  const wire = parseJson(body);
  return isObject(wire) ? { dialect: isHttp ? adapter.config.dialect : "canonical", model, wire } : undefined;
}
