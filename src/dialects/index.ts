// The dialects: the contract, the registry, and what the author of a further dialect needs.
export { defineDialect } from "./define.ts";
export type {
  RequestEnvelope as Address,
  Capability as Cargo,
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
  Renames as Names,
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
export type { DialectLike, TranslateResult as Translated, TranslateOptions as Translation } from "./translate.ts";
export { checkRequest as check, detectDialect as detect, translate } from "./translate.ts";
export type { WireChunk as Chunk, Transcoder, TranscodeOptions } from "./transcode.ts";
export { transcode } from "./transcode.ts";
export {
  copyField,
  isObject,
  readList,
  readMessageList,
  readObject,
  readString,
  unknownFields as restOf,
} from "./kit/read.ts";
export type { LossDeclaration, LossTable, Report } from "./kit/report.ts";
export type { NotPortableLoss as ForeignLoss } from "./kit/residue.ts";
export {
  NOT_PORTABLE_LOSSES as FOREIGN_LOSSES,
  readForm as formOf,
  isSealFor,
  storeResidue as keepFields,
  storeForm as keepForm,
  reportNotPortableResidue as reportForeignResidue,
  reportUnsupportedFields as reportUncarried,
  restoreResidue,
} from "./kit/residue.ts";
export type { PathTracker as Trail } from "./kit/trail.ts";
