// A provider ready to be asked: its settings checked once, its dialect at hand, its requests made and authorised.
import type { JsonObject, Request } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import { pointer } from "../../model/pointer.ts";
import { dialect as dialectOf } from "../../dialects/index.ts";
import { ClientError } from "../errors.ts";
import type {
  CallOptions,
  HttpLink,
  HttpProvider,
  HttpRequest,
  Prepared,
  ProviderConfig,
  ProviderLink,
} from "../types.ts";
import { checkConfig, keyFault } from "./check.ts";
import type { Address } from "./endpoints.ts";
import { addressOf } from "./endpoints.ts";
import { checkHeaders, mergeHeaders, splitHeaders } from "./headers.ts";
import { localLink } from "./local.ts";
import { planRequest } from "./plan.ts";

/** Throws a `ClientError` "configuration" with the path of what is wrong. */
export function linkOf(name: string, config: ProviderConfig): ProviderLink {
  checkConfig(name, config);
  return "answer" in config ? localLink(name, config) : httpLink(name, config);
}

function httpLink(name: string, config: HttpProvider): HttpLink {
  const address = addressOf(config);
  requireKey(name, config, address);
  const [told, secret] = splitHeaders(config.headers ?? {});
  // At OpenAI's own address nobody else's habits can be meant.
  const vendor = config.vendor ?? (config.dialect === "openai-chat" && address.isOfficial ? "openai" : undefined);
  const dialect = dialectOf(config.dialect, { provider: config.issuer ?? name, vendor });
  return {
    kind: "http",
    name,
    config,
    prepare(request: Request, model: string, stream: boolean, options: CallOptions): Prepared {
      if (options.headers !== undefined) checkHeaders(options.headers, "/headers", name);
      const plan = planRequest(request, model, stream, name, config);
      const encoded = dialect.encodeRequest(plan.request, { repair: options.repair });
      const headers = mergeHeaders(
        { "content-type": "application/json" },
        address.headers,
        encoded.address?.headers,
        plan.headers,
        told,
        options.headers,
      );
      if (!address.namesModel) sayInBody(encoded.wire as JsonObject, model, stream);
      return {
        request: { method: "POST", url: address.urlOf(model, stream), headers, body: stringifyJson(encoded.wire) },
        dialect,
        names: encoded.names,
        losses: plan.losses(encoded.losses),
      };
    },
    authorise: (request) =>
      authorise({ ...request, headers: mergeHeaders(secret, request.headers) }, name, config, address),
  };
}

/** A request that came with its model in the URL goes to an address that does not hold it. */
function sayInBody(wire: JsonObject, model: string, stream: boolean): void {
  wire["model"] ??= model;
  if (stream) wire["stream"] ??= true;
}

async function authorise(
  request: HttpRequest,
  name: string,
  { apiKey, sign }: HttpProvider,
  address: Address,
): Promise<HttpRequest> {
  const headers = { ...request.headers };
  const [header, prefix] = address.key;
  // Whoever sends the header by hand has their reasons.
  if (apiKey !== undefined && headers[header] === undefined) {
    const key = typeof apiKey === "string" ? apiKey : await ask(apiKey, name, "apiKey");
    const fault = keyFault(key);
    const path = pointer(["providers", name, "apiKey"]);
    if (fault !== undefined) throw new ClientError("configuration", `${path} ${fault}`, { path, provider: name });
    headers[header] = prefix + key;
  }
  const authorised = { ...request, headers };
  if (sign === undefined) return authorised;
  const signed = await ask(() => sign(authorised), name, "sign");
  checkHeaders(signed, pointer(["providers", name, "sign"]), name);
  return { ...authorised, headers: mergeHeaders(headers, signed) };
}

async function ask<T>(get: () => T | Promise<T>, name: string, field: "apiKey" | "sign"): Promise<T> {
  try {
    return await get();
  } catch (cause) {
    const path = pointer(["providers", name, field]);
    // What it threw may hold the key: it is the cause, and not in the message.
    throw new ClientError("configuration", `${path} threw, so that nothing was sent.`, { path, provider: name, cause });
  }
}

/** The official addresses answer nobody without a key; others may. */
function requireKey(name: string, { apiKey, sign, headers, query, dialect }: HttpProvider, address: Address): void {
  if (!address.isOfficial || apiKey !== undefined || sign !== undefined || query?.["key"] !== undefined) return;
  const [, secret] = splitHeaders(headers ?? {});
  if (Object.keys(secret).length > 0) return;
  const path = pointer(["providers", name, "apiKey"]);
  const signer = dialect === "bedrock" ? ", or a function as sign" : "";
  const message = `${path} is missing${signer}; is the variable set that it comes from?`;
  throw new ClientError("configuration", message, { path, provider: name });
}
