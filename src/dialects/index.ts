// The dialects: the contract, the registry, and what the author of a further dialect needs.
export { defineDialect } from "./define.ts";
export type {
  Address,
  Cargo,
  DecodeContext,
  DecodeReplyOptions,
  DecodeRequestOptions,
  Dialect,
  DialectFactory,
  DialectOptions,
  DialectSpec,
  EncodeContext,
  Encoded,
  EncodeMessagesOptions,
  EncodeRequestOptions,
  EncodeStreamOptions,
  Names,
  StreamDecoder,
  StreamEncoder,
  WireEvent,
} from "./dialect.ts";
export type { DialectErrorCode } from "./errors.ts";
export { DialectError } from "./errors.ts";
export type { DialectId } from "./registry.ts";
export { dialect, dialects } from "./registry.ts";
export type { LossDeclaration, LossTable } from "./report.ts";
