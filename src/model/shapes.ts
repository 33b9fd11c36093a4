// The model's interfaces as data: the one source of `validate` and of the published JSON Schema.
import { FINISH_REASONS } from "./finish.ts";
import type { JsonObject } from "./json.ts";
import { ROLES } from "./message.ts";
import type { Extra, Logprob, Part, SealKind } from "./parts.ts";
import { PROVIDER_ERROR_KINDS } from "./provider-error.ts";
import type { AnyShape, Shape } from "./shape.ts";
import {
  boolean,
  count,
  dictionary,
  either,
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

const jsonObject: Shape<JsonObject> = reference("JsonObject");
const extra: Shape<Extra> = dictionary(jsonObject);
const part: Shape<Part> = reference("Part");

const issuerFields = { provider: string, model: string };
const issuer = object({ dialect: string }, issuerFields);
export const seal = object({ dialect: string, kind: openWords<SealKind>(), value: string }, issuerFields);
const cache = object({}, { ttl: words("5m", "1h") });
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
const format = words("json", "text");

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
export const message = object({ role, parts: list(part) }, { id: string, name: string, extra, metadata });

/** Crockford's base 32 without I, L, O, U; the first digit keeps it within 128 bits. */
const ulid = matching("^[0-7][0-9A-HJKMNP-TV-Z]{25}$", "a ULID");
const isoDate = matching(
  "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$",
  "an ISO 8601 time",
);
export const storedMessage = object(
  { role, parts: list(part), id: ulid, parentMessageId: nullable(ulid), createdAt: isoDate, metadata: storedMetadata },
  { name: string, extra },
);

const toolFields = { cache, extra };
export const tool = union("type", {
  function: object(
    { type: words("function"), name: string },
    {
      ...toolFields,
      description: string,
      inputSchema: jsonObject,
      outputSchema: jsonObject,
      strict: boolean,
      format,
      grammar: jsonObject,
    },
  ),
  provider: object({ type: words("provider"), dialect: string, name: string, value: jsonObject }, toolFields),
});
const output = union("type", {
  text: object({ type: words("text") }, {}),
  json: object({ type: words("json") }, {}),
  "json-schema": object(
    { type: words("json-schema"), schema: jsonObject },
    { name: string, description: string, strict: boolean },
  ),
});
const toolChoice = either(
  words("auto", "none", "required"),
  object({ toolName: string }, {}),
  object({ toolNames: list(string), mode: words("auto", "required") }, {}),
);
const sampling = object(
  {},
  {
    temperature: number,
    topP: number,
    topK: number,
    seed: number,
    presencePenalty: number,
    frequencyPenalty: number,
    stop: list(string),
    maxOutputTokens: number,
    logprobs: boolean,
    topLogprobs: number,
    n: number,
  },
);
export const request = object(
  { messages: list(message) },
  {
    model: string,
    tools: list(tool),
    toolChoice,
    parallelToolCalls: boolean,
    output,
    sampling,
    reasoning: object({}, { effort: string, budget: number, summary: string }),
    metadata: dictionary(json),
    stream: boolean,
    extra,
  },
);

const providerError = object(
  { kind: words(...PROVIDER_ERROR_KINDS), message: string },
  { status: integer, retryAfterMs: number, raw: json },
);
export const response = object(
  { id: string, model: string, message, finishReason },
  {
    alternatives: list(object({ message, finishReason }, { extra })),
    usage,
    createdAt: string,
    error: providerError,
    extra,
  },
);

/** Shapes that others refer to by name, because they are recursive or shared. */
export const NAMED: Readonly<Record<string, AnyShape>> = {
  JsonObject: dictionary(json),
  Part: anyPart,
  Logprob: logprob,
};
