// Rules of the Responses API for all fields of a request except the input.
import type { Json } from "../rejection.ts";
import { isJson, toObject, toObjects, toString } from "../rejection.ts";
import { checkFields, checkName, checkStrict, checkToolSettings, reject } from "../openai/failure.ts";

const FIELDS =
  "model input instructions background conversation include max_output_tokens max_tool_calls metadata parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user context_management".split(
    " ",
  );
const ENCRYPTED = "reasoning.encrypted_content";
const INCLUDES = new Set([ENCRYPTED, "message.output_text.logprobs", "web_search_call.action.sources"]);

export function includesEncryptedReasoning(body: Json): boolean {
  return Array.isArray(body["include"]) && body["include"].includes(ENCRYPTED);
}

export function checkResponsesSettings(body: Json): void {
  checkFields(body, FIELDS);
  checkToolSettings(body);
  toObjects(body["tools"]).forEach((tool, index) => checkTool(tool, `tools[${index}]`));
  for (const include of Array.isArray(body["include"]) ? body["include"] : []) {
    if (!INCLUDES.has(toString(include))) reject(`Invalid value: '${toString(include)}'.`, { param: "include" });
  }
  const max = body["max_output_tokens"];
  if (typeof max === "number" && max < 16) {
    reject("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.", {
      param: "max_output_tokens",
      code: "integer_below_min_value",
    });
  }
  checkFields(toObject(body["text"]), ["format", "verbosity"], "text");
  checkFields(toObject(body["reasoning"]), ["effort", "summary", "generate_summary"], "reasoning");
  const format = toObject(toObject(body["text"])["format"]);
  if (format["type"] !== "json_schema") return;
  checkName(format["name"], "text.format.name");
  if (format["strict"] === true) checkStrict(format["schema"], `response_format '${toString(format["name"])}'`);
}

function checkTool(tool: Json, path: string): void {
  if (tool["type"] !== "function") return;
  checkFields(tool, ["type", "name", "description", "parameters", "strict", "defer_loading"], path);
  checkName(tool["name"], `${path}.name`);
  const { parameters, strict, name } = tool;
  if (parameters !== null && parameters !== undefined && (!isJson(parameters) || parameters["type"] !== "object")) {
    reject(`Invalid schema for function '${toString(name)}': schema must be of 'type: "object"'.`, {
      param: `${path}.parameters`,
      code: "invalid_function_parameters",
    });
  }
  // This API treats a schema as strict by default.
  if (strict !== false && strict !== null && isJson(parameters))
    checkStrict(parameters, `function '${toString(name)}'`);
}
