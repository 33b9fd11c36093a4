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
  EventDecoder,
  Frame,
  FrameReader,
  Names,
  PayloadKind,
  StreamDecoder,
  StreamEncoder,
  StreamFrames,
  WireEvent,
} from "./dialect.ts";
export type { DialectErrorCode } from "./errors.ts";
export { DialectError } from "./errors.ts";
export type { DialectId } from "./registry.ts";
export { dialect, dialects } from "./registry.ts";
export type { DialectLike, Translated, Translation } from "./translate.ts";
export { check, detect, translate } from "./translate.ts";
export type { Chunk, Transcoder, TranscodeOptions } from "./transcode.ts";
export { transcode } from "./transcode.ts";
export { copyField, isObject, readList, readMessageList, readObject, readString, restOf } from "./kit/read.ts";
export type { LossDeclaration, LossTable, Report } from "./kit/report.ts";
export type { ForeignLoss } from "./kit/residue.ts";
export {
  FOREIGN_LOSSES,
  formOf,
  isSealFor,
  keepFields,
  keepForm,
  reportForeignResidue,
  reportUncarried,
  restoreResidue,
} from "./kit/residue.ts";
export type { Trail } from "./kit/trail.ts";
