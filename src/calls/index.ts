// Exports calls to models: provider adapters, transports, attempts with retries and fallbacks, and the answers they
// produce. Other folders import only this file of the folder.
export { AnswerReader, isContentDelta } from "./answer-reader.ts";
export type { AnswerSource } from "./answer-stream.ts";
export { BatchedAnswerStream } from "./answer-stream.ts";
export { AttemptFailure, toAttemptFailure, toErrorDelta } from "./attempt-failure.ts";
export type { OpenAttempt } from "./attempt-log.ts";
export type { AttemptFunction, AttemptResult } from "./attempt-loop.ts";
export { runAttempts } from "./attempt-loop.ts";
export {
  assertRequestObject,
  CALL_DEFAULT_CHECKS,
  checkCall,
  checkCallDefaults,
  MESSAGE_ADVICE,
} from "./check-options.ts";
export type { ClientContext } from "./client-context.ts";
export { createClientContext, defaultTransport } from "./client-context.ts";
export { attemptWholeAnswer, complete, readWholeReply } from "./complete.ts";
export { readClockMs, resolveEffects } from "./effects.ts";
export type { ClientErrorCode, ClientErrorDetails } from "./errors.ts";
export { CLIENT_ERRORS, ClientError } from "./errors.ts";
export type { FieldCheck, FieldChecks } from "./field-checks.ts";
export {
  checkBoolean,
  checkFields,
  checkFunction,
  checkNonNegative,
  checkOneOf,
  checkPositive,
  checkPositiveInteger,
  checkText,
  configurationError,
  createCheck,
  hasMethods,
} from "./field-checks.ts";
export type { HttpExchange } from "./http-exchange.ts";
export { isEventStream, openReplyStream, readReplyText, sendRequest } from "./http-exchange.ts";
export type { CallPlan, PreparedCall, Target } from "./model-call.ts";
export { ModelCall, planCall } from "./model-call.ts";
export { notifyListener } from "./notify.ts";
export { orAborted } from "./or-aborted.ts";
export type { Price, PriceTable, PriceTier, Rates } from "./prices.ts";
export { computeCost, findPrice, readPrices } from "./prices.ts";
export { HTTP_DIALECTS } from "./providers/check-provider.ts";
export { KEY_VARIABLES, providersFromEnv } from "./providers/from-env.ts";
export { readHeaders } from "./providers/headers.ts";
export type { PresetName } from "./providers/presets.ts";
export { presets } from "./providers/presets.ts";
export { createProviderAdapter } from "./providers/provider-adapter.ts";
export { resolveModel } from "./providers/resolve-model.ts";
export type { Secrets } from "./secrets.ts";
export { createExchange, openAnswerReader, targetInfoFor } from "./start-attempt.ts";
export { stream } from "./stream.ts";
export type { TransportErrorDetails, TransportStage } from "./transport/transport-error.ts";
export { TransportError } from "./transport/transport-error.ts";
export type {
  Answer,
  AnswerStream,
  Attempt,
  CallDefaults,
  CallOptions,
  Effects,
  HeadersInput,
  HttpAdapter,
  HttpDialect,
  HttpProvider,
  HttpReply,
  HttpRequest,
  LocalProvider,
  ProviderAdapter,
  ProviderConfig,
  RetryPolicy,
  SendOptions,
  Timeouts,
  Transport,
} from "./types.ts";
