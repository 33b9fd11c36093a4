// Rules of the Gemini API for all fields of a request except the contents.
import type { Json } from "../rejection.ts";
import { isJson, toObject, toObjects, toString } from "../rejection.ts";
import { checkFields, reject } from "./failure.ts";

const FIELDS = [
  "contents",
  "tools",
  "toolConfig",
  "safetySettings",
  "systemInstruction",
  "generationConfig",
  "cachedContent",
];
const CONFIG =
  "stopSequences responseMimeType responseSchema responseJsonSchema responseModalities candidateCount maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseLogprobs logprobs enableEnhancedCivicAnswers speechConfig thinkingConfig imageConfig mediaResolution".split(
    " ",
  );
const TOOLS =
  "functionDeclarations googleSearchRetrieval codeExecution googleSearch computerUse urlContext fileSearch googleMaps".split(
    " ",
  );
const DECLARATION = "name description behavior parameters parametersJsonSchema response responseJsonSchema".split(" ");
/** The keywords of Google's schema format. */
const SCHEMA =
  "type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum".split(
    " ",
  );

export function checkGeminiSettings(body: Json): void {
  checkFields(body, FIELDS);
  const config = toObject(body["generationConfig"]);
  checkFields(config, CONFIG, "generation_config");
  checkFields(
    toObject(config["thinkingConfig"]),
    ["includeThoughts", "thinkingBudget", "thinkingLevel"],
    "thinking_config",
  );
  if (config["responseSchema"] !== undefined && config["responseJsonSchema"] !== undefined) {
    reject(
      "* GenerateContentRequest.generation_config: only one of response_schema and response_json_schema may be set",
    );
  }
  const isSchema = config["responseSchema"] !== undefined || config["responseJsonSchema"] !== undefined;
  if (isSchema && config["responseMimeType"] !== "application/json") {
    reject("Function calling config or response schema needs response_mime_type 'application/json'.");
  }
  if (config["responseSchema"] !== undefined)
    checkSchema(config["responseSchema"], "generation_config.response_schema");
  for (const part of toObjects(toObject(body["systemInstruction"])["parts"])) {
    if (typeof part["text"] !== "string") reject("* GenerateContentRequest.system_instruction: only text is supported");
  }
  checkTools(body);
}

function checkTools(body: Json): void {
  const declared = toObjects(body["tools"]).flatMap((tool, index) => {
    checkFields(tool, TOOLS, `tools[${index}]`);
    return toObjects(tool["functionDeclarations"]);
  });
  declared.forEach((declaration, index) => {
    const path = `tools[0].function_declarations[${index}]`;
    checkFields(declaration, DECLARATION, path);
    if (!/^[a-zA-Z_][\w.:-]{0,63}$/.test(toString(declaration["name"]))) {
      reject(
        `* GenerateContentRequest.${path}.name: Invalid function name. Must start with a letter or an underscore.`,
      );
    }
    if (declaration["parameters"] !== undefined) checkSchema(declaration["parameters"], `${path}.parameters`);
    if (declaration["parameters"] !== undefined && declaration["parametersJsonSchema"] !== undefined) {
      reject(`* GenerateContentRequest.${path}: only one of parameters and parameters_json_schema may be set`);
    }
  });
  const { functionCallingConfig: calling } = toObject(body["toolConfig"]);
  const { allowedFunctionNames: names, mode } = toObject(calling);
  if (Array.isArray(names) && mode !== "ANY" && mode !== "VALIDATED") {
    reject("Function calling config: allowed_function_names may only be set when mode is ANY or VALIDATED.");
  }
  if (mode === "ANY" && declared.length === 0) {
    reject("Function calling config is set without function_declarations.");
  }
}

function checkSchema(schema: unknown, path: string): void {
  if (!isJson(schema)) return;
  checkFields(schema, SCHEMA, path);
  const { type, properties, items, anyOf } = schema;
  if (Array.isArray(type)) reject(`Invalid value at '${path}.type': Proto field is not repeating, cannot start list.`);
  if (String(type).toUpperCase() === "OBJECT" && isJson(properties) && Object.keys(properties).length === 0) {
    reject(`* GenerateContentRequest.${path}.properties: should be non-empty for OBJECT type`);
  }
  for (const [name, property] of Object.entries(toObject(properties)))
    checkSchema(property, `${path}.properties[${name}]`);
  checkSchema(items, `${path}.items`);
  for (const [index, option] of toObjects(anyOf).entries()) checkSchema(option, `${path}.any_of[${index}]`);
}
