// What only a caller may decide about a request, and what a client therefore adds or takes away: usage in streams, what a
// provider stores, what it need not be told again, and what stands elsewhere over HTTP than in an SDK.
import type { ModelRequest } from "../../model/index.ts";
import type { HttpProvider } from "../types.ts";
import type { Plan } from "./plan-parts.ts";
import { addResidue, hasForms, plain, takeResidue, withoutForms } from "./plan-parts.ts";
import { planResponses } from "./responses-state.ts";

export function planRequest(
  request: ModelRequest,
  model: string,
  stream: boolean,
  name: string,
  config: HttpProvider,
): Plan {
  const { dialect } = config;
  const { stream: _, ...rest } = request;
  const asked: ModelRequest = stream ? { ...rest, model, stream } : { ...rest, model };
  switch (dialect) {
    case "openai-responses":
      return planResponses(stream ? asked : withoutStreamOptions(asked, dialect), model, name, config);
    case "openai-chat":
      return plain(stream ? withUsage(asked, config.vendor) : withoutStreamOptions(asked, dialect));
    case "anthropic":
      return withBetas(asked);
    default:
      return plain(withoutSdkForm(asked, dialect));
  }
}

const STREAM_OPTIONS = "stream_options";

/** Vendors that refuse fields which they do not know, and send usage unasked. */
const UNASKED: ReadonlySet<string | undefined> = new Set(["mistral"]);

/** Without this, a stream of Chat Completions does not say what it cost. */
function withUsage(request: ModelRequest, vendor: string | undefined): ModelRequest {
  if (UNASKED.has(vendor)) return request;
  return addResidue(request, "openai-chat", { [STREAM_OPTIONS]: { include_usage: true } });
}

/** Like `stream` itself, they say how the answer is to come, and are refused where it comes whole. */
function withoutStreamOptions(request: ModelRequest, dialect: string): ModelRequest {
  const [rest] = takeResidue(request, dialect, STREAM_OPTIONS);
  return rest;
}

/** The SDK has betas among the parameters; over HTTP they are a header. */
function withBetas(request: ModelRequest): Plan {
  const [rest, betas] = takeResidue(request, "anthropic", "betas");
  if (!Array.isArray(betas) || !betas.every((beta) => typeof beta === "string")) return plain(request);
  return { ...plain(rest), headers: { "anthropic-beta": betas.join(",") } };
}

/**
 * The SDKs have the model among the parameters, settings one level deeper, and a string for a message that is one text;
 * over HTTP, the URL names the model, and only the plain form is taken.
 */
function withoutSdkForm(request: ModelRequest, dialect: "gemini" | "bedrock"): ModelRequest {
  const spelled = withoutForms(request, dialect, ["model", "config", "contents"]);
  if (!request.messages.some((message) => hasForms(message, dialect, ["text"]))) return spelled;
  return { ...spelled, messages: request.messages.map((message) => withoutForms(message, dialect, ["text"])) };
}
