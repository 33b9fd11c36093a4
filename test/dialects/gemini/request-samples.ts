// Hand-written Gemini requests: every tool, every setting, and other spellings of them.
import type { WireSample } from "../../../src/testkit/checks/payload-codec.ts";
import { contents, text, user } from "./message-samples.ts";

const question = [user(text("A question."))];
const weather = {
  name: "get_weather",
  description: "Looks at the sky.",
  parameters: {
    type: "OBJECT",
    properties: { city: { type: "STRING", description: "Where." }, days: { type: "INTEGER", minimum: 1 } },
    required: ["city"],
  },
};
const lowerCase = { name: "lower", parameters: { type: "object", properties: { n: { type: "number" } } } };
const native = {
  name: "native",
  parametersJsonSchema: {
    $defs: { id: { type: "string" } },
    type: "object",
    properties: { id: { $ref: "#/$defs/id" } },
  },
  responseJsonSchema: { type: "object", additionalProperties: false },
};
const withOtherFields = { name: "beside", response: { type: "STRING" }, behavior: "NON_BLOCKING" };

const body = (name: string, fields: object): WireSample => ({ name, wire: { contents: question, ...fields } });

export const requests: WireSample[] = [
  ...Object.entries(contents).map(([name, list]): WireSample => ({ name, wire: { contents: list } })),
  {
    name: "model and streaming in the URL",
    wire: { contents: question },
    address: { model: "gemini-2.5-flash", stream: true },
  },
  { name: "a model in the body", wire: { model: "models/gemini-2.5-pro", contents: question } },
  body("a system instruction", { systemInstruction: { parts: [text("Be brief."), text("Be kind.")] } }),
  body("a system instruction with a role", {
    systemInstruction: { role: "system", parts: [text("Be brief.")], note: 1 },
  }),
  body("an empty system instruction", { systemInstruction: {} }),
  body("every sampling setting", {
    generationConfig: {
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      seed: 7,
      presencePenalty: 0.25,
      frequencyPenalty: -0.5,
      stopSequences: ["END", "\n\n"],
      maxOutputTokens: 512,
      candidateCount: 2,
      responseLogprobs: true,
      logprobs: 3,
    },
  }),
  body("settings without a canonical field", {
    generationConfig: {
      responseModalities: ["TEXT", "IMAGE"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Puck" } }, languageCode: "el-GR" },
      mediaResolution: "MEDIA_RESOLUTION_LOW",
      imageConfig: { aspectRatio: "16:9" },
      audioTimestamp: true,
      routingConfig: { manualMode: { modelName: "x" } },
      enableAffectiveDialog: false,
      temperature: null,
    },
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
    cachedContent: "cachedContents/abc",
    labels: { team: "koine" },
    serviceTier: "flex",
    store: false,
  }),
  body("empty settings", { generationConfig: {}, toolConfig: {}, tools: [], systemInstruction: null }),
  ...[
    { thinkingLevel: "HIGH", includeThoughts: true },
    { thinkingLevel: "low" },
    { thinkingLevel: "THINKING_LEVEL_UNSPECIFIED" },
    { thinkingBudget: 1024 },
    { thinkingBudget: 0 },
    { thinkingBudget: -1, includeThoughts: false },
    {},
  ].map((thinkingConfig) =>
    body(`thinking ${JSON.stringify(thinkingConfig)}`, { generationConfig: { thinkingConfig } }),
  ),
  body("output as text", { generationConfig: { responseMimeType: "text/plain" } }),
  body("output as JSON", { generationConfig: { responseMimeType: "application/json" } }),
  body("output with a schema", {
    generationConfig: {
      responseMimeType: "application/json",
      responseSchema: {
        type: "OBJECT",
        properties: { zeta: { type: "STRING", nullable: true }, alpha: { type: "ARRAY", items: { type: "NUMBER" } } },
        propertyOrdering: ["zeta", "alpha"],
      },
    },
  }),
  body("a schema with types in lower case", {
    generationConfig: { responseMimeType: "application/json", responseSchema: { type: "object", title: "T" } },
  }),
  body("a native schema", {
    generationConfig: {
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
    },
  }),
  body("a JSON Schema that Gemini's Schema could express", {
    generationConfig: { responseMimeType: "application/json", responseJsonSchema: { type: "string" } },
  }),
  body("output as an enumeration", {
    generationConfig: { responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a", "b"] } },
  }),
  body("a schema without its mime type", { generationConfig: { responseSchema: { type: "STRING" } } }),
  body("functions in one group", {
    tools: [{ functionDeclarations: [weather, { name: "now" }, lowerCase, native, withOtherFields] }],
  }),
  body("functions in two groups", {
    tools: [{ functionDeclarations: [weather] }, { functionDeclarations: [lowerCase, withOtherFields] }],
  }),
  body("tools in one group", { tools: [{ functionDeclarations: [weather], googleSearch: {}, urlContext: {} }] }),
  body("tools in another order", {
    tools: [{ codeExecution: {}, functionDeclarations: [weather] }, { functionDeclarations: [withOtherFields] }],
  }),
  body("every tool of Google's own", {
    tools: [
      { googleSearch: { timeRangeFilter: { startTime: "2025-01-01T00:00:00Z", endTime: "2025-02-01T00:00:00Z" } } },
      { googleSearchRetrieval: { dynamicRetrievalConfig: { mode: "MODE_DYNAMIC", dynamicThreshold: 0.5 } } },
      { codeExecution: {} },
      { urlContext: {} },
      { googleMaps: { enableWidget: true } },
      { computerUse: { environment: "ENVIRONMENT_BROWSER", excludedPredefinedFunctions: ["drag_and_drop"] } },
      { fileSearch: { fileSearchStoreNames: ["fileSearchStores/x"], topK: 3 } },
      { enterpriseWebSearch: {} },
      { retrieval: { vertexAiSearch: { datastore: "d" } } },
      { mcpServers: [{ name: "files" }] },
      { unheardOf: { limit: 5 } },
      {},
      { functionDeclarations: [] },
      { functionDeclarations: [{ description: "No name." }] },
    ],
    toolConfig: {
      retrievalConfig: { latLng: { latitude: 37.9, longitude: 22.9 } },
      includeServerSideToolInvocations: true,
    },
  }),
  body("functions without parameters", {
    tools: [
      {
        functionDeclarations: [
          { name: "none" },
          { name: "empty", parameters: { type: "OBJECT", properties: {} } },
          { name: "emptyNative", parametersJsonSchema: { type: "object", additionalProperties: false } },
          { name: "both", parameters: { type: "OBJECT" }, parametersJsonSchema: { type: "object" } },
          { name: "odd", parameters: null, description: 7 },
        ],
      },
    ],
  }),
  ...[
    { mode: "AUTO" },
    { mode: "NONE" },
    { mode: "ANY" },
    { mode: "VALIDATED" },
    { mode: "ANY", allowedFunctionNames: ["get_weather"] },
    { mode: "ANY", allowedFunctionNames: ["get_weather", "beside"] },
    { mode: "ANY", allowedFunctionNames: [] },
    { mode: "VALIDATED", allowedFunctionNames: ["beside"] },
    { mode: "AUTO", allowedFunctionNames: ["beside"], streamFunctionCallArguments: true },
    { mode: "MODE_UNSPECIFIED" },
    { allowedFunctionNames: ["beside"] },
  ].map((functionCallingConfig) =>
    body(`the mode ${JSON.stringify(functionCallingConfig)}`, {
      tools: [{ functionDeclarations: [weather, withOtherFields] }],
      toolConfig: { functionCallingConfig },
    }),
  ),
  {
    name: "snake_case names everywhere",
    wire: {
      contents: question,
      system_instruction: { parts: [text("Be brief.")] },
      generation_config: {
        max_output_tokens: 64,
        top_p: 0.5,
        response_mime_type: "application/json",
        response_schema: { type: "STRING" },
        thinking_config: { thinking_budget: 5, include_thoughts: true },
        response_modalities: ["TEXT"],
      },
      tools: [
        {
          function_declarations: [
            { name: "get_weather", parameters_json_schema: { type: "object", maxProperties: 3, $id: "x" } },
          ],
        },
        { google_search: {} },
      ],
      tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: ["get_weather"] } },
      cached_content: "cachedContents/x",
      safety_settings: [],
    },
  },
];

/** Parameters of the SDK's methods, which the SDK converts to a body. */
export const sdkRequests: WireSample[] = [
  {
    name: "the parameters of the SDK",
    wire: {
      model: "gemini-3-flash",
      contents: "Why is the sky blue?",
      config: {
        systemInstruction: "Be brief.",
        temperature: 0.1,
        tools: [{ functionDeclarations: [weather] }],
        toolConfig: { functionCallingConfig: { mode: "AUTO" } },
        cachedContent: "cachedContents/y",
        thinkingConfig: { thinkingLevel: "LOW" },
        safetySettings: [],
      },
    },
  },
  { name: "a single content", wire: { model: "m", contents: { role: "user", parts: [text("One.")] }, config: {} } },
];
