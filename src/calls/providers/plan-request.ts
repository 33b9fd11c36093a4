// Plans a request for a provider: requests usage in streams, applies the provider's storage settings, and moves parameters
// of SDKs to their place in HTTP.
import type { ModelRequest } from "../../model/index.ts";
import type { HttpProvider } from "../types.ts";
import type { RequestPlan } from "./request-plan.ts";
import { addResidue, hasForms, removeResidueField, unchangedPlan, withoutForms } from "./request-plan.ts";
import { planResponsesRequest } from "./responses-state.ts";

export function planRequest(
  request: ModelRequest,
  model: string,
  stream: boolean,
  name: string,
  config: HttpProvider,
): RequestPlan {
  const { dialect } = config;
  const { stream: _, ...rest } = request;
  const withModel: ModelRequest = stream ? { ...rest, model, stream } : { ...rest, model };
  switch (dialect) {
    case "openai-responses":
      return planResponsesRequest(stream ? withModel : withoutStreamOptions(withModel, dialect), model, name, config);
    case "openai-chat":
      return unchangedPlan(stream ? withUsage(withModel, config.vendor) : withoutStreamOptions(withModel, dialect));
    case "anthropic":
      return withBetas(withModel);
    default:
      return unchangedPlan(withoutSdkForm(withModel, dialect));
  }
}

const STREAM_OPTIONS = "stream_options";

/** Vendors that reject unknown fields and send usage without being asked. */
const SENDS_USAGE_UNASKED: ReadonlySet<string | undefined> = new Set(["mistral"]);

/** Requests usage: without this field, a stream of Chat Completions does not contain it. */
function withUsage(request: ModelRequest, vendor: string | undefined): ModelRequest {
  if (SENDS_USAGE_UNASKED.has(vendor)) return request;
  return addResidue(request, "openai-chat", { [STREAM_OPTIONS]: { include_usage: true } });
}

/** Removes stream options, which providers reject in a request without a stream. */
function withoutStreamOptions(request: ModelRequest, dialect: string): ModelRequest {
  const [rest] = removeResidueField(request, dialect, STREAM_OPTIONS);
  return rest;
}

/** Moves betas to a header: Anthropic's SDK has them as a parameter. */
function withBetas(request: ModelRequest): RequestPlan {
  const [rest, betas] = removeResidueField(request, "anthropic", "betas");
  if (!Array.isArray(betas) || !betas.every((beta) => typeof beta === "string")) return unchangedPlan(request);
  return { ...unchangedPlan(rest), headers: { "anthropic-beta": betas.join(",") } };
}

/**
 * Removes the forms of the SDKs: the model as a parameter, settings one level deeper, and a string for a message of one
 * text. Over HTTP, the URL contains the model, and only the plain form is accepted.
 */
function withoutSdkForm(request: ModelRequest, dialect: "gemini" | "bedrock"): ModelRequest {
  const plain = withoutForms(request, dialect, ["model", "config", "contents"]);
  if (!request.messages.some((message) => hasForms(message, dialect, ["text"]))) return plain;
  return { ...plain, messages: request.messages.map((message) => withoutForms(message, dialect, ["text"])) };
}
