// Rules of the Anthropic API for all fields of a request except the messages.
import { reject } from "./failure.ts";
import type { Json } from "../rejection.ts";
import { isJson, toObject, toObjects, findRepeated, toString, findUnknownField } from "../rejection.ts";

/** The first model supports adaptive thinking, the second a thinking budget. */
export const MODELS = ["claude-opus-4-6", "claude-haiku-4-5"];
const isAdaptive = (model: string): boolean => model === "claude-opus-4-6";

const FIELDS =
  "model messages max_tokens system metadata stop_sequences stream temperature top_k top_p tools tool_choice thinking service_tier output_config cache_control inference_geo container context_management mcp_servers".split(
    " ",
  );
const MAX_CACHED = 4;

export function checkSettings(body: Json, model: string): void {
  const unknown = findUnknownField(body, FIELDS);
  if (unknown !== undefined) reject(`${unknown}: Extra inputs are not permitted`);
  const max = body["max_tokens"];
  if (max === undefined) reject("max_tokens: Field required");
  if (typeof max !== "number" || max < 1) reject("max_tokens: Input should be greater than or equal to 1");
  checkSystem(body["system"]);
  checkTools(body);
  checkThinking(body, model);
  checkSampling(body);
  const cached = JSON.stringify(body).split('"cache_control":{').length - 1;
  if (cached > MAX_CACHED) {
    reject(`A maximum of ${MAX_CACHED} blocks with cache_control may be provided. Found ${cached}.`);
  }
}

function checkSystem(system: unknown): void {
  if (system === undefined || typeof system === "string") return;
  toObjects(system).forEach((block, index) => {
    if (block["type"] !== "text") reject(`system.${index}.type: Input should be 'text'`);
    if (toString(block["text"]) === "") reject("system: text content blocks must be non-empty");
  });
}

function checkTools(body: Json): void {
  const tools = toObjects(body["tools"]);
  tools.forEach((tool, index) => {
    const { type = "custom", name, input_schema: schema } = tool;
    if (type !== "custom") return;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(toString(name))) {
      reject(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    }
    if (!isJson(schema)) reject(`tools.${index}.custom.input_schema: Field required`);
    if (schema["type"] !== "object") reject(`tools.${index}.custom.input_schema.type: Input should be 'object'`);
    const known = "type name description input_schema cache_control strict eager_input_streaming defer_loading".split(
      " ",
    );
    const unknown = findUnknownField(tool, known);
    if (unknown !== undefined) reject(`tools.${index}.custom.${unknown}: Extra inputs are not permitted`);
  });
  const twice = findRepeated(tools.map(({ name }) => toString(name)));
  if (twice !== undefined) reject("tools: Tool names must be unique.");
  const choice = toObject(body["tool_choice"]);
  if (body["tool_choice"] === undefined) return;
  if (!["auto", "any", "tool", "none"].includes(toString(choice["type"]))) {
    reject("tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'");
  }
  if (tools.length === 0) reject("tool_choice: may only be specified while providing tools");
  if (choice["type"] === "tool" && !tools.some(({ name }) => name === choice["name"])) {
    reject(`Tool '${toString(choice["name"])}' not found in provided tools`);
  }
}

/** Returns the thinking mode of a request. */
export function readThinkingMode(body: Json): "enabled" | "adaptive" | undefined {
  const { type } = toObject(body["thinking"]);
  return type === "enabled" || type === "adaptive" ? type : undefined;
}

function checkThinking(body: Json, model: string): void {
  const type = readThinkingMode(body);
  const effort = toObject(body["output_config"])["effort"];
  if (effort !== undefined && !isAdaptive(model)) reject("This model does not support the effort parameter.");
  if (type === undefined) return;
  if (type === "adaptive" && !isAdaptive(model)) reject("adaptive thinking is not supported on this model");
  const { budget_tokens: budget } = toObject(body["thinking"]);
  if (type === "enabled") {
    if (typeof budget !== "number") reject("thinking.enabled.budget_tokens: Field required");
    if (budget < 1024) reject("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    if (budget >= Number(body["max_tokens"])) reject("`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  const choice = toObject(body["tool_choice"])["type"];
  if (choice === "any" || choice === "tool") reject("Thinking may not be enabled when tool_choice forces tool use.");
  const { temperature, top_k: topK } = body;
  if (temperature !== undefined && temperature !== 1) {
    reject("`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (topK !== undefined) reject("`top_k` must be unset when thinking is enabled.");
}

function checkSampling(body: Json): void {
  const { temperature, top_p: topP } = body;
  if (typeof temperature === "number" && (temperature < 0 || temperature > 1)) reject("temperature: range: 0..1");
  if (temperature !== undefined && topP !== undefined) {
    reject("`temperature` and `top_p` cannot both be specified for this model. Please use only one.");
  }
  for (const stop of Array.isArray(body["stop_sequences"]) ? body["stop_sequences"] : []) {
    if (toString(stop).trim() === "") reject("stop_sequences: each stop sequence must contain non-whitespace");
  }
}
