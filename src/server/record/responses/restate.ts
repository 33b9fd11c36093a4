// What a response says about its request: OpenAI's repeat the settings, and clients look at them. Upstreams of other
// dialects say nothing of the kind, so it is taken from the request.
import { dialect } from "../../../dialects/index.ts";
import type { JsonObject, ModelRequest, Response } from "../../../model/index.ts";
import { stringifyJson } from "../../../model/json.ts";
import { isObject } from "../../../model/kind.ts";
import { leadingOf } from "../said.ts";
import { withoutSecrets } from "../secrets.ts";

const RESPONSES = "openai-responses";
const responses = dialect(RESPONSES);

const REPEATED: readonly string[] =
  "instructions max_output_tokens max_tool_calls metadata parallel_tool_calls previous_response_id prompt_cache_key reasoning safety_identifier service_tier store temperature text tool_choice tools top_logprobs top_p truncation user".split(
    " ",
  );

/** Puts what the request said into the wire form of a response, where the answer itself says nothing about it. */
export function restating(
  { extra }: Pick<Response, "extra">,
  request: ModelRequest | undefined,
): (wire: JsonObject) => JsonObject {
  const own = extra?.[RESPONSES] ?? {};
  const said = request === undefined ? {} : settingsIn(request);
  return (wire) => {
    const whole = { ...wire };
    for (const field of REPEATED) {
      const value = (own[field] ?? null) === null ? said[field] : undefined;
      if (value !== undefined) whole[field] = value;
    }
    return whole;
  };
}

/** The settings of a request in this dialect's words. */
function settingsIn(request: ModelRequest): JsonObject {
  const { wire } = responses.encodeRequest(
    { ...request, messages: [...leadingOf(request.messages)] },
    { repair: false },
  );
  const { input: _, ...said } = isObject(wire) ? wire : {};
  // Keys of tool servers are for those alone: they are not repeated, not even to whoever sent them.
  return withoutSecrets({ store: true, ...said }, stringifyJson(said));
}
