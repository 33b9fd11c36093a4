// A provider ready to be asked: its settings checked once, its dialect at hand, its requests made and authorised.
import type { JsonObject, ModelRequest } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import { pointer } from "../../model/pointer.ts";
import type {
  CallOptions,
  HttpAdapter,
  HttpProvider,
  HttpRequest,
  PreparedRequest,
  ProviderConfig,
  ProviderAdapter,
} from "../types.ts";
import { fault } from "../checks.ts";
import { checkConfig, keyFault } from "./check.ts";
import { DIALECTS } from "./dialects.ts";
import type { Address } from "./endpoints.ts";
import { addressOf } from "./endpoints.ts";
import type { Headers } from "./headers.ts";
import { mergeHeaders, readHeaders, splitHeaders } from "./headers.ts";
import { localLink } from "./local.ts";
import { planRequest } from "./plan.ts";

/** Throws a `ClientError` "configuration" with the path of what is wrong. */
export function linkOf(name: string, config: ProviderConfig): ProviderAdapter {
  checkConfig(name, config);
  return "answer" in config ? localLink(name, config) : httpLink(name, config);
}

function httpLink(name: string, config: HttpProvider): HttpAdapter {
  const address = addressOf(config);
  const [told, secret] = splitHeaders(readHeaders(config.headers ?? {}, pointer(["providers", name, "headers"])));
  requireKey(name, config, address, secret);
  // At OpenAI's own address nobody else's habits can be meant.
  const vendor = config.vendor ?? (config.dialect === "openai-chat" && address.isOfficial ? "openai" : undefined);
  const dialect = DIALECTS[config.dialect]({ provider: config.issuer ?? name, vendor });
  const own = mergeHeaders({ "content-type": "application/json" }, address.headers);
  const usual = mergeHeaders(own, told);
  /** `said` is what a request brings along itself; what the settings say wins over it, and the call over both. */
  const headersOf = (
    called: Headers | undefined,
    ...said: readonly (Headers | undefined)[]
  ): Record<string, string> => {
    const isUsual = said.every((each) => each === undefined);
    if (isUsual && called === undefined) return { ...usual };
    return isUsual ? mergeHeaders(usual, called) : mergeHeaders(own, ...said, told, called);
  };
  return {
    kind: "http",
    name,
    config,
    prepare(request: ModelRequest, model: string, stream: boolean, options: CallOptions): PreparedRequest {
      const called = options.headers === undefined ? undefined : readHeaders(options.headers, "/headers", name);
      const plan = planRequest(request, model, stream, name, config);
      const encoded = dialect.encodeRequest(plan.request, { repair: options.repair });
      const headers = headersOf(called, encoded.address?.headers, plan.headers);
      if (!address.namesModel) sayInBody(encoded.wire as JsonObject, model, stream);
      return {
        request: { method: "POST", url: address.urlOf(model, stream), headers, body: stringifyJson(encoded.wire) },
        dialect,
        names: encoded.names,
        losses: plan.losses(encoded.losses),
        ...(plan.facts !== undefined && { facts: plan.facts }),
      };
    },
    forward: (body, model, stream, called) => ({
      request: { method: "POST", url: address.urlOf(model, stream), headers: headersOf(called), body },
      dialect,
      names: undefined,
      losses: [],
    }),
    countUrl: (model) => address.countUrlOf?.(model),
    list() {
      const { "content-type": _, ...headers } = headersOf(undefined);
      return address.listUrl === undefined ? undefined : { method: "GET", url: address.listUrl, headers, body: "" };
    },
    authorise(request) {
      const { apiKey, sign } = config;
      const headers = mergeHeaders(secret, request.headers);
      const isAsked = typeof apiKey === "function" || sign !== undefined;
      return isAsked
        ? askAuthority({ ...request, headers }, name, config, address)
        : { ...request, headers: withKey(headers, apiKey, name, address) };
    },
  };
}

/** A request that came with its model in the URL goes to an address that does not hold it. */
function sayInBody(wire: JsonObject, model: string, stream: boolean): void {
  wire["model"] ??= model;
  if (stream) wire["stream"] ??= true;
}

/** Adds the key, unless there is one: whoever sends the header by hand has their reasons. */
function withKey(
  headers: Record<string, string>,
  key: string | undefined,
  name: string,
  { key: [header, prefix] }: Address,
): Record<string, string> {
  if (key === undefined || headers[header] !== undefined) return headers;
  const what = keyFault(key);
  if (what !== undefined) throw fault(pointer(["providers", name, "apiKey"]), what, { provider: name });
  headers[header] = prefix + key;
  return headers;
}

/** For those who fetch a key, or have each request signed. */
async function askAuthority(
  request: HttpRequest,
  name: string,
  { apiKey, sign }: HttpProvider,
  address: Address,
): Promise<HttpRequest> {
  const isSaid = request.headers[address.key[0]] !== undefined;
  const key = typeof apiKey === "function" && !isSaid ? await ask(apiKey, name, "apiKey") : apiKey;
  const headers = withKey({ ...request.headers }, typeof key === "function" ? undefined : key, name, address);
  const authorised = { ...request, headers };
  if (sign === undefined) return authorised;
  const answered = await ask(() => sign(authorised), name, "sign");
  const signed = readHeaders(answered, pointer(["providers", name, "sign"]), name);
  return { ...authorised, headers: mergeHeaders(headers, signed) };
}

async function ask<T>(get: () => T | Promise<T>, name: string, field: "apiKey" | "sign"): Promise<T> {
  try {
    return await get();
  } catch (cause) {
    const path = pointer(["providers", name, field]);
    // What it threw may hold the key: it is the cause, and not in the message.
    throw fault(path, "threw, so that nothing was sent.", { provider: name, cause });
  }
}

/** The official addresses answer nobody without a key; others may. */
function requireKey(name: string, config: HttpProvider, { isOfficial }: Address, secret: Headers): void {
  const { apiKey, sign, query, dialect } = config;
  if (!isOfficial || apiKey !== undefined || sign !== undefined || query?.["key"] !== undefined) return;
  if (Object.keys(secret).length > 0) return;
  const signer = dialect === "bedrock" ? ", or a function as sign" : "";
  const what = `is missing${signer}; is the variable set that it comes from?`;
  throw fault(pointer(["providers", name, "apiKey"]), what, { provider: name });
}
