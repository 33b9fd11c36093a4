// Adds the settings of the request to a Responses object, because OpenAI returns the settings and clients read them.
// Upstreams of other dialects do not return settings, so the settings are taken from the request.
import { dialect } from "../../../dialects/index.ts";
import type { JsonObject, ModelRequest, ModelResponse } from "../../../model/index.ts";
import { stringifyJson } from "../../../model/json/index.ts";
import { isObject } from "../../../model/value-kind.ts";
import { leadingInstructions } from "../request-facts.ts";
import { hideSecrets } from "../hide-secrets.ts";

const RESPONSES = "openai-responses";
const responses = dialect(RESPONSES);

const ECHOED_FIELDS: readonly string[] =
  "instructions max_output_tokens max_tool_calls metadata parallel_tool_calls previous_response_id prompt_cache_key reasoning safety_identifier service_tier store temperature text tool_choice tools top_logprobs top_p truncation user".split(
    " ",
  );

/**
 * Returns a function that adds the request's settings to a response object. Fields that the provider's answer contains
 * are not replaced.
 */
export function echoSettings(
  { extra }: Pick<ModelResponse, "extra">,
  request: ModelRequest | undefined,
): (wire: JsonObject) => JsonObject {
  const answerFields = extra?.[RESPONSES] ?? {};
  const settings = request === undefined ? {} : encodeSettings(request);
  return (wire) => {
    const whole = { ...wire };
    for (const field of ECHOED_FIELDS) {
      const value = (answerFields[field] ?? null) === null ? settings[field] : undefined;
      if (value !== undefined) whole[field] = value;
    }
    return whole;
  };
}

/** Encodes the settings of a request in the Responses dialect. */
function encodeSettings(request: ModelRequest): JsonObject {
  const { wire } = responses.encodeRequest(
    { ...request, messages: [...leadingInstructions(request.messages)] },
    { repair: false },
  );
  const { input: _, ...settings } = isObject(wire) ? wire : {};
  // Secrets, such as the keys of MCP servers, are not returned to clients.
  return hideSecrets({ store: true, ...settings }, stringifyJson(settings));
}
