// Gemini payloads, written by hand: the common shapes first, then every block, tool and setting, then odd ones.
import type { Sample } from "../../src/testkit/samples.ts";
import type { WireSample } from "../../src/testkit/exchange.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

const text = (words: string): object => ({ text: words });
const user = (...parts: unknown[]): object => ({ role: "user", parts });
const model = (...parts: unknown[]): object => ({ role: "model", parts });
const call = (name: string, args: object, beside: object = {}): object => ({ functionCall: { name, args }, ...beside });
const answer = (name: string, response: object, more: object = {}): object => ({
  functionResponse: { name, response, ...more },
});

/** Contents that a request accepts: an answer ends with the user. */
export const contents: Readonly<Record<string, object[]>> = {
  "plain talk": [user(text("Good morning.")), model(text("Good day.")), user(text("How are you?"), text("Well?"))],
  "turns of one side in a row": [user(text("One.")), user(text("Two.")), model(text("A.")), model(text("B.")), user(text("C"))],
  "parallel calls without ids": [
    user(text("The weather in Corinth and Thebes?")),
    model(call("weather", { city: "Corinth" }), call("weather", { city: "Thebes" })),
    user(answer("weather", { output: "Sunny." }), answer("weather", { sky: "grey", wind: 3 })),
    user(text("Thanks.")),
  ],
  "calls with ids, answered out of order": [
    user(text("Both, please.")),
    model(
      { functionCall: { id: "fc-1", name: "look", args: { at: 1 } }, thoughtSignature: "c2lnLTE=" },
      { functionCall: { id: "fc-2", name: "look", args: { at: 2 } } },
    ),
    user(answer("look", { output: 2 }, { id: "fc-2" }), answer("look", { error: "Nothing there." }, { id: "fc-1" })),
  ],
  "a result without the id of its call": [
    user(text("Look.")),
    model({ functionCall: { id: "fc-9", name: "look", args: {} } }),
    user(answer("look", { output: null })),
  ],
  "thoughts and signatures": [
    user(text("Think.")),
    model(
      { text: "A thought without a signature.", thought: true },
      { text: "A thought with one.", thought: true, thoughtSignature: "dGhvdWdodA==" },
      { text: "An answer.", thoughtSignature: "dGV4dA==" },
      { text: "", thoughtSignature: "ZW1wdHk=" },
      { inlineData: { mimeType: "image/png", data: PIXEL }, thoughtSignature: "aW1hZ2U=" },
      { functionCall: { name: "ponder" }, thoughtSignature: "Y2FsbA==" },
    ),
    user(answer("ponder", {})),
  ],
  media: [
    user(
      text("See."),
      { inlineData: { mimeType: "image/png", data: PIXEL, displayName: "pixel.png" } },
      { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } },
      { inlineData: { mimeType: "video/mp4", data: "AAAA" }, videoMetadata: { fps: 2, startOffset: "1.5s" } },
      { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" }, mediaResolution: { level: "MEDIA_RESOLUTION_HIGH" } },
      { fileData: { fileUri: "https://example.com/cat.jpg", mimeType: "image/jpeg", displayName: "cat" } },
      { fileData: { fileUri: "https://www.youtube.com/watch?v=abc" }, videoMetadata: { endOffset: "10s" } },
      { fileData: { fileUri: "gs://bucket/song.mp3", mimeType: "audio/mpeg" } },
      {
        fileData: {
          fileUri: "https://generativelanguage.googleapis.com/v1beta/files/abc-123",
          mimeType: "application/pdf",
        },
        partMetadata: { page: 3 },
      },
    ),
  ],
  "media in a result": [
    user(text("Show me.")),
    model(call("photo", { of: "a cat" })),
    user({
      functionResponse: {
        name: "photo",
        response: { output: "Here it is." },
        parts: [
          { inlineData: { mimeType: "image/png", data: PIXEL, displayName: "cat.png" } },
          { fileData: { fileUri: "gs://bucket/cat.jpg", mimeType: "image/jpeg" } },
          { newKind: { of: "part" } },
        ],
        scheduling: "WHEN_IDLE",
        willContinue: false,
      },
    }),
  ],
  "responses that look like envelopes": [
    user(text("Go.")),
    model(...Array.from({ length: 9 }, (_, at) => call("try", { at }))),
    user(
      answer("try", { output: { deep: 1 } }),
      answer("try", { output: { output: "twice" } }),
      answer("try", { output: { error: "no error" } }),
      answer("try", { error: { code: 7 } }),
      answer("try", { output: "yes", more: true }),
      answer("try", { error: "no", output: "yes" }),
      answer("try", { output: [1, { two: 2 }] }),
      answer("try", {}),
      { functionResponse: { name: "try" } },
    ),
  ],
  "results beside other parts": [
    user(text("Go.")),
    model(call("a", {}), call("b", {})),
    user(text("First:"), answer("a", { output: "A" }), text("then:"), answer("b", { output: "B" }), text("Done.")),
  ],
  "results in two turns": [
    user(text("Go.")),
    model(call("a", {}), call("b", {})),
    user(answer("a", { output: "A" })),
    user(answer("b", { output: "B" })),
  ],
  "tools of Google's own": [
    user(text("Compute and search.")),
    model(
      { executableCode: { language: "PYTHON", code: "print(1)" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
      { executableCode: { id: "code-2", language: "PYTHON", code: "1/0" }, thoughtSignature: "Y29kZQ==" },
      { codeExecutionResult: { id: "code-2", outcome: "OUTCOME_FAILED", output: "ZeroDivisionError" } },
      { executableCode: { language: "PYTHON", code: "while 1: pass" } },
      { codeExecutionResult: { outcome: "OUTCOME_DEADLINE_EXCEEDED" } },
      { toolCall: { id: "tc-1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["koine"] } }, thoughtSignature: "dGM=" },
      { toolResponse: { id: "tc-1", toolType: "GOOGLE_SEARCH_WEB", response: { results: [{ url: "https://example.com" }] } } },
      text("Found."),
    ),
    user(text("Good.")),
  ],
  "roles that are not plain": [
    { parts: [text("No role at all.")] },
    model(call("f", { x: 1 })),
    { role: "function", parts: [answer("f", { content: "old habit" })] },
    { role: "narrator", parts: [text("Meanwhile,")] },
    { role: "model" },
    { role: "user", parts: [] },
    user(text("And?")),
  ],
  "exact numbers and empty things": [
    user(text(""), text(" ")),
    model(call("count", { none: [], empty: {}, nothing: null, deep: { deeper: [{ deepest: 1.5 }] } }), call("", {})),
    user(answer("count", { output: "" }), answer("", { output: false })),
    user({ text: "", brandNew: true }, { unheardOf: { a: 1 } }, {}, { text: "x", thought: false }, { thought: true }),
  ],
  "underscores for humps": [
    user({ inline_data: { mime_type: "image/png", data: PIXEL } }, { file_data: { file_uri: "gs://b/c", mime_type: "text/plain" } }),
    model({ function_call: { name: "f", args: { snake_case: 1 } }, thought_signature: "c25ha2U=" }),
    user({ function_response: { name: "f", response: { output: "ok" }, parts: [{ inline_data: { mime_type: "image/png", data: PIXEL } }] } }),
    user({ inline_data: { mimeType: "image/gif", data: "R0lGOA==" }, video_metadata: { fps: 1 } }),
  ],
};

export const messages: Sample[] = Object.entries(contents).map(([name, wire]) => ({ name, wire }));

const ask = [user(text("A question."))];
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
  parametersJsonSchema: { $defs: { id: { type: "string" } }, type: "object", properties: { id: { $ref: "#/$defs/id" } } },
  responseJsonSchema: { type: "object", additionalProperties: false },
};
const beside = { name: "beside", response: { type: "STRING" }, behavior: "NON_BLOCKING" };

const body = (name: string, fields: object): WireSample => ({ name, wire: { contents: ask, ...fields } });

export const requests: WireSample[] = [
  ...Object.entries(contents).map(([name, list]): WireSample => ({ name, wire: { contents: list } })),
  {
    name: "model and streaming in the URL",
    wire: { contents: ask },
    address: { model: "gemini-2.5-flash", stream: true },
  },
  { name: "a model in the body", wire: { model: "models/gemini-2.5-pro", contents: ask } },
  body("a system instruction", { systemInstruction: { parts: [text("Be brief."), text("Be kind.")] } }),
  body("a system instruction with a role", { systemInstruction: { role: "system", parts: [text("Be brief.")], note: 1 } }),
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
  body("settings of its own", {
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
  body("text wanted", { generationConfig: { responseMimeType: "text/plain" } }),
  body("JSON wanted", { generationConfig: { responseMimeType: "application/json" } }),
  body("a schema wanted", {
    generationConfig: {
      responseMimeType: "application/json",
      responseSchema: {
        type: "OBJECT",
        properties: { zeta: { type: "STRING", nullable: true }, alpha: { type: "ARRAY", items: { type: "NUMBER" } } },
        propertyOrdering: ["zeta", "alpha"],
      },
    },
  }),
  body("a schema in small letters", {
    generationConfig: { responseMimeType: "application/json", responseSchema: { type: "object", title: "T" } },
  }),
  body("a native schema", {
    generationConfig: {
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
    },
  }),
  body("a native schema that the subset could say", {
    generationConfig: { responseMimeType: "application/json", responseJsonSchema: { type: "string" } },
  }),
  body("an enumeration wanted", {
    generationConfig: { responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a", "b"] } },
  }),
  body("a schema without its mime type", { generationConfig: { responseSchema: { type: "STRING" } } }),
  body("functions in one group", { tools: [{ functionDeclarations: [weather, { name: "now" }, lowerCase, native, beside] }] }),
  body("functions in two groups", { tools: [{ functionDeclarations: [weather] }, { functionDeclarations: [lowerCase, beside] }] }),
  body("tools in one group", { tools: [{ functionDeclarations: [weather], googleSearch: {}, urlContext: {} }] }),
  body("tools in another order", { tools: [{ codeExecution: {}, functionDeclarations: [weather] }, { functionDeclarations: [beside] }] }),
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
    toolConfig: { retrievalConfig: { latLng: { latitude: 37.9, longitude: 22.9 } }, includeServerSideToolInvocations: true },
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
      tools: [{ functionDeclarations: [weather, beside] }],
      toolConfig: { functionCallingConfig },
    }),
  ),
  {
    name: "underscores for humps, all over",
    wire: {
      contents: ask,
      system_instruction: { parts: [text("Be brief.")] },
      generation_config: {
        max_output_tokens: 64,
        top_p: 0.5,
        response_mime_type: "application/json",
        response_schema: { type: "STRING" },
        thinking_config: { thinking_budget: 5, include_thoughts: true },
        response_modalities: ["TEXT"],
      },
      tools: [{ function_declarations: [{ ...weather, parameters: undefined, parameters_json_schema: { type: "object", maxProperties: 3, $id: "x" } }] }, { google_search: {} }],
      tool_config: { function_calling_config: { mode: "ANY", allowed_function_names: ["get_weather"] } },
      cached_content: "cachedContents/x",
      safety_settings: [],
    },
  },
  {
    name: "the parameters of the SDK",
    wire: {
      model: "gemini-2.5-flash",
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
  { name: "the SDK's single content", wire: { model: "m", contents: { role: "user", parts: [text("One.")] }, config: {} } },
];
