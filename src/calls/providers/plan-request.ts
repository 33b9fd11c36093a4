// Plans a request for a provider: requests usage in streams, applies the provider's storage settings, and converts
// parameters of the official SDKs to their form in HTTP.
import type { ModelRequest } from "../../model/index.ts";
import type { HttpProvider } from "../types.ts";
import type { PlannedRequest } from "./planned-request.ts";
import { addResidue, hasForms, removeResidueField, planUnchanged, withoutForms } from "./planned-request.ts";
import { planResponsesRequest } from "./responses-state.ts";

export function planRequest(
  request: ModelRequest,
  model: string,
  stream: boolean,
  name: string,
  config: HttpProvider,
): PlannedRequest {
  const { dialect } = config;
  const { stream: _, ...rest } = request;
  const withModel: ModelRequest = stream ? { ...rest, model, stream } : { ...rest, model };
  switch (dialect) {
    case "openai-responses":
      return planResponsesRequest(stream ? withModel : withoutStreamOptions(withModel, dialect), model, name, config);
    case "openai-chat":
      return planUnchanged(stream ? withUsage(withModel, config.vendor) : withoutStreamOptions(withModel, dialect));
    case "anthropic":
      return withBetas(withModel);
    default:
      return planUnchanged(withoutSdkForm(withModel, dialect));
  }
}

const STREAM_OPTIONS = "stream_options";

/** Vendors that send usage in every stream and reject the unknown field `stream_options`. */
const VENDORS_WITH_USAGE: ReadonlySet<string | undefined> = new Set(["mistral"]);

/** Adds the field that requests usage; without it, a stream of Chat Completions contains no usage. */
function withUsage(request: ModelRequest, vendor: string | undefined): ModelRequest {
  if (VENDORS_WITH_USAGE.has(vendor)) return request;
  return addResidue(request, "openai-chat", { [STREAM_OPTIONS]: { include_usage: true } });
}

/** Removes `stream_options`, which providers reject in a request without a stream. */
function withoutStreamOptions(request: ModelRequest, dialect: string): ModelRequest {
  const [rest] = removeResidueField(request, dialect, STREAM_OPTIONS);
  return rest;
}

/** Moves the `betas` parameter of Anthropic's SDK to the `anthropic-beta` header. */
function withBetas(request: ModelRequest): PlannedRequest {
  const [rest, betas] = removeResidueField(request, "anthropic", "betas");
  if (!Array.isArray(betas) || !betas.every((beta) => typeof beta === "string")) return planUnchanged(request);
  return { ...planUnchanged(rest), headers: { "anthropic-beta": betas.join(",") } };
}

/**
 * Removes the forms that only Google's and Amazon's SDKs accept: the model as a parameter, settings under `config`, and
 * a string for a message of one text. Over HTTP, the URL contains the model, and only the plain form is accepted.
 */
function withoutSdkForm(request: ModelRequest, dialect: "gemini" | "bedrock"): ModelRequest {
  const plain = withoutForms(request, dialect, ["model", "config", "contents"]);
  if (!request.messages.some((message) => hasForms(message, dialect, ["text"]))) return plain;
  return { ...plain, messages: request.messages.map((message) => withoutForms(message, dialect, ["text"])) };
}
