// Defines the shapes of messages and parts, for `validate` and the JSON Schema. The shapes of requests and responses
// are in request-shapes.ts.
import { FINISH_REASONS } from "../finish-reason.ts";
import type { JsonObject } from "../json/index.ts";
import { ROLES } from "../message.ts";
import type { Extra, Logprob, Part, SealKind } from "../parts.ts";
import type { AnyShape, Shape } from "./shape.ts";
import {
  boolean,
  count,
  dictionary,
  integer,
  json,
  list,
  patternString,
  nullable,
  number,
  object,
  openEnum,
  reference,
  string,
  union,
  oneOf,
} from "./shape.ts";

export const jsonObject: Shape<JsonObject> = reference("JsonObject");
export const extra: Shape<Extra> = dictionary(jsonObject);
const part: Shape<Part> = reference("Part");

const issuerFields = { provider: string, model: string };
const issuer = object({ dialect: string }, issuerFields);
export const seal = object({ dialect: string, kind: openEnum<SealKind>(), value: string }, issuerFields);
export const cache = object({}, { ttl: oneOf("5m", "1h") });
const common = { extra, cache, seals: list(seal) };

const span = object({ start: count, end: count }, {});
export const annotation = object(
  { kind: oneOf("url", "file", "document", "other") },
  { url: string, title: string, fileId: string, citedText: string, span, source: string, seals: list(seal), extra },
);
const logprobList: Shape<Logprob[]> = list(reference<Logprob>("Logprob"));
export const logprob = object(
  { token: string, logprob: number },
  { bytes: list(count), tokenId: integer, top: logprobList, extra },
);

const executor = oneOf("client", "provider");
export const format = oneOf("json", "text");

/** The seven sources of a media part. */
export const MEDIA_SOURCES = ["url", "data", "text", "content", "fileId", "path", "blob"] as const;
const media = {
  ...common,
  mimeType: string,
  name: string,
  size: count,
  issuer,
  url: string,
  data: string,
  text: string,
  content: list(part),
  fileId: string,
  path: string,
  blob: string,
};
const oneSource = { exactlyOne: MEDIA_SOURCES };

export const parts = {
  text: object(
    { type: oneOf("text"), text: string },
    { ...common, annotations: list(annotation), logprobs: logprobList },
  ),
  reasoning: object({ type: oneOf("reasoning"), text: string }, { ...common, summary: list(string) }),
  refusal: object({ type: oneOf("refusal"), text: string }, { ...common, logprobs: logprobList }),
  "tool-call": object(
    { type: oneOf("tool-call"), toolCallId: string, toolName: string, input: json },
    { ...common, inputText: string, invalid: boolean, executor, format, tool: string },
  ),
  "tool-result": object(
    { type: oneOf("tool-result"), toolCallId: string, toolName: string, isError: boolean },
    { ...common, output: json, content: list(part), executor, format, tool: string },
  ),
  image: object({ type: oneOf("image") }, media, oneSource),
  audio: object({ type: oneOf("audio") }, { ...media, transcript: string }, oneSource),
  video: object({ type: oneOf("video") }, media, oneSource),
  file: object({ type: oneOf("file") }, media, oneSource),
  opaque: object({ type: oneOf("opaque"), dialect: string, value: json }, { ...common, issuer }),
};
export const anyPart = union("type", parts);

export const finishReason = object({ unified: oneOf(...FINISH_REASONS) }, { raw: string });
export const usage = object(
  { inputTokens: count, outputTokens: count, totalTokens: count },
  {
    cacheReadTokens: count,
    cacheWriteTokens: count,
    cacheWrite5mTokens: count,
    cacheWrite1hTokens: count,
    reasoningTokens: count,
    cost: number,
    extra,
    raw: json,
  },
);

const metadataFields = {
  runId: string,
  model: string,
  provider: string,
  finishReason,
  usage,
  interrupted: boolean,
  invalidToolCalls: list(object({ toolCallId: string, reason: string }, {})),
};
const metadata = object({}, { schemaVersion: integer, ...metadataFields }, { open: true });
const storedMetadata = object({ schemaVersion: integer }, metadataFields, { open: true });

const role = oneOf(...ROLES);
/** The shape of the fields of a message besides role and parts. */
export const messageFields = object({}, { id: string, name: string, extra, metadata });
/** The shape of an entry of `alternatives` in a `done` or `error` delta: the end of one choice after the first. */
export const doneAlternative = object({ finishReason: string }, { raw: string, extra, message: messageFields });
export const message = object({ role, parts: list(part) }, { id: string, name: string, extra, metadata });

/** The pattern of a ULID: Crockford's base 32 without I, L, O, U; the first digit limits the value to 128 bits. */
export const ULID = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$";
export const ISO_TIME = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$";
const ulid = patternString(ULID, "a ULID");
const isoDate = patternString(ISO_TIME, "an ISO 8601 time");
export const storedMessage = object(
  { role, parts: list(part), id: ulid, parentMessageId: nullable(ulid), createdAt: isoDate, metadata: storedMetadata },
  { name: string, extra },
);

/** The shapes that other shapes refer to by name, so that shapes can be recursive. */
export const NAMED: Readonly<Record<string, AnyShape>> = {
  JsonObject: dictionary(json),
  Part: anyPart,
  Logprob: logprob,
};
