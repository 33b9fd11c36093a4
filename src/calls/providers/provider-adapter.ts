// Creates provider adapters: checks a provider's configuration once, then makes and authorizes its requests.
import type { JsonObject, ModelRequest } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import { pointer } from "../../model/json/pointer.ts";
import { configurationError } from "../field-checks.ts";
import type {
  CallOptions,
  HttpAdapter,
  HttpProvider,
  HttpRequest,
  PreparedRequest,
  ProviderConfig,
  ProviderAdapter,
} from "../types.ts";
import { checkProviderConfig, findKeyFault } from "./check-provider.ts";
import type { ProviderEndpoint } from "./endpoints.ts";
import { resolveEndpoint } from "./endpoints.ts";
import type { PlainHeaders } from "./headers.ts";
import { mergeHeaders, readHeaders, splitHeaders } from "./headers.ts";
import { HTTP_DIALECT_FACTORIES } from "./http-dialects.ts";
import { createLocalAdapter } from "./local-adapter.ts";
import { planRequest } from "./plan-request.ts";

/** Creates the adapter of a provider. Throws a `ClientError` "configuration" with the path of an invalid setting. */
export function createProviderAdapter(name: string, config: ProviderConfig): ProviderAdapter {
  checkProviderConfig(name, config);
  return "answer" in config ? createLocalAdapter(name, config) : createHttpAdapter(name, config);
}

function createHttpAdapter(name: string, config: HttpProvider): HttpAdapter {
  const endpoint = resolveEndpoint(config);
  const [visible, secret] = splitHeaders(readHeaders(config.headers ?? {}, pointer(["providers", name, "headers"])));
  assertKey(name, config, endpoint, secret);
  // OpenAI's official URL implies the vendor "openai".
  const vendor = config.vendor ?? (config.dialect === "openai-chat" && endpoint.isOfficial ? "openai" : undefined);
  const dialect = HTTP_DIALECT_FACTORIES[config.dialect]({ provider: config.issuer ?? name, vendor });
  const ofDialect = mergeHeaders({ "content-type": "application/json" }, endpoint.headers);
  const usual = mergeHeaders(ofDialect, visible);
  /** Precedence: the call, the provider's settings, the encoded request, the dialect. */
  const createHeaders = (
    ofCall: PlainHeaders | undefined,
    ...ofRequest: readonly (PlainHeaders | undefined)[]
  ): Record<string, string> => {
    const isUsual = ofRequest.every((each) => each === undefined);
    if (isUsual && ofCall === undefined) return { ...usual };
    return isUsual ? mergeHeaders(usual, ofCall) : mergeHeaders(ofDialect, ...ofRequest, visible, ofCall);
  };
  return {
    kind: "http",
    name,
    config,
    prepare(request: ModelRequest, model: string, stream: boolean, options: CallOptions): PreparedRequest {
      const ofCall = options.headers === undefined ? undefined : readHeaders(options.headers, "/headers", name);
      const plan = planRequest(request, model, stream, name, config);
      const encoded = dialect.encodeRequest(plan.request, { repair: options.repair });
      const headers = createHeaders(ofCall, encoded.address?.headers, plan.headers);
      if (!endpoint.hasModelInUrl) addModelToBody(encoded.wire as JsonObject, model, stream);
      return {
        request: { method: "POST", url: endpoint.callUrl(model, stream), headers, body: stringifyJson(encoded.wire) },
        dialect,
        renames: encoded.names,
        losses: plan.losses(encoded.losses),
        ...(plan.answerMetadata !== undefined && { answerMetadata: plan.answerMetadata }),
      };
    },
    forward: (body, model, stream, ofCall) => ({
      request: { method: "POST", url: endpoint.callUrl(model, stream), headers: createHeaders(ofCall), body },
      dialect,
      renames: undefined,
      losses: [],
    }),
    tokenCountUrl: (model) => endpoint.tokenCountUrl?.(model),
    modelListRequest() {
      const { "content-type": _, ...headers } = createHeaders(undefined);
      const { modelListUrl: url } = endpoint;
      return url === undefined ? undefined : { method: "GET", url, headers, body: "" };
    },
    authorize(request) {
      const { apiKey, sign } = config;
      const headers = mergeHeaders(secret, request.headers);
      const isAsync = typeof apiKey === "function" || sign !== undefined;
      return isAsync
        ? authorizeAsync({ ...request, headers }, name, config, endpoint)
        : { ...request, headers: withKey(headers, apiKey, name, endpoint) };
    },
  };
}

/** Adds the model and the stream flag to a body whose dialect may have had them in the URL. */
function addModelToBody(wire: JsonObject, model: string, stream: boolean): void {
  wire["model"] ??= model;
  if (stream) wire["stream"] ??= true;
}

/** Adds the key, unless the caller set its header. */
function withKey(
  headers: Record<string, string>,
  key: string | undefined,
  name: string,
  { key: [header, prefix] }: ProviderEndpoint,
): Record<string, string> {
  if (key === undefined || headers[header] !== undefined) return headers;
  const fault = findKeyFault(key);
  if (fault !== undefined) {
    throw configurationError(pointer(["providers", name, "apiKey"]), fault, { provider: name });
  }
  headers[header] = prefix + key;
  return headers;
}

/** Authorizes a request with a fetched key or a signature. */
async function authorizeAsync(
  request: HttpRequest,
  name: string,
  { apiKey, sign }: HttpProvider,
  endpoint: ProviderEndpoint,
): Promise<HttpRequest> {
  const hasKeyHeader = request.headers[endpoint.key[0]] !== undefined;
  const key = typeof apiKey === "function" && !hasKeyHeader ? await callOption(apiKey, name, "apiKey") : apiKey;
  const headers = withKey({ ...request.headers }, typeof key === "function" ? undefined : key, name, endpoint);
  const authorized = { ...request, headers };
  if (sign === undefined) return authorized;
  const result = await callOption(() => sign(authorized), name, "sign");
  const signed = readHeaders(result, pointer(["providers", name, "sign"]), name);
  return { ...authorized, headers: mergeHeaders(headers, signed) };
}

async function callOption<T>(option: () => T | Promise<T>, name: string, field: "apiKey" | "sign"): Promise<T> {
  try {
    return await option();
  } catch (cause) {
    const path = pointer(["providers", name, field]);
    // The exception may contain the key, so it is only the cause and not part of the message.
    throw configurationError(path, "threw, so nothing was sent.", { provider: name, cause });
  }
}

/** Throws if an official URL has no key; other servers may work without one. */
function assertKey(name: string, config: HttpProvider, { isOfficial }: ProviderEndpoint, secret: PlainHeaders): void {
  const { apiKey, sign, query, dialect } = config;
  if (!isOfficial || apiKey !== undefined || sign !== undefined || query?.["key"] !== undefined) return;
  if (Object.keys(secret).length > 0) return;
  const signer = dialect === "bedrock" ? ", or a function as sign" : "";
  const fault = `is missing${signer}; check that its environment variable is set.`;
  throw configurationError(pointer(["providers", name, "apiKey"]), fault, { provider: name });
}
