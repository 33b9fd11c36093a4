// Whether providers can be reached and take their keys: their list of models is asked for, which costs nothing.
import type { HttpAdapter } from "../../calls/index.ts";
import { createProviderAdapter } from "../../calls/index.ts";
import { user } from "../../model/index.ts";
import type { ServerConfig } from "../../server/config/index.ts";
import type { Finding } from "./finding.ts";
import { reasonOf } from "./finding.ts";

export interface Reached {
  finding: Finding;
  /** What the reply said the time is, and when. */
  date?: { said: number; at: number };
}

export interface Asking {
  timeoutMs: number;
  clock: () => number;
}

export async function checkProviders({ providers }: ServerConfig, asking: Asking): Promise<Reached[]> {
  return Promise.all(
    Object.entries(providers).map(async ([name, config]) => {
      const link = createProviderAdapter(name, config);
      if (link.kind === "http") return checkProvider(link, asking);
      const models = link.config.models?.join(", ") ?? "no list of models";
      return { finding: { name: `provider ${name}`, state: "ok", message: `Part of this program: ${models}.` } };
    }),
  );
}

async function checkProvider(link: HttpAdapter, { timeoutMs, clock }: Asking): Promise<Reached> {
  const name = `provider ${link.name}`;
  try {
    const { url, headers } = await listRequest(link);
    const { host } = new URL(url);
    // A redirect could carry the key elsewhere.
    const options = { headers, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) } as const;
    const reply = await fetch(url, options);
    await reply.body?.cancel();
    const said = Date.parse(reply.headers.get("date") ?? "");
    const finding: Finding = { name, ...judge(reply.status, host, link) };
    return Number.isNaN(said) ? { finding } : { finding, date: { said, at: clock() } };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    const reason = isLate ? `no reply within ${timeoutMs} ms.` : reasonOf(error);
    const hint = "Is the address right, and this machine online? --offline leaves this out.";
    return { finding: { name, state: "fail", message: `Cannot be reached: ${reason}`, hint } };
  }
}

/** The path of an exchange, which the path of the list takes the place of. */
const EXCHANGE = /\/(?:chat\/completions|responses|messages|models\/[^/?]+|model\/[^/]+\/converse)(?=$|\?)/;

async function listRequest(link: HttpAdapter): Promise<{ url: string; headers: Record<string, string> }> {
  const { request } = link.prepare({ messages: [user("Hi.")] }, "any", false, {});
  const url = request.url.replace(EXCHANGE, "/models");
  const { "content-type": _, ...headers } = (await link.authorize({ ...request, url, body: "" })).headers;
  return { url, headers };
}

function judge(status: number, host: string, { config }: HttpAdapter): Omit<Finding, "name"> {
  const hasKey = config.apiKey !== undefined || config.headers !== undefined;
  // Bedrock lists its models elsewhere, so that any answer is a good one.
  if (config.dialect !== "bedrock") {
    if (status === 401 || status === 403) {
      const message = hasKey ? `${host} refuses the key (${status}).` : `${host} wants a key (${status}).`;
      return { state: "fail", message, hint: "Look at the variable or setting that it comes from." };
    }
    if (status >= 200 && status < 300) {
      return {
        state: "ok",
        message: hasKey ? `${host} answers, and takes the key.` : `${host} answers; it has no key.`,
      };
    }
  }
  if (status >= 500) return { state: "warn", message: `${host} has trouble of its own (${status}).` };
  if (status >= 300 && status < 400) {
    return { state: "warn", message: `${host} sends elsewhere (${status}).`, hint: "Is the base URL right?" };
  }
  return { state: "ok", message: `${host} answers (${status}); whether it takes the key shows when it is asked.` };
}
