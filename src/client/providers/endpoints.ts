// Where each dialect is spoken: paths, versions, and the header that a key goes into. One row per dialect.
import { ClientError } from "../errors.ts";
import type { HttpDialect, HttpProvider } from "../types.ts";
import { presets, vendorUrl } from "./presets.ts";

interface Endpoint {
  /** The version in the path, where the base URL does not say it. */
  version?: string;
  /** Whether a base URL says all that goes before the path. */
  isComplete: (path: string) => boolean;
  /** The model stands in the path, and whether to stream, not in the body. */
  namesModel?: true;
  /** What an exchange adds to the base URL; "?" begins a query. */
  path(model: string, stream: boolean, base: string): string;
  /** The same for counting the tokens of a request, where a provider does that. */
  count?: (model: string, base: string) => string;
  /** The same for the list of its models. */
  list?: string;
  /** The end of a whole address, for those who paste one. */
  whole: RegExp;
  /** What every request says beside its body. */
  headers?: Readonly<Record<string, string>>;
  /** The header that a key goes into, and what goes before it. */
  key: readonly [header: string, prefix: string];
}

const VERSIONED = /\/v\d[a-z\d]*$/;
const isVersioned = (path: string): boolean => VERSIONED.test(path);
const bearer = ["authorization", "Bearer "] as const;
/** As the official SDKs do. */
const json = { accept: "application/json" };

const openai = {
  version: "/v1",
  list: "/models",
  // A compatible server may have its API anywhere; only a bare host is completed.
  isComplete: (path) => path !== "",
  key: bearer,
  headers: json,
} satisfies Partial<Endpoint>;

const ENDPOINTS: Readonly<Record<HttpDialect, Endpoint>> = {
  "openai-chat": { ...openai, path: () => "/chat/completions", whole: /\/chat\/completions$/ },
  "openai-responses": { ...openai, path: () => "/responses", whole: /\/responses$/ },
  anthropic: {
    version: "/v1",
    isComplete: isVersioned,
    path: () => "/messages",
    count: () => "/messages/count_tokens",
    list: "/models?limit=1000",
    whole: /\/messages$/,
    // The one after it refuses every setting of sampling; whoever wants it sends the header.
    headers: { ...json, "anthropic-version": "2023-06-01" },
    key: ["x-api-key", ""],
  },
  gemini: {
    version: "/v1beta",
    // Vertex has its version before the project.
    isComplete: (path) => isVersioned(path) || /\/(?:projects\/.+|publishers\/[^/]+)$/.test(path),
    namesModel: true,
    path: (model, stream, base) =>
      `/${geminiModel(model, base)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    count: (model, base) => `/${geminiModel(model, base)}:countTokens`,
    list: "/models?pageSize=1000",
    whole: /\/[^/]+\/[^/]+:(?:g|streamG)enerateContent$/,
    key: ["x-goog-api-key", ""],
  },
  bedrock: {
    isComplete: () => true,
    namesModel: true,
    path: (model, stream) => `/model/${escapeSegment(model)}/converse${stream ? "-stream" : ""}`,
    whole: /\/model\/[^/]+\/converse(?:-stream)?$/,
    key: bearer,
  },
};

/** Why a URL cannot be this dialect's, if so: it is the whole address of another one's. */
export function baseFault(dialect: HttpDialect, baseUrl: string): string | undefined {
  const path = pathOf(new URL(baseUrl));
  if (ENDPOINTS[dialect].whole.test(path)) return undefined;
  const other = (Object.keys(ENDPOINTS) as HttpDialect[]).find((each) => ENDPOINTS[each].whole.test(path));
  // Google has a door for those who speak Chat.
  const meant = other ?? (dialect === "gemini" && path.endsWith("/openai") ? "openai-chat" : undefined);
  return meant && `is where ${meant} is spoken, not ${dialect}: change the dialect, or the URL.`;
}

function pathOf(url: URL): string {
  return url.pathname.replace(/\/+$/, "");
}

/** Vendors with another header for their keys. */
const KEY_HEADERS: Readonly<Record<string, Endpoint["key"]>> = { azure: ["api-key", ""] };

/** What is known of a dialect's endpoint, for one provider. */
export interface Address {
  readonly headers: Readonly<Record<string, string>>;
  readonly key: Endpoint["key"];
  /** The URL names the model, and not the body. */
  readonly namesModel: boolean;
  /** The provider's own address, or the vendor's: not without a key. */
  readonly isOfficial: boolean;
  urlOf(model: string, stream: boolean): string;
  /** Absent where tokens cannot be counted. */
  countUrlOf?(model: string): string;
  /** Absent where models cannot be listed. */
  listUrl?: string;
}

/** The address of a provider, whose settings have been checked. */
export function addressOf({ dialect, baseUrl, vendor, region, query }: HttpProvider): Address {
  const endpoint = ENDPOINTS[dialect];
  const official = officialUrl(dialect, vendor, region);
  const url = new URL(baseUrl ?? official ?? "");
  const base = baseOf(url, endpoint);
  // Whether to stream is said by each call.
  if (dialect === "gemini") url.searchParams.delete("alt");
  const params = new URLSearchParams([...url.searchParams, ...Object.entries(query ?? {})]).toString();
  const withParams = (path: string): string => {
    const full = `${url.origin}${base}${path}`;
    return params === "" ? full : `${full}${full.includes("?") ? "&" : "?"}${params}`;
  };
  const { count, list } = endpoint;
  return {
    headers: endpoint.headers ?? {},
    namesModel: endpoint.namesModel === true,
    key: (vendor !== undefined && Object.hasOwn(KEY_HEADERS, vendor) && KEY_HEADERS[vendor]) || endpoint.key,
    isOfficial: official !== undefined && new URL(official).host === url.host && url.protocol === "https:",
    urlOf: (model, stream) => withParams(endpoint.path(model, stream, base)),
    ...(list !== undefined && { listUrl: withParams(list) }),
    ...(count !== undefined && { countUrlOf: (model: string) => withParams(count(model, base)) }),
  };
}

/** What goes before the path of an exchange. */
function baseOf(url: URL, { whole, isComplete, version = "", namesModel }: Endpoint): string {
  const path = pathOf(url);
  const base = path.replace(whole, "");
  // Whoever pastes the whole address means it.
  if (base !== path) return base;
  const bare = namesModel === true ? base.replace(/\/models$/, "") : base;
  return isComplete(bare) ? bare : bare + version;
}

/** Undefined where only a base URL can tell. */
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
/** Where Vertex has the models of a project; Google's own stand below their publisher. */
const VERTEX_PROJECT = /\/projects\/[^/]+\/locations\/[^/]+$/;

function geminiModel(model: string, base: string): string {
  const collection = VERTEX_PROJECT.test(base) ? "publishers/google/models" : "models";
  const resource = GEMINI_RESOURCE.test(model) ? model : `${collection}/${model}`;
  return resource.split("/").map(escapeSegment).join("/");
}

/** One step of a path; a step that leads elsewhere is no name of a model. */
function escapeSegment(segment: string): string {
  if (segment === "." || segment === "..") {
    throw new ClientError("configuration", `A model cannot be called "${segment}".`, { path: "/model" });
  }
  return encodeURIComponent(segment);
}
