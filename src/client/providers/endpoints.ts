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
  path(model: string, stream: boolean): string;
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
  // A compatible server may have its API anywhere; only a bare host is completed.
  isComplete: (path) => path !== "",
  key: bearer,
  headers: json,
} satisfies Partial<Endpoint>;

const ENDPOINTS: Readonly<Record<HttpDialect, Endpoint>> = {
  "openai-chat": { ...openai, path: () => "/chat/completions" },
  "openai-responses": { ...openai, path: () => "/responses" },
  anthropic: {
    version: "/v1",
    isComplete: isVersioned,
    path: () => "/messages",
    // The one after it refuses every setting of sampling; whoever wants it sends the header.
    headers: { ...json, "anthropic-version": "2023-06-01" },
    key: ["x-api-key", ""],
  },
  gemini: {
    version: "/v1beta",
    // Vertex has its version before the project.
    isComplete: (path) => isVersioned(path) || /\/publishers\/[^/]+$/.test(path),
    namesModel: true,
    path: (model, stream) => `/${geminiModel(model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    key: ["x-goog-api-key", ""],
  },
  bedrock: {
    isComplete: () => true,
    namesModel: true,
    path: (model, stream) => `/model/${escapeSegment(model)}/converse${stream ? "-stream" : ""}`,
    key: bearer,
  },
};

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
}

/** The address of a provider, whose settings have been checked. */
export function addressOf({ dialect, baseUrl, vendor, region, query }: HttpProvider): Address {
  const endpoint = ENDPOINTS[dialect];
  const official = officialUrl(dialect, vendor, region);
  const url = new URL(baseUrl ?? official ?? "");
  let base = url.pathname.replace(/\/+$/, "");
  // Whoever pastes the whole address means it.
  const path = endpoint.path("", false);
  if (endpoint.namesModel !== true && base.endsWith(path)) base = base.slice(0, -path.length);
  if (!endpoint.isComplete(base)) base += endpoint.version ?? "";
  const params = new URLSearchParams([...url.searchParams, ...Object.entries(query ?? {})]).toString();
  return {
    headers: endpoint.headers ?? {},
    namesModel: endpoint.namesModel === true,
    key: (vendor !== undefined && Object.hasOwn(KEY_HEADERS, vendor) && KEY_HEADERS[vendor]) || endpoint.key,
    isOfficial: official !== undefined && new URL(official).host === url.host && url.protocol === "https:",
    urlOf(model, stream) {
      const full = `${url.origin}${base}${endpoint.path(model, stream)}`;
      return params === "" ? full : `${full}${full.includes("?") ? "&" : "?"}${params}`;
    },
  };
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

const GEMINI_RESOURCE = /^(?:models|tunedModels|publishers|projects|cachedContents)\//;

function geminiModel(model: string): string {
  const resource = GEMINI_RESOURCE.test(model) ? model : `models/${model}`;
  return resource.split("/").map(escapeSegment).join("/");
}

/** One step of a path; a step that leads elsewhere is no name of a model. */
function escapeSegment(segment: string): string {
  if (segment === "." || segment === "..") {
    throw new ClientError("configuration", `A model cannot be called "${segment}".`, { path: "/model" });
  }
  return encodeURIComponent(segment);
}
