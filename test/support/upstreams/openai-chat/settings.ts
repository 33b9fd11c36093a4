// Rules of Chat Completions for all fields of a request except the messages.
import type { Json } from "../rejection.ts";
import { isJson, toObject, toObjects, toString } from "../rejection.ts";
import { checkFields, checkName, checkStrict, checkToolSettings, reject } from "../openai/failure.ts";

const FIELDS =
  "model messages audio frequency_penalty logit_bias logprobs max_completion_tokens max_tokens metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options".split(
    " ",
  );
const ROUTED_FIELDS = "reasoning include_reasoning top_k min_p provider models transforms usage plugins".split(" ");

export function checkChatSettings(body: Json, isOwn: boolean): void {
  checkFields(body, isOwn ? FIELDS : [...FIELDS, ...ROUTED_FIELDS]);
  checkToolSettings(body);
  checkTools(body);
  if (body["stream_options"] !== undefined && body["stream"] !== true) {
    reject("The 'stream_options' parameter is only allowed when 'stream' is enabled.", { param: "stream_options" });
  }
  if (isOwn && body["metadata"] !== undefined && body["store"] !== true) {
    reject("The 'metadata' parameter is only allowed when 'store' is enabled.", { param: "metadata" });
  }
  if (body["top_logprobs"] !== undefined && body["logprobs"] !== true) {
    reject("'top_logprobs' is only allowed when 'logprobs' is set.", { param: "top_logprobs" });
  }
  const { type, json_schema: named } = toObject(body["response_format"]);
  if (type === "json_object" && !/json/i.test(JSON.stringify(body["messages"]))) {
    reject("'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", {
      param: "messages",
    });
  }
  if (type !== "json_schema") return;
  const { name, schema, strict } = toObject(named);
  checkName(name, "response_format.json_schema.name");
  if (strict === true) checkStrict(schema, `response_format '${toString(name)}'`);
}

function checkTools(body: Json): void {
  const tools = toObjects(body["tools"]);
  tools.forEach((tool, index) => {
    const path = `tools[${index}]`;
    if (tool["type"] === "custom") return;
    if (tool["type"] !== "function") reject(`Invalid value: '${toString(tool["type"])}'.`, { param: `${path}.type` });
    const definition = toObject(tool["function"]);
    checkFields(definition, ["name", "description", "parameters", "strict"], `${path}.function`);
    checkName(definition["name"], `${path}.function.name`);
    const { parameters, strict, name } = definition;
    if (parameters !== undefined && (!isJson(parameters) || parameters["type"] !== "object")) {
      reject(`Invalid schema for function '${toString(name)}': schema must be of 'type: "object"'.`, {
        param: `${path}.function.parameters`,
        code: "invalid_function_parameters",
      });
    }
    if (strict === true) checkStrict(parameters, `function '${toString(name)}'`);
  });
  const choice = toObject(body["tool_choice"]);
  const functionName = toObject(choice["function"])["name"];
  if (choice["type"] === "function" && !tools.some((tool) => toObject(tool["function"])["name"] === functionName)) {
    reject(`Invalid value for 'tool_choice': no function named '${toString(functionName)}'.`, { param: "tool_choice" });
  }
}
