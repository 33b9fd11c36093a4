// Creates provider adapters. An adapter checks the provider's configuration once, then prepares and authorizes
// requests.
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
  // For Chat Completions at the official URL, the default vendor is "openai".
  const vendor = config.vendor ?? (config.dialect === "openai-chat" && endpoint.isOfficial ? "openai" : undefined);
  const dialect = HTTP_DIALECT_FACTORIES[config.dialect]({ provider: config.issuer ?? name, vendor });
  const ofDialect = mergeHeaders({ "content-type": "application/json" }, endpoint.headers);
  const usual = mergeHeaders(ofDialect, visible);
  /** Merges headers. The precedence is: the call, the provider's settings, the encoded request, the dialect. */
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

/**
 * Adds the model and the stream flag to the body if they are missing, because the request may come from a dialect that
 * has them in the URL.
 */
function addModelToBody(wire: JsonObject, model: string, stream: boolean): void {
  wire["model"] ??= model;
  if (stream) wire["stream"] ??= true;
}

/** Adds the key to the headers, unless the caller has set the header of the key. */
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

/** Authorizes a request with the key from the `apiKey` function or with the headers from `sign`. */
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

/** Calls a function of the provider's settings. Throws a `ClientError` "configuration" if the function throws. */
async function callOption<T>(option: () => T | Promise<T>, name: string, field: "apiKey" | "sign"): Promise<T> {
  try {
    return await option();
  } catch (cause) {
    const path = pointer(["providers", name, field]);
    // The exception may contain the key, so it is only the cause of the error and not part of its message.
    throw configurationError(path, "is a function that threw an exception, so nothing was sent.", {
      provider: name,
      cause,
    });
  }
}

/** Throws if an official URL has no key; other servers may work without a key. */
function assertKey(name: string, config: HttpProvider, { isOfficial }: ProviderEndpoint, secret: PlainHeaders): void {
  const { apiKey, sign, query, dialect } = config;
  if (!isOfficial || apiKey !== undefined || sign !== undefined || query?.["key"] !== undefined) return;
  if (Object.keys(secret).length > 0) return;
  const signer = dialect === "bedrock" ? ", or set `sign` to a function" : "";
  const fault = `is missing; set it${signer}. Check that its environment variable is set.`;
  throw configurationError(pointer(["providers", name, "apiKey"]), fault, { provider: name });
}
