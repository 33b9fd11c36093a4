// Wire types of generateContent, limited to what the encoder writes. Type aliases instead of interfaces: only aliases
// are assignable to JsonObject.
import type { JsonObject, JsonValue } from "../../model/json/index.ts";

/** Inline media: base64 data and its MIME type. */
export type GeminiBlob = { mimeType?: string; data: string; displayName?: string };
/** Media by URI. */
export type GeminiFileData = { mimeType?: string; fileUri: string; displayName?: string };
/** A function call of the model. */
export type GeminiFunctionCall = { id?: string; name: string; args?: JsonObject };
/** The media fields of a part. */
export type GeminiMediaPart = { inlineData?: GeminiBlob; fileData?: GeminiFileData };
/** The client's response to a function call. */
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

/** `generationConfig.thinkingConfig`: how much the model thinks and if thoughts are returned. */
export type GeminiThinkingConfig = {
  thinkingLevel?: "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";
  thinkingBudget?: number;
  includeThoughts?: boolean;
};
/** `generationConfig`: sampling, output format and thinking. */
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
/** `toolConfig`: the function calling mode and the allowed functions. */
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
/** One token with its log probability. */
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
