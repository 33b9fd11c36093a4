// The wire types of the encoder are assignable to the types of Google's SDK, which specify the wire. The compiler
// checks the assertions.
import { expectTypeOf, test } from "vitest";
import type {
  Candidate,
  Content,
  FunctionDeclaration,
  GenerateContentParameters,
  GenerateContentResponse,
  GenerateContentResponseUsageMetadata,
  GenerationConfig,
  GroundingMetadata,
  LogprobsResult,
  Part,
  ThinkingConfig,
  Tool,
  ToolConfig,
} from "@google/genai";
import type {
  GeminiCandidate,
  GeminiContent,
  GeminiFunctionDeclaration,
  GeminiGenerationConfig,
  GeminiGrounding,
  GeminiLogprobs,
  GeminiPart,
  GeminiRequest,
  GeminiResponse,
  GeminiThinkingConfig,
  GeminiTool,
  GeminiToolConfig,
  GeminiUsage,
} from "../../src/dialects/gemini/index.ts";

/** The SDK's type with its enumerations as plain strings, as on the wire. */
type WireForm<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Each)[]
    ? WireForm<Each>[]
    : T extends object
      ? { [Key in keyof T]: WireForm<T[Key]> }
      : T;
/** A type without its schemas, which are JSON and have tests of their own. */
type WithoutSchemas<T> = Omit<T, "parameters" | "response" | "responseSchema">;
/** A type without fields whose values come from tables that the compiler cannot follow. */
type WithoutMappedFields<T> = Omit<T, "finishReason" | "content" | "groundingMetadata" | "logprobsResult">;

test("contents and their parts", () => {
  expectTypeOf<GeminiPart>().toExtend<WireForm<Part>>();
  expectTypeOf<GeminiContent>().toExtend<WireForm<Content>>();
  expectTypeOf<GeminiRequest["contents"]>().toExtend<WireForm<Content[]>>();
  expectTypeOf<GeminiContent[]>().toExtend<WireForm<GenerateContentParameters["contents"]>>();
});

test("tools and settings", () => {
  expectTypeOf<WithoutSchemas<GeminiFunctionDeclaration>>().toExtend<WithoutSchemas<WireForm<FunctionDeclaration>>>();
  expectTypeOf<keyof GeminiTool>().toExtend<keyof Tool>();
  expectTypeOf<GeminiToolConfig>().toExtend<WireForm<ToolConfig>>();
  expectTypeOf<GeminiThinkingConfig>().toExtend<WireForm<ThinkingConfig>>();
  expectTypeOf<WithoutSchemas<GeminiGenerationConfig>>().toExtend<WithoutSchemas<WireForm<GenerationConfig>>>();
});

test("answers", () => {
  expectTypeOf<GeminiUsage>().toExtend<WireForm<GenerateContentResponseUsageMetadata>>();
  expectTypeOf<GeminiGrounding>().toExtend<WireForm<GroundingMetadata>>();
  expectTypeOf<GeminiLogprobs>().toExtend<WireForm<LogprobsResult>>();
  expectTypeOf<WithoutMappedFields<GeminiCandidate>>().toExtend<WithoutMappedFields<WireForm<Candidate>>>();
  expectTypeOf<keyof GeminiCandidate>().toExtend<keyof Candidate>();
  expectTypeOf<keyof GeminiResponse>().toExtend<keyof GenerateContentResponse>();
});
