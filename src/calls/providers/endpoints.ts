// Defines the endpoints of each HTTP dialect: paths, versions, and the header of the key. `ENDPOINTS` has one entry per
// dialect.
import { ClientError } from "../errors.ts";
import type { HttpDialect, HttpProvider } from "../types.ts";
import { presets, vendorUrl } from "./presets.ts";

interface DialectEndpoint {
  /** The API version in the path, which is added to a base URL without a version. */
  version?: string;
  /** Returns true if the path of a base URL is used as it is, without an added version. */
  isComplete: (path: string) => boolean;
  /** Set if the model and the stream flag are in the path and not in the body. */
  hasModelInUrl?: true;
  /** Returns the path of a call, relative to the base URL; it may contain a query. */
  callPath(model: string, stream: boolean, base: string): string;
  /** Returns the path that counts the tokens of a request; undefined if the dialect has no such endpoint. */
  tokenCountPath?: (model: string, base: string) => string;
  /** The path of the list of models; undefined if the dialect has no such endpoint. */
  modelListPath?: string;
  /** Matches the end of the full URL of a call, because users paste full URLs as base URLs. */
  fullPath: RegExp;
  /** Headers that every request of the dialect has. */
  headers?: Readonly<Record<string, string>>;
  /** The name of the header that contains the key, and the prefix of its value. */
  key: readonly [header: string, prefix: string];
}

const VERSIONED = /\/v\d[a-z\d]*$/;
const isVersioned = (path: string): boolean => VERSIONED.test(path);
const bearer = ["authorization", "Bearer "] as const;
/** The `accept` header, which the official SDKs send, too. */
const json = { accept: "application/json" };

const openai = {
  version: "/v1",
  modelListPath: "/models",
  // A compatible server may have its API under any path, so only a URL without a path receives the version.
  isComplete: (path) => path !== "",
  key: bearer,
  headers: json,
} satisfies Partial<DialectEndpoint>;

