// The endpoints of each dialect: paths, versions, and the header of the key. One row per dialect.
import { ClientError } from "../errors.ts";
import type { HttpDialect, HttpProvider } from "../types.ts";
import { presets, vendorUrl } from "./presets.ts";

interface DialectEndpoint {
  /** The version in the path, added to base URLs without one. */
  version?: string;
  /** True if the path of a base URL needs no version. */
  isComplete: (path: string) => boolean;
  /** The model and the stream flag are in the path, not in the body. */
  hasModelInUrl?: true;
  /** Returns the path of a call, relative to the base URL; it may contain a query. */
  callPath(model: string, stream: boolean, base: string): string;
  /** Returns the path that counts the tokens of a request. */
  tokenCountPath?: (model: string, base: string) => string;
  /** The path of the list of models. */
  modelListPath?: string;
  /** Matches the end of a full call URL, because users paste those as base URLs. */
  fullPath: RegExp;
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>>;
  /** The header of the key, and the prefix of its value. */
  key: readonly [header: string, prefix: string];
}

const VERSIONED = /\/v\d[a-z\d]*$/;
const isVersioned = (path: string): boolean => VERSIONED.test(path);
const bearer = ["authorization", "Bearer "] as const;
/** The official SDKs send it, too. */
const json = { accept: "application/json" };

const openai = {
  version: "/v1",
  modelListPath: "/models",
  // A compatible server may have its API under any path; only a URL without a path gets the version.
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
    // The next version rejects all sampling settings; callers can set the header themselves.
    headers: { ...json, "anthropic-version": "2023-06-01" },
    key: ["x-api-key", ""],
  },
  gemini: {
    version: "/v1beta",
    // Vertex has the version before the project.
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

/** Returns a fault if the URL is the full call URL of another dialect. */
export function findBaseUrlFault(dialect: HttpDialect, baseUrl: string): string | undefined {
  const path = trimmedPath(new URL(baseUrl));
  if (ENDPOINTS[dialect].fullPath.test(path)) return undefined;
  const other = (Object.keys(ENDPOINTS) as HttpDialect[]).find((each) => ENDPOINTS[each].fullPath.test(path));
  // Google has an endpoint for OpenAI's Chat Completions.
  const actual = other ?? (dialect === "gemini" && path.endsWith("/openai") ? "openai-chat" : undefined);
  return actual && `is an endpoint of ${actual}, not of ${dialect}: change the dialect or the URL.`;
}

function trimmedPath(url: URL): string {
  return url.pathname.replace(/\/+$/, "");
}

/** Vendors with another header for the key than their dialect. */
const KEY_HEADERS: Readonly<Record<string, DialectEndpoint["key"]>> = { azure: ["api-key", ""] };

/** The endpoint of one provider. */
export interface ProviderEndpoint {
  readonly headers: Readonly<Record<string, string>>;
  readonly key: DialectEndpoint["key"];
  /** The URL contains the model, and the body does not. */
  readonly hasModelInUrl: boolean;
  /** True for the official URL of the dialect or the vendor, which requires a key. */
  readonly isOfficial: boolean;
  callUrl(model: string, stream: boolean): string;
  /** Absent if the provider cannot count tokens. */
  tokenCountUrl?(model: string): string;
  /** Absent if the provider cannot list its models. */
  modelListUrl?: string;
}

/** Resolves the endpoint of a provider whose configuration was checked. */
export function resolveEndpoint({ dialect, baseUrl, vendor, region, query }: HttpProvider): ProviderEndpoint {
  const endpoint = ENDPOINTS[dialect];
  const official = officialUrl(dialect, vendor, region);
  const url = new URL(baseUrl ?? official ?? "");
  const base = resolveBasePath(url, endpoint);
  // Each call sets `alt` itself.
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

/** Returns the path before the path of a call: of a full call URL without its end, else with the version added. */
function resolveBasePath(url: URL, { fullPath, isComplete, version = "", hasModelInUrl }: DialectEndpoint): string {
  const path = trimmedPath(url);
  const base = path.replace(fullPath, "");
  if (base !== path) return base;
  const bare = hasModelInUrl === true ? base.replace(/\/models$/, "") : base;
  return isComplete(bare) ? bare : bare + version;
}

/** Returns the official URL of a dialect or vendor; undefined if only a base URL can determine it. */
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
/** The base path of a Vertex project, where Google's own models are below their publisher. */
const VERTEX_PROJECT = /\/projects\/[^/]+\/locations\/[^/]+$/;

function geminiModelPath(model: string, base: string): string {
  const collection = VERTEX_PROJECT.test(base) ? "publishers/google/models" : "models";
  const resource = GEMINI_RESOURCE.test(model) ? model : `${collection}/${model}`;
  return resource.split("/").map(escapeSegment).join("/");
}

/** Escapes one segment of a path. Throws for "." and "..", which would lead to another path. */
function escapeSegment(segment: string): string {
  if (segment === "." || segment === "..") {
    throw new ClientError("configuration", `"${segment}" is not a valid model name.`, { path: "/model" });
  }
  return encodeURIComponent(segment);
}
