// The client: one request type, every provider.
export type { Snapshot } from "../assembly/index.ts";
export type { Delta, Loss } from "../model/index.ts";
export type { FromEnvOptions } from "./client.ts";
export { Client, createClient } from "./client.ts";
export type { DemoOptions } from "./demo/demo.ts";
export { demo } from "./demo/demo.ts";
export { resolveEffects as effectsOf } from "./effects.ts";
export type { ClientErrorCode, ClientErrorDetails, OutputErrorReason as OutputFault } from "./errors.ts";
export { CLIENT_ERRORS, ClientError, OutputError } from "./errors.ts";
export type { Budget, BudgetLimits, BudgetOptions, BudgetUsage as Spent } from "./middleware/budget.ts";
export { budget } from "./middleware/budget.ts";
export type { AnswerStore, CachingOptions } from "./middleware/caching.ts";
export { boundedStore, caching } from "./middleware/caching.ts";
export { deferStream } from "./middleware/defer.ts";
export type { LogEntry, LoggingOptions } from "./middleware/logging.ts";
export { describeEntry, logging } from "./middleware/logging.ts";
export { replayAnswer } from "./middleware/replay.ts";
export { callKey } from "./middleware/request-key.ts";
export type { CallOutcome, StreamTap } from "./middleware/tap.ts";
export { tapStream } from "./middleware/tap.ts";
export type { Call, Middleware } from "./middleware/types.ts";
export type { PresetName } from "./providers/index.ts";
export { presets, providersFromEnv } from "./providers/index.ts";
export type { Price, PriceTable, PriceTier, Rates } from "./prices.ts";
export { costOf, findPrice, readPrices } from "./prices.ts";
export type { ReadSchemaOptions } from "./schema/read.ts";
export { compileSchema as readSchema } from "./schema/read.ts";
export type {
  AnySchema,
  SchemaResult as Checked,
  InferSchema,
  CompiledSchema as ReadSchema,
  SchemaIssue,
} from "./schema/types.ts";
export type { TransportErrorDetails, TransportStage } from "./transport/errors.ts";
export { TransportError } from "./transport/errors.ts";
export { defaultTransport } from "#transport";
export type {
  Answer,
  AnswerStream,
  Attempt,
  CallOptions,
  ClientOptions,
  Effects,
  HeadersInput,
  HttpDialect,
  HttpProvider,
  HttpReply,
  HttpRequest,
  SendOptions as Limits,
  LocalProvider,
  ObjectAnswer,
  ObjectRequest,
  ProviderConfig,
  RetryPolicy,
  Timeouts,
  Transport,
} from "./types.ts";
