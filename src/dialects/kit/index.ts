// Exports the entry `koine/dialect-kit`: the functions and types for authors of dialects. docs/add-a-dialect.md is the
// guide.
export { defineDialect } from "../define.ts";
export type {
  DecodeContext,
  DialectFactory,
  DialectSpec,
  EncodeContext,
  EventDecoder,
  Frame,
  FrameReader,
  StreamFrames,
} from "../dialect.ts";
export type { PathTracker } from "./fields/path-tracker.ts";
export { copyField, readList, readMessageList, readObject, readString, unknownFields } from "./fields/read-wire.ts";
export type { NotPortableLoss } from "./losses/catalog.ts";
export { NOT_PORTABLE_LOSSES } from "./losses/catalog.ts";
export type { LossReport } from "./losses/report.ts";
export { readForm, restoreResidue, storeForm, storeResidue } from "./residue/residue.ts";
export { reportNotPortableResidue, reportUnsupportedFields } from "./residue/unsent-fields.ts";
export { isSealFor } from "./seals/seals.ts";
