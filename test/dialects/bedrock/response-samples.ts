// Made-up Bedrock responses and errors.
import type { WireSample } from "../../../src/testkit/index.ts";
import { citedText, providerBlocks } from "./message-samples.ts";

export function buildResponse(content: readonly object[], response: object = {}): object {
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
  { name: "a plain answer", wire: buildResponse(plain) },
  {
    name: "everything",
    wire: buildResponse(
      [
        { reasoningContent: { reasoningText: { text: "Where is it?", signature: "c2lnbmVk" } } },
        { reasoningContent: { redactedContent: "cmVkYWN0ZWQ=" } },
        citedText,
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
  { name: "a stop sequence", wire: buildResponse(plain, { stopReason: "stop_sequence" }) },
  { name: "stopped by a guardrail", wire: buildResponse([{ text: "Sorry." }], { stopReason: "guardrail_intervened" }) },
  { name: "stopped by a content filter", wire: buildResponse([], { stopReason: "content_filtered" }) },
  { name: "a malformed call", wire: buildResponse(plain, { stopReason: "malformed_tool_use" }) },
  {
    name: "the context window is exceeded",
    wire: buildResponse(plain, { stopReason: "model_context_window_exceeded" }),
  },
  { name: "an unknown stop reason", wire: buildResponse(plain, { stopReason: "moonrise" }) },
  {
    name: "a call that is cut off",
    wire: buildResponse([{ toolUse: { toolUseId: "t", name: "look", input: { at: "ago" } } }], {
      stopReason: "max_tokens",
    }),
  },
  { name: "provider tools", wire: buildResponse([...providerBlocks, { text: "Found." }]) },
  {
    name: "an image and unknown blocks",
    wire: buildResponse([
      { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
      { hologram: { format: "h1" } },
      { cachePoint: { type: "default" } },
      { guardContent: { text: { text: "Guarded." } } },
    ]),
  },
  {
    name: "no usage and another role",
    wire: { output: { message: { role: "oracle", content: [], mood: "calm" }, other: 1 }, stopReason: null },
  },
  { name: "a minimal response", wire: { output: { message: { content: [] } }, usage: { outputTokens: 3 } } },
  {
    name: "an error body instead of a response",
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
  ["MoonriseException", "An unknown type.", 418],
].map(([type, message, status]) => ({
  name: `${String(type)} ${String(status)}: ${String(message)}`,
  wire: { __type: type, message },
  status: Number(status),
}));

export const bareErrors: readonly WireSample[] = [
  { name: "a message without a type", wire: { message: "Too many tokens, please wait." }, status: 429 },
  { name: "an event of a stream", wire: { throttlingException: { message: "Slow down." } }, status: 429 },
  {
    name: "an exception object of the SDK",
    wire: { name: "ValidationException", $fault: "client", $metadata: { httpStatusCode: 400 }, message: "No." },
    status: 400,
  },
];
