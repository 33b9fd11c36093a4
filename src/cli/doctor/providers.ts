// Checks that each provider can be reached and accepts its key, by requesting its list of models, which is free.
import type { HttpAdapter } from "../../calls/index.ts";
import { createProviderAdapter } from "../../calls/index.ts";
import { user } from "../../model/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import type { DoctorFinding } from "./finding.ts";
import { readErrorReason } from "./finding.ts";
import type { ProviderDate } from "./machine.ts";

export interface ProviderCheck {
  finding: DoctorFinding;
  /** The time in the reply's `date` header; undefined if the reply has no such header. */
  date?: ProviderDate;
}

export interface ProviderCheckOptions {
  timeoutMs: number;
  clock: () => number;
}

export async function checkProviders(
  { providers }: ServerConfig,
  options: ProviderCheckOptions,
): Promise<ProviderCheck[]> {
  return Promise.all(
    Object.entries(providers).map(async ([name, config]) => {
      const adapter = createProviderAdapter(name, config);
      if (adapter.kind === "http") return checkProvider(adapter, options);
      const models = adapter.config.models?.join(", ") ?? "no list of models";
      return { finding: { name: `provider ${name}`, state: "ok", message: `Runs inside Koine: ${models}.` } };
    }),
  );
}

async function checkProvider(adapter: HttpAdapter, { timeoutMs, clock }: ProviderCheckOptions): Promise<ProviderCheck> {
  const name = `provider ${adapter.name}`;
  try {
    const { url, headers } = await createModelListRequest(adapter);
    const { host } = new URL(url);
    // Redirects are not followed, because the key could be sent to another host.
    const init = { headers, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) } as const;
    const reply = await fetch(url, init);
    await reply.body?.cancel();
    const serverTime = Date.parse(reply.headers.get("date") ?? "");
    const finding: DoctorFinding = { name, ...toFinding(reply.status, host, adapter) };
    return Number.isNaN(serverTime) ? { finding } : { finding, date: { serverTime, receivedAt: clock() } };
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
    const reason = isTimeout ? `no reply within ${timeoutMs} ms.` : readErrorReason(error);
    const hint = "Check the address and the network; --offline skips this check.";
    return { finding: { name, state: "fail", message: `Cannot be reached: ${reason}`, hint } };
  }
}

/** Matches the path of a model call, which is replaced with the path of the model list. */
const CALL_PATH = /\/(?:chat\/completions|responses|messages|models\/[^/?]+|model\/[^/]+\/converse)(?=$|\?)/;

async function createModelListRequest(adapter: HttpAdapter): Promise<{ url: string; headers: Record<string, string> }> {
  const { request } = adapter.prepare({ messages: [user("Hi.")] }, "any", false, {});
  const url = request.url.replace(CALL_PATH, "/models");
  const { "content-type": _, ...headers } = (await adapter.authorize({ ...request, url, body: "" })).headers;
  return { url, headers };
}

function toFinding(status: number, host: string, { config }: HttpAdapter): Omit<DoctorFinding, "name"> {
  const hasKey = config.apiKey !== undefined || config.headers !== undefined;
  // Bedrock lists its models on another host than it runs them, so the status does not show whether the key is
  // accepted.
  if (config.dialect !== "bedrock") {
    if (status === 401 || status === 403) {
      const message = hasKey ? `${host} rejects the key (${status}).` : `${host} requires a key (${status}).`;
      return { state: "fail", message, hint: "Check the environment variable or the setting of the key." };
    }
    if (status >= 200 && status < 300) {
      return {
        state: "ok",
        message: hasKey ? `${host} answers and accepts the key.` : `${host} answers; no key is configured.`,
      };
    }
  }
  if (status >= 500) return { state: "warn", message: `${host} reports a server error (${status}).` };
  if (status >= 300 && status < 400) {
    return { state: "warn", message: `${host} redirects to another address (${status}).`, hint: "Check the base URL." };
  }
  return { state: "ok", message: `${host} answers (${status}); the key was not checked.` };
}
