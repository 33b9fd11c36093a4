// Declares the wire types of generateContent, limited to the fields that the encoder writes. They are type aliases,
// because an interface is not assignable to JsonObject.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";

/** Inline media as base64 data. */
export type GeminiBlob = { mimeType?: string; data: string; displayName?: string };
/** Media that are referred to by URI. */
export type GeminiFileData = { mimeType?: string; fileUri: string; displayName?: string };
/** A function call that the model made. */
export type GeminiFunctionCall = { id?: string; name: string; args?: JsonObject };
/** The media fields of a part. */
export type GeminiMediaPart = { inlineData?: GeminiBlob; fileData?: GeminiFileData };
/** The result of a function that the client ran. */
export type GeminiFunctionResponse = { id?: string; name?: string; response?: JsonObject; parts?: GeminiMediaPart[] };

/** One part of a content: text, thought, media, function call or function response. */
export type GeminiPart = GeminiMediaPart & {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: GeminiFunctionCall;
  functionResponse?: GeminiFunctionResponse;
};

/** One content: a role and its parts. */
export type GeminiContent = { role?: string; parts?: GeminiPart[] };

/** The declaration of one function that the model may call. */
export type GeminiFunctionDeclaration = {
  name: string;
  description?: string;
  parameters?: JsonObject;
  parametersJsonSchema?: JsonObject;
  response?: JsonObject;
  responseJsonSchema?: JsonObject;
};
/** One entry of `tools` with function declarations. */
export type GeminiTool = { functionDeclarations: GeminiFunctionDeclaration[] };

/** The setting for how much the model thinks and whether thoughts are returned. */
export type GeminiThinkingConfig = {
  thinkingLevel?: "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";
  thinkingBudget?: number;
  includeThoughts?: boolean;
};
/** Settings for sampling, output format and thinking. */
export type GeminiGenerationConfig = {
  temperature?: number;
  topP?: number;
  topK?: number;
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  stopSequences?: string[];
  maxOutputTokens?: number;
  candidateCount?: number;
  responseLogprobs?: boolean;
  logprobs?: number;
  responseMimeType?: string;
  responseSchema?: JsonObject;
  responseJsonSchema?: JsonObject;
  thinkingConfig?: GeminiThinkingConfig;
};
/** The function calling mode and the allowed functions. */
export type GeminiToolConfig = {
  functionCallingConfig?: { mode: "AUTO" | "ANY" | "NONE" | "VALIDATED"; allowedFunctionNames?: string[] };
};

/** The body of a request; the model and the stream flag are in the URL. */
export type GeminiRequest = {
  contents: GeminiContent[];
  systemInstruction?: GeminiContent;
  tools?: GeminiTool[];
  toolConfig?: GeminiToolConfig;
  generationConfig?: GeminiGenerationConfig;
};

/** Token counts of a response. */
export type GeminiUsage = {
  promptTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
  cachedContentTokenCount?: number;
  totalTokenCount?: number;
};
/** One token and its log probability. */
export type GeminiLogprob = { token: string; logProbability: number; tokenId?: number };
/** Log probabilities of a candidate. */
export type GeminiLogprobs = {
  chosenCandidates: GeminiLogprob[];
  topCandidates?: { candidates: GeminiLogprob[] }[];
};
/** One source of a grounded answer. */
export type GeminiSource = { uri?: string; title?: string; text?: string };
/** Grounding metadata: the sources of an answer, and the text segments that they support. */
export type GeminiGrounding = {
  groundingChunks: { web?: GeminiSource; retrievedContext?: GeminiSource }[];
  groundingSupports?: {
    segment: { startIndex?: number; endIndex?: number; partIndex?: number; text?: string };
    groundingChunkIndices: number[];
    confidenceScores?: number[];
  }[];
};
/** One citation of a source that the answer quotes. */
export type GeminiCitation = {
  startIndex?: number;
  endIndex?: number;
  uri?: string;
  title?: string;
  license?: string;
};
/** Citation metadata: `citationSources` in the Gemini API, `citations` in Vertex AI. */
export type GeminiCitations = { citationSources?: GeminiCitation[]; citations?: GeminiCitation[] };
/** One candidate of a response. */
export type GeminiCandidate = {
  content?: GeminiContent;
  finishReason?: string;
  index?: number;
  logprobsResult?: GeminiLogprobs;
  groundingMetadata?: GeminiGrounding;
  citationMetadata?: GeminiCitations;
};

/** The body of a response; also each event of a stream. */
export type GeminiResponse = {
  candidates?: GeminiCandidate[];
  promptFeedback?: { blockReason: string };
  usageMetadata?: GeminiUsage;
  modelVersion?: string;
  responseId?: string;
  createTime?: string;
};

/** The body of an error. */
export type GeminiError = { error: { code: number; message: string; status: string; details?: JsonValue[] } };
