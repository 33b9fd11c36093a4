// Exports the client, which calls the models of every provider with one request type.
export type { Snapshot } from "../assembly/index.ts";
export type {
  Answer,
  AnswerStream,
  Attempt,
  CallDefaults,
  CallOptions,
  ClientErrorCode,
  ClientErrorDetails,
  Effects,
  HeadersInput,
  HttpDialect,
  HttpProvider,
  HttpReply,
  HttpRequest,
  LocalProvider,
  PresetName,
  Price,
  PriceTable,
  PriceTier,
  ProviderConfig,
  Rates,
  RetryPolicy,
  SendOptions,
  Timeouts,
  Transport,
  TransportErrorDetails,
  TransportStage,
} from "../calls/index.ts";
export {
  CLIENT_ERRORS,
  ClientError,
  computeCost,
  defaultTransport,
  findPrice,
  presets,
  providersFromEnv,
  readPrices,
  resolveEffects,
  TransportError,
} from "../calls/index.ts";
export type { Delta, Loss } from "../model/index.ts";
export type { FromEnvOptions } from "./client.ts";
export { Client, createClient } from "./client.ts";
export type { DemoOptions } from "./demo/demo.ts";
export { demo } from "./demo/demo.ts";
export type { Budget, BudgetLimits, BudgetOptions, BudgetUsage } from "./middleware/budget.ts";
export { budget } from "./middleware/budget.ts";
export type { AnswerStore, CachingOptions } from "./middleware/caching.ts";
export { boundedStore, caching } from "./middleware/caching.ts";
export { callKey } from "./middleware/call-key.ts";
export { deferStream } from "./middleware/defer-stream.ts";
export type { LogEntry, LoggingOptions } from "./middleware/logging.ts";
export { describeEntry, logging } from "./middleware/logging.ts";
export { replayAnswer } from "./middleware/replay-answer.ts";
export type { CallOutcome, StreamTap } from "./middleware/tap-stream.ts";
export { tapStream } from "./middleware/tap-stream.ts";
export type { Call, Middleware } from "./middleware/types.ts";
export type { OutputErrorReason } from "./output-error.ts";
export { OutputError } from "./output-error.ts";
export type { CompileSchemaOptions } from "./schema/compile-schema.ts";
export { compileSchema } from "./schema/compile-schema.ts";
export type { AnySchema, CompiledSchema, InferSchema, SchemaIssue, SchemaResult } from "./schema/types.ts";
export type { ClientOptions, ObjectAnswer, ObjectRequest } from "./types.ts";
