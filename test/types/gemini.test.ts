// What the encoder writes type-checks against the official SDK, whose types are the specification of the wire. The
// assertions are the compiler's; at run time they only have to run.
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

/** The SDK's type with the words of its enumerations as plain strings, as they are on the wire. */
type Wire<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Each)[]
    ? Wire<Each>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;
/** A type without its schemas: these are JSON whose words the tests of schemas check. */
type Schemaless<T> = Omit<T, "parameters" | "response" | "responseSchema">;
/** Words that a table gives, which the compiler does not follow. */
type Worded<T> = Omit<T, "finishReason" | "content" | "groundingMetadata" | "logprobsResult">;

test("contents and their parts", () => {
  expectTypeOf<GeminiPart>().toExtend<Wire<Part>>();
  expectTypeOf<GeminiContent>().toExtend<Wire<Content>>();
  expectTypeOf<GeminiRequest["contents"]>().toExtend<Wire<Content[]>>();
  expectTypeOf<GeminiContent[]>().toExtend<Wire<GenerateContentParameters["contents"]>>();
});

test("tools and settings", () => {
  expectTypeOf<Schemaless<GeminiFunctionDeclaration>>().toExtend<Schemaless<Wire<FunctionDeclaration>>>();
  expectTypeOf<keyof GeminiTool>().toExtend<keyof Tool>();
  expectTypeOf<GeminiToolConfig>().toExtend<Wire<ToolConfig>>();
  expectTypeOf<GeminiThinkingConfig>().toExtend<Wire<ThinkingConfig>>();
  expectTypeOf<Schemaless<GeminiGenerationConfig>>().toExtend<Schemaless<Wire<GenerationConfig>>>();
});

test("answers", () => {
  expectTypeOf<GeminiUsage>().toExtend<Wire<GenerateContentResponseUsageMetadata>>();
  expectTypeOf<GeminiGrounding>().toExtend<Wire<GroundingMetadata>>();
  expectTypeOf<GeminiLogprobs>().toExtend<Wire<LogprobsResult>>();
  expectTypeOf<Worded<GeminiCandidate>>().toExtend<Worded<Wire<Candidate>>>();
  expectTypeOf<keyof GeminiCandidate>().toExtend<keyof Candidate>();
  expectTypeOf<keyof GeminiResponse>().toExtend<keyof GenerateContentResponse>();
});
