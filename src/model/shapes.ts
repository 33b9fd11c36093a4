// Messages and their parts as data: with exchange-shapes.ts the one source of `validate` and of the JSON Schema.
import { FINISH_REASONS } from "./finish.ts";
import type { JsonObject } from "./json.ts";
import { ROLES } from "./message.ts";
import type { Extra, Logprob, Part, SealKind } from "./parts.ts";
import type { AnyShape, Shape } from "./shape.ts";
import {
  boolean,
  count,
  dictionary,
  integer,
  json,
  list,
  matching,
  nullable,
  number,
  object,
  openWords,
  reference,
  string,
  union,
  words,
} from "./shape.ts";

export const jsonObject: Shape<JsonObject> = reference("JsonObject");
export const extra: Shape<Extra> = dictionary(jsonObject);
const part: Shape<Part> = reference("Part");

const issuerFields = { provider: string, model: string };
const issuer = object({ dialect: string }, issuerFields);
export const seal = object({ dialect: string, kind: openWords<SealKind>(), value: string }, issuerFields);
export const cache = object({}, { ttl: words("5m", "1h") });
const common = { extra, cache, seals: list(seal) };

const span = object({ start: count, end: count }, {});
export const annotation = object(
  { kind: words("url", "file", "document", "other") },
  { url: string, title: string, fileId: string, citedText: string, span, source: string, seals: list(seal), extra },
);
const logprobList: Shape<Logprob[]> = list(reference<Logprob>("Logprob"));
export const logprob = object(
  { token: string, logprob: number },
  { bytes: list(count), tokenId: integer, top: logprobList, extra },
);

const executor = words("client", "provider");
export const format = words("json", "text");

/** The seven places media can be. */
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
    { type: words("text"), text: string },
    { ...common, annotations: list(annotation), logprobs: logprobList },
  ),
  reasoning: object({ type: words("reasoning"), text: string }, { ...common, summary: list(string) }),
  refusal: object({ type: words("refusal"), text: string }, { ...common, logprobs: logprobList }),
  "tool-call": object(
    { type: words("tool-call"), toolCallId: string, toolName: string, input: json },
    { ...common, inputText: string, invalid: boolean, executor, format, tool: string },
  ),
  "tool-result": object(
    { type: words("tool-result"), toolCallId: string, toolName: string, isError: boolean },
    { ...common, output: json, content: list(part), executor, format, tool: string },
  ),
  image: object({ type: words("image") }, media, oneSource),
  audio: object({ type: words("audio") }, { ...media, transcript: string }, oneSource),
  video: object({ type: words("video") }, media, oneSource),
  file: object({ type: words("file") }, media, oneSource),
  opaque: object({ type: words("opaque"), dialect: string, value: json }, { ...common, issuer }),
};
export const anyPart = union("type", parts);

export const finishReason = object({ unified: words(...FINISH_REASONS) }, { raw: string });
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

const role = words(...ROLES);
/** What a message says beside its role and parts. */
export const messageFields = object({}, { id: string, name: string, extra, metadata });
/** A further choice, as `done` describes it. */
export const doneAlternative = object({ finishReason: string }, { raw: string, extra, message: messageFields });
export const message = object({ role, parts: list(part) }, { id: string, name: string, extra, metadata });

/** Crockford's base 32 without I, L, O, U; the first digit keeps it within 128 bits. */
export const ULID = "^[0-7][0-9A-HJKMNP-TV-Z]{25}$";
export const ISO_TIME = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$";
const ulid = matching(ULID, "a ULID");
const isoDate = matching(ISO_TIME, "an ISO 8601 time");
export const storedMessage = object(
  { role, parts: list(part), id: ulid, parentMessageId: nullable(ulid), createdAt: isoDate, metadata: storedMetadata },
  { name: string, extra },
);

/** Shapes that others refer to by name, because they are recursive or shared. */
export const NAMED: Readonly<Record<string, AnyShape>> = {
  JsonObject: dictionary(json),
  Part: anyPart,
  Logprob: logprob,
};
