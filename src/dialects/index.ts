// Exports the dialects: the contract, the registry, and translation. Authors of dialects use kit/index.ts
// (`koine/dialect-kit`).
export type {
  RequestEnvelope,
  Capability,
  DecodeReplyOptions,
  DecodeRequestOptions,
  Dialect,
  DialectOptions,
  Encoded,
  EncodeMessagesOptions,
  EncodeRequestOptions,
  EncodeStreamOptions,
  Renames,
  PayloadKind,
  StreamDecoder,
  StreamEncoder,
  WireEvent,
} from "./dialect.ts";
export type { DialectErrorCode } from "./errors.ts";
export { DialectError } from "./errors.ts";
export type { DialectId } from "./registry.ts";
export { dialect, dialects } from "./registry.ts";
export type { DialectLike, TranslateResult, TranslateOptions } from "./translate.ts";
export { checkRequest, detectDialect, translate } from "./translate.ts";
export type { WireChunk, Transcoder, TranscodeOptions } from "./transcode.ts";
export { transcode, transcodeStream } from "./transcode.ts";
export type { TranslateKind, WireOf } from "./wire-types.ts";
export type { LossDeclaration, LossTable } from "./kit/losses/report.ts";
