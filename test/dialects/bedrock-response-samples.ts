// Responses and errors in Bedrock's words, made up.
import type { WireSample } from "../../src/testkit/index.ts";
import { cited, served } from "./bedrock-samples.ts";

export function answers(content: readonly object[], response: object = {}): object {
  return {
    output: { message: { role: "assistant", content } },
    stopReason: "end_turn",
    usage: { inputTokens: 10, outputTokens: 20, totalTokens: 30 },
    metrics: { latencyMs: 812 },
    ...response,
  };
}

const plain = [{ text: "The agora is in the middle." }];

export const responseSamples: readonly WireSample[] = [
  { name: "a plain answer", wire: answers(plain) },
  {
    name: "everything",
    wire: answers(
      [
        { reasoningContent: { reasoningText: { text: "Where is it?", signature: "c2lnbmVk" } } },
        { reasoningContent: { redactedContent: "cmVkYWN0ZWQ=" } },
        cited,
        { text: "Let me look.", type: "text" },
        { toolUse: { toolUseId: "tooluse_1", name: "look", input: { zeal: 1, at: "agora" }, type: "tool_use" } },
      ],
      {
        stopReason: "tool_use",
        usage: {
          inputTokens: 12,
          outputTokens: 55,
          totalTokens: 497,
          cacheReadInputTokens: 400,
          cacheWriteInputTokens: 30,
          cacheDetails: [
            { ttl: "1h", inputTokens: 20 },
            { ttl: "5m", inputTokens: 10 },
          ],
          serverToolUsage: {},
        },
        additionalModelResponseFields: { stop_sequence: null },
        trace: { guardrail: { modelOutput: ["x"] }, promptRouter: { invokedModelId: "arn:aws:bedrock:m" } },
        performanceConfig: { latency: "standard" },
        serviceTier: { type: "default" },
        $metadata: { httpStatusCode: 200, requestId: "6ac927e1", attempts: 1 },
      },
    ),
  },
  { name: "a stop sequence", wire: answers(plain, { stopReason: "stop_sequence" }) },
  { name: "a guardrail", wire: answers([{ text: "Sorry." }], { stopReason: "guardrail_intervened" }) },
  { name: "a filter", wire: answers([], { stopReason: "content_filtered" }) },
  { name: "a malformed call", wire: answers(plain, { stopReason: "malformed_tool_use" }) },
  { name: "a full context", wire: answers(plain, { stopReason: "model_context_window_exceeded" }) },
  { name: "a reason that nobody knows", wire: answers(plain, { stopReason: "moonrise" }) },
  {
    name: "a call that is cut off",
    wire: answers([{ toolUse: { toolUseId: "t", name: "look", input: { at: "ago" } } }], { stopReason: "max_tokens" }),
  },
  { name: "what the provider ran", wire: answers([...served, { text: "Found." }]) },
  {
    name: "an image, and blocks that nobody knows",
    wire: answers([
      { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
      { hologram: { format: "h1" } },
      { cachePoint: { type: "default" } },
      { guardContent: { text: { text: "Guarded." } } },
    ]),
  },
  {
    name: "no counts, another speaker",
    wire: { output: { message: { role: "oracle", content: [], mood: "calm" }, other: 1 }, stopReason: null },
  },
  { name: "hardly anything", wire: { output: { message: { content: [] } }, usage: { outputTokens: 3 } } },
  {
    name: "an error body in the place of an answer",
    wire: { message: "Too many requests, try again in 2s.", __type: "ThrottlingException" },
  },
];

export const errorSamples: readonly WireSample[] = [
  ["ValidationException", "The text field in the ContentBlock object at messages.0.content.0 is blank.", 400],
  ["ValidationException", "Input is too long for requested model: the prompt is too long.", 400],
  ["UnrecognizedClientException", "The security token included in the request is invalid.", 403],
  ["AccessDeniedException", "You don't have access to the model with the specified model ID.", 403],
  ["ResourceNotFoundException", "Could not resolve the foundation model from the provided model identifier.", 404],
  ["ModelTimeoutException", "The model took too long.", 408],
  ["ModelErrorException", "The model failed.", 424],
  ["ThrottlingException", "Too many requests, please wait before trying again.", 429],
  ["ModelNotReadyException", "The model is not ready.", 429],
  ["ServiceQuotaExceededException", "The quota is used up.", 400],
  ["InternalServerException", "Something broke.", 500],
  ["ServiceUnavailableException", "Come back later.", 503],
  ["com.amazon.coral.service#ExpiredTokenException", "The token has expired.", 403],
  ["MoonriseException", "A type that nobody knows.", 418],
].map(([type, message, status]) => ({
  name: `${String(type)} ${String(status)}: ${String(message)}`,
  wire: { __type: type, message },
  status: Number(status),
}));

export const bareErrors: readonly WireSample[] = [
  { name: "a message alone", wire: { message: "Too many tokens, please wait." }, status: 429 },
  { name: "an event of a stream", wire: { throttlingException: { message: "Slow down." } }, status: 429 },
  {
    name: "as the SDK throws it",
    wire: { name: "ValidationException", $fault: "client", $metadata: { httpStatusCode: 400 }, message: "No." },
    status: 400,
  },
];
