// Exports the model: messages, parts, requests, responses, deltas, usage, losses, errors, validation, versions.
export type { ParseArgumentsOptions, ParsedArguments } from "./tool-arguments.ts";
export { formatArguments, parseArguments } from "./tool-arguments.ts";
export { audio, file, image, reasoning, refusal, text, toolCall, video } from "./part-constructors.ts";
export type {
  AnnotationPayload,
  Delta,
  DeltaKind,
  DeltaPayloads,
  DoneAlternative,
  DonePayload,
  ErrorPayload,
  MediaPayload,
  MessageDelta,
  MessageFields,
  PartKey,
  PartPayload,
  PayloadBase,
  SealPayload,
  StartPayload,
  TextPayload,
  ThinkingPayload,
  ToolCallArgsPayload,
  ToolCallEndPayload,
  ToolCallStartPayload,
  UsagePayload,
} from "./delta.ts";
export { CONTRACT_VERSION } from "./delta.ts";
export type { PartChange } from "./edit-part.ts";
export { editPart } from "./edit-part.ts";
export { ArgumentError } from "./argument-error.ts";
export type { JsonErrorCode, VersionErrorCode } from "./errors.ts";
export { JsonError, KoineError, ValidationError, VersionError } from "./errors.ts";
export type { FinishReason, UnifiedFinishReason } from "./finish-reason.ts";
export { FINISH_REASONS } from "./finish-reason.ts";
export type { Issue, IssueCode } from "./validation/issue.ts";
export type { ExactNumber, JsonObject, JsonValue } from "./json/index.ts";
export { listExactNumbers, MAX_DEPTH, parseJson, restoreNumbers, sameJson, stringifyJson } from "./json/index.ts";
export type { Loss, LossAction, LossLevel } from "./loss.ts";
export { LOSS_ACTIONS, LOSS_LEVELS } from "./loss.ts";
export type { MessageContent, InvalidToolCall, Metadata, Role, StoredMessage, ToolResultOptions } from "./message.ts";
export { assistant, developer, Message, ROLES, system, getText, toolResult, user } from "./message.ts";
export type {
  Annotation,
  AudioPart,
  CacheBreakpoint,
  Executor,
  Extra,
  FilePart,
  ImagePart,
  Issuer,
  Logprob,
  MediaPart,
  MediaSources,
  OpaquePart,
  Part,
  PartBase,
  PartType,
  ReasoningPart,
  RefusalPart,
  Seal,
  SealKind,
  Span,
  TextPart,
  ToolCallPart,
  ToolFormat,
  ToolResultPart,
  VideoPart,
  WithExtra,
  WithSeals,
} from "./parts.ts";
export type { ProviderError, ProviderErrorKind } from "./provider-error.ts";
export { isRetryable, PROVIDER_ERROR_KINDS } from "./provider-error.ts";
export type {
  FunctionTool,
  ModelRequest,
  OutputFormat,
  ProviderTool,
  ReasoningSettings,
  Sampling,
  SchemaObject,
  Tool,
  ToolChoice,
} from "./request.ts";
export type { Alternative, ModelResponse } from "./response.ts";
export type { ExclusiveUsage, Usage } from "./usage.ts";
export { addUsage, exclusiveUsage, inclusiveUsage } from "./usage.ts";
export { validate, validateMessages, validateRequest, validateResponse } from "./validation/validate.ts";
export { readMessage, SCHEMA_VERSION } from "./schema-version.ts";
export { isObject } from "./value-kind.ts";