const ENDPOINTS: Readonly<Record<HttpDialect, DialectEndpoint>> = {
  "openai-chat": { ...openai, callPath: () => "/chat/completions", fullPath: /\/chat\/completions$/ },
  "openai-responses": { ...openai, callPath: () => "/responses", fullPath: /\/responses$/ },
  anthropic: {
    version: "/v1",
    isComplete: isVersioned,
    callPath: () => "/messages",
    tokenCountPath: () => "/messages/count_tokens",
    modelListPath: "/models?limit=1000",
    fullPath: /\/messages$/,
    // Anthropic's API version after this one rejects all sampling settings, so this version is the default. A caller
    // can set the header to another version.
    headers: { ...json, "anthropic-version": "2023-06-01" },
    key: ["x-api-key", ""],
  },
  gemini: {
    version: "/v1beta",
    // A Vertex URL that ends in a project or publisher also needs no added version, because the version precedes them
    // in the path.
    isComplete: (path) => isVersioned(path) || /\/(?:projects\/.+|publishers\/[^/]+)$/.test(path),
    hasModelInUrl: true,
    callPath: (model, stream, base) =>
      `/${geminiModelPath(model, base)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    tokenCountPath: (model, base) => `/${geminiModelPath(model, base)}:countTokens`,
    modelListPath: "/models?pageSize=1000",
    fullPath: /\/[^/]+\/[^/]+:(?:g|streamG)enerateContent$/,
    key: ["x-goog-api-key", ""],
  },
  bedrock: {
    isComplete: () => true,
    hasModelInUrl: true,
    callPath: (model, stream) => `/model/${escapeSegment(model)}/converse${stream ? "-stream" : ""}`,
    fullPath: /\/model\/[^/]+\/converse(?:-stream)?$/,
    key: bearer,
  },
};

/** Returns a fault if the URL is the full URL of a call in another dialect; undefined otherwise. */
export function findBaseUrlFault(dialect: HttpDialect, baseUrl: string): string | undefined {
  const path = trimmedPath(new URL(baseUrl));
  if (ENDPOINTS[dialect].fullPath.test(path)) return undefined;
  const other = (Object.keys(ENDPOINTS) as HttpDialect[]).find((each) => ENDPOINTS[each].fullPath.test(path));
  // Google's base URL that ends in `/openai` is an endpoint for OpenAI's Chat Completions.
  const actual = other ?? (dialect === "gemini" && path.endsWith("/openai") ? "openai-chat" : undefined);
  return actual && `is an endpoint of ${actual}, not of ${dialect}: change the dialect or the URL.`;
}

function trimmedPath(url: URL): string {
  return url.pathname.replace(/\/+$/, "");
}

/** Vendors whose key is in another header than their dialect's. */
const KEY_HEADERS: Readonly<Record<string, DialectEndpoint["key"]>> = { azure: ["api-key", ""] };

/** The URLs, headers and key header of one provider. */
export interface ProviderEndpoint {
  readonly headers: Readonly<Record<string, string>>;
  readonly key: DialectEndpoint["key"];
  /** True if the URL contains the model and the body does not. */
  readonly hasModelInUrl: boolean;
  /** True for the official URL of the dialect or the vendor, which requires a key. */
  readonly isOfficial: boolean;
  callUrl(model: string, stream: boolean): string;
  /** Returns the URL that counts the tokens of a request; absent if the provider cannot count tokens. */
  tokenCountUrl?(model: string): string;
  /** The URL of the list of models; absent if the provider cannot list its models. */
  modelListUrl?: string;
}

/** Resolves the endpoint of a provider. The configuration must have passed `checkProviderConfig`. */
export function resolveEndpoint({ dialect, baseUrl, vendor, region, query }: HttpProvider): ProviderEndpoint {
  const endpoint = ENDPOINTS[dialect];
  const official = officialUrl(dialect, vendor, region);
  const url = new URL(baseUrl ?? official ?? "");
  const base = resolveBasePath(url, endpoint);
  // A pasted URL may contain `alt=sse`, but each call sets `alt` itself.
  if (dialect === "gemini") url.searchParams.delete("alt");
  const params = new URLSearchParams([...url.searchParams, ...Object.entries(query ?? {})]).toString();
  const withParams = (path: string): string => {
    const full = `${url.origin}${base}${path}`;
    return params === "" ? full : `${full}${full.includes("?") ? "&" : "?"}${params}`;
  };
  const { tokenCountPath, modelListPath } = endpoint;
  return {
    headers: endpoint.headers ?? {},
    hasModelInUrl: endpoint.hasModelInUrl === true,
    key: (vendor !== undefined && Object.hasOwn(KEY_HEADERS, vendor) && KEY_HEADERS[vendor]) || endpoint.key,
    isOfficial: official !== undefined && new URL(official).host === url.host && url.protocol === "https:",
    callUrl: (model, stream) => withParams(endpoint.callPath(model, stream, base)),
    ...(modelListPath !== undefined && { modelListUrl: withParams(modelListPath) }),
    ...(tokenCountPath !== undefined && {
      tokenCountUrl: (model: string) => withParams(tokenCountPath(model, base)),
    }),
  };
}

/**
 * Returns the path that precedes the path of a call. The end of a full call URL is removed; otherwise the version is
 * added if it is missing.
 */
function resolveBasePath(url: URL, { fullPath, isComplete, version = "", hasModelInUrl }: DialectEndpoint): string {
  const path = trimmedPath(url);
  const base = path.replace(fullPath, "");
  if (base !== path) return base;
  const bare = hasModelInUrl === true ? base.replace(/\/models$/, "") : base;
  return isComplete(bare) ? bare : bare + version;
}

/** Returns the official URL of a dialect or vendor; undefined if the vendor is unknown or Bedrock has no region. */
export function officialUrl(
  dialect: HttpDialect,
  vendor: string | undefined,
  region: string | undefined,
): string | undefined {
  if (dialect === "bedrock") {
    const domain = region?.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    return region === undefined ? undefined : `https://bedrock-runtime.${region}.${domain}`;
  }
  if (vendor !== undefined && vendor !== "openai") return vendorUrl(vendor);
  if (dialect === "anthropic" || dialect === "gemini") return presets[dialect].baseUrl;
  return presets.openai.baseUrl;
}

const GEMINI_RESOURCE = /^(?:models|tunedModels|publishers|projects|endpoints|cachedContents)\//;
/** Matches the base path of a Vertex project, in which Google's own models are under `publishers/google`. */
const VERTEX_PROJECT = /\/projects\/[^/]+\/locations\/[^/]+$/;

function geminiModelPath(model: string, base: string): string {
  const collection = VERTEX_PROJECT.test(base) ? "publishers/google/models" : "models";
  const resource = GEMINI_RESOURCE.test(model) ? model : `${collection}/${model}`;
  return resource.split("/").map(escapeSegment).join("/");
}

/** Escapes one segment of a path. Throws for "." and "..", which would change the path. */
function escapeSegment(segment: string): string {
  if (segment === "." || segment === "..") {
    throw new ClientError("configuration", `"${segment}" is not a valid model name.`, { path: "/model" });
  }
  return encodeURIComponent(segment);
}
