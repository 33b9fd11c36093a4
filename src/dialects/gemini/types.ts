// The wire of generateContent, as far as the encoder writes it for canonical values. Aliases, so that they are JSON.
import type { JsonObject, JsonValue } from "../../model/json.ts";

export type GeminiBlob = { mimeType?: string; data: string; displayName?: string };
export type GeminiFileData = { mimeType?: string; fileUri: string; displayName?: string };
export type GeminiFunctionCall = { id?: string; name: string; args?: JsonObject };
export type GeminiMediaPart = { inlineData?: GeminiBlob; fileData?: GeminiFileData };
export type GeminiFunctionResponse = { id?: string; name?: string; response?: JsonObject; parts?: GeminiMediaPart[] };

export type GeminiPart = GeminiMediaPart & {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: GeminiFunctionCall;
  functionResponse?: GeminiFunctionResponse;
};

export type GeminiContent = { role?: string; parts?: GeminiPart[] };

export type GeminiFunctionDeclaration = {
  name: string;
  description?: string;
  parameters?: JsonObject;
  parametersJsonSchema?: JsonObject;
  response?: JsonObject;
  responseJsonSchema?: JsonObject;
};
export type GeminiTool = { functionDeclarations: GeminiFunctionDeclaration[] };

export type GeminiThinkingConfig = {
  thinkingLevel?: "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";
  thinkingBudget?: number;
  includeThoughts?: boolean;
};
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
export type GeminiToolConfig = {
  functionCallingConfig?: { mode: "AUTO" | "ANY" | "NONE" | "VALIDATED"; allowedFunctionNames?: string[] };
};

/** The body of a request; model and streaming stand in the URL. */
export type GeminiRequest = {
  contents: GeminiContent[];
  systemInstruction?: GeminiContent;
  tools?: GeminiTool[];
  toolConfig?: GeminiToolConfig;
  generationConfig?: GeminiGenerationConfig;
};

export type GeminiUsage = {
  promptTokenCount?: number;
  candidatesTokenCount?: number;
  thoughtsTokenCount?: number;
  cachedContentTokenCount?: number;
  totalTokenCount?: number;
};
export type GeminiLogprob = { token: string; logProbability: number; tokenId?: number };
export type GeminiLogprobs = {
  chosenCandidates: GeminiLogprob[];
  topCandidates?: { candidates: GeminiLogprob[] }[];
};
export type GeminiSource = { uri?: string; title?: string; text?: string };
export type GeminiGrounding = {
  groundingChunks: { web?: GeminiSource; retrievedContext?: GeminiSource }[];
  groundingSupports?: {
    segment: { startIndex?: number; endIndex?: number; partIndex?: number; text?: string };
    groundingChunkIndices: number[];
    confidenceScores?: number[];
  }[];
};
export type GeminiCitation = {
  startIndex?: number;
  endIndex?: number;
  uri?: string;
  title?: string;
  license?: string;
};
export type GeminiCitations = { citationSources?: GeminiCitation[]; citations?: GeminiCitation[] };
export type GeminiCandidate = {
  content?: GeminiContent;
  finishReason?: string;
  index?: number;
  logprobsResult?: GeminiLogprobs;
  groundingMetadata?: GeminiGrounding;
  citationMetadata?: GeminiCitations;
};

/** The body of a response, and each event of a stream. */
export type GeminiResponse = {
  candidates?: GeminiCandidate[];
  promptFeedback?: { blockReason: string };
  usageMetadata?: GeminiUsage;
  modelVersion?: string;
  responseId?: string;
  createTime?: string;
};

export type GeminiError = { error: { code: number; message: string; status: string; details?: JsonValue[] } };
