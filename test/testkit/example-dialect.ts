// A small correct dialect for requests, responses and errors, with which their suites are tested.
import { isObject, PROVIDER_ERROR_KINDS } from "../../src/index.ts";
import { copyField, defineDialect, readForm, storeForm } from "../../src/dialects/kit/index.ts";
import {
  readObject,
  reportNotPortableResidue,
  reportUnsupportedFields,
  restoreResidue,
} from "../../src/dialects/kit/index.ts";
import type { FinishReason, JsonObject, JsonValue, ProviderError } from "../../src/index.ts";
import type { DecodeContext } from "../../src/dialects/kit/index.ts";
import type { ProviderErrorKind, ModelResponse, Usage } from "../../src/index.ts";
import type { ExampleLoss, ExampleContext } from "./example-requests.ts";
import {
  decodeRequest,
  encodeRequest,
  encodeTurn,
  isNumber,
  isText,
  EXAMPLE_LOSSES,
  FieldReader,
} from "./example-requests.ts";
import { decodeMessage, exampleMessageDialect } from "./example-message-dialect.ts";

const ENDINGS = [
  ["stop", "done"],
  ["length", "cut"],
  ["tool-calls", "calls"],
  ["content-filter", "censored"],
] as const;

function decodeEnding(value: string): FinishReason {
  const unified = ENDINGS.find(([, theirs]) => theirs === value)?.[0];
  return unified === undefined ? { unified: "other", raw: value } : { unified };
}

function encodeEnding({ unified, raw }: FinishReason, context: ExampleContext): string {
  const known = ENDINGS.find(([ours]) => ours === unified)?.[1];
  if (known !== undefined) return known;
  if (unified === "other" && raw !== undefined) return raw;
  context.report.addLoss("word-approximated", ["finishReason", "unified"], unified);
  return "done";
}

const COUNTS = [
  ["in", "inputTokens"],
  ["out", "outputTokens"],
  ["all", "totalTokens"],
  ["read", "cacheReadTokens"],
] as const;

function isCounts(value: JsonValue): value is JsonObject {
  if (!isObject(value)) return false;
  return COUNTS.every(([theirs, ours]) => {
    const count = value[theirs];
    return count === undefined ? ours === "cacheReadTokens" : Number.isInteger(count) && Number(count) >= 0;
  });
}

/** Decodes counts. On this wire, cached tokens are not included in the input tokens. */
function decodeUsage(wire: JsonObject, dialect: string): Usage {
  const fields = new FieldReader(wire);
  const usage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  for (const [theirs, ours] of COUNTS) fields.copy(theirs, isNumber, usage, ours);
  usage.inputTokens += usage.cacheReadTokens ?? 0;
  fields.storeRest(usage, dialect);
  return usage;
}

function encodeUsage(usage: Usage, context: ExampleContext): JsonObject {
  const wire: JsonObject = {};
  const carried = new Set<string>([...COUNTS.map(([, ours]) => ours), "extra", "raw"]);
  reportUnsupportedFields(usage, carried, context, "field-unsupported");
  reportNotPortableResidue(usage, context);
  for (const [theirs, ours] of COUNTS) if (ours in usage) copyField(usage, ours, wire, theirs);
  wire["in"] = usage.inputTokens - (usage.cacheReadTokens ?? 0);
  restoreResidue(wire, usage, context);
  return wire;
}

const isSeconds = (value: JsonValue): value is number => Number.isInteger(value) && Math.abs(Number(value)) < 1e11;

function decodeResponse(wire: unknown, context: DecodeContext): ModelResponse {
  const { dialect } = context;
  const fields = new FieldReader(readObject(wire, context));
  const messageWire = fields.take("reply", isObject);
  if (messageWire === undefined) context.fail("wrong-type", "Expected a reply.", "reply");
  const end = fields.take("end", isText);
  const response: ModelResponse = {
    id: fields.take("id", isText) ?? "",
    model: fields.take("model", isText) ?? "",
    message: context.pathTracker.into("reply", () => decodeMessage(messageWire, context)),
    finishReason: decodeEnding(end ?? "done"),
  };
  // The form stores an absent end and an empty id or model.
  if (end === undefined) storeForm(response, dialect, "end", null);
  for (const key of ["id", "model"]) if (fields.wire[key] === "") storeForm(response, dialect, key, "");
  const counts = fields.take("counts", isCounts);
  if (counts !== undefined) response.usage = decodeUsage(counts, dialect);
  const at = fields.take("at", isSeconds);
  if (at !== undefined) response.createdAt = new Date(at * 1000).toISOString();
  fields.storeRest(response, dialect);
  return response;
}

const RESPONSE_FIELDS = new Set(["id", "model", "message", "finishReason", "usage", "createdAt", "extra"]);

function encodeResponse(response: ModelResponse, context: ExampleContext): JsonObject {
  const { id, model, message, finishReason, usage, createdAt } = response;
  reportUnsupportedFields(response, RESPONSE_FIELDS, context, "field-unsupported");
  reportNotPortableResidue(response, context);
  const form = readForm(response, context.dialect);
  const wire: JsonObject = { reply: context.pathTracker.into("message", () => encodeTurn(message, {}, context)) };
  if (id !== "" || form["id"] === "") wire["id"] = id;
  if (model !== "" || form["model"] === "") wire["model"] = model;
  const end = encodeEnding(finishReason, context);
  if (end !== "done" || form["end"] !== null) wire["end"] = end;
  if (usage !== undefined) wire["counts"] = context.pathTracker.into("usage", () => encodeUsage(usage, context));
  if (createdAt !== undefined) wire["at"] = Math.floor(Date.parse(createdAt) / 1000);
  restoreResidue(wire, response, context);
  return wire;
}

const STATUSES: Readonly<Record<ProviderErrorKind, number>> = {
  authentication: 401,
  permission: 403,
  "not-found": 404,
  "invalid-request": 400,
  "context-length": 400,
  "content-filter": 400,
  "rate-limit": 429,
  quota: 429,
  overloaded: 503,
  server: 500,
  timeout: 504,
  network: 502,
  truncated: 502,
  unknown: 500,
};

function decodeError(wire: unknown, status: number | undefined): ProviderError {
  const { of: value, text } = isObject(wire) && isObject(wire["problem"]) ? wire["problem"] : ({} as JsonObject);
  const kind = PROVIDER_ERROR_KINDS.find((each) => each === value) ?? "unknown";
  const error: ProviderError = { kind, message: typeof text === "string" ? text : "", raw: wire };
  if (status !== undefined) error.status = status;
  return error;
}

function encodeError(error: ProviderError): { status: number; wire: unknown } {
  const { kind, message, raw, status = STATUSES[kind] } = error;
  const was = decodeError(raw, undefined);
  // The raw body is sent again if kind and message have not been edited.
  const isMine = isObject(raw) && raw["problem"] !== undefined && was.kind === kind && was.message === message;
  return { status, wire: isMine ? raw : { problem: { of: kind, text: message } } };
}

export const exampleDialect = defineDialect<ExampleLoss>({
  id: "plain",
  title: "Example dialect",
  losses: EXAMPLE_LOSSES,
  messages: {
    decode: (wire) => exampleMessageDialect().decodeMessages(wire),
    encode: (messages) => exampleMessageDialect().encodeMessages(messages).wire,
  },
  requests: {
    decode: (wire, context, { address }) => decodeRequest(wire, context, address?.stream),
    encode: (request, context) => {
      const { stream } = request;
      return { ...encodeRequest(request, context), ...(stream !== undefined && { address: { stream } }) };
    },
  },
  responses: {
    decode: (wire, context) => decodeResponse(wire, context),
    encode: (response, context) => ({ wire: encodeResponse(response, context) }),
  },
  errors: { decode: (wire, _, status) => decodeError(wire, status), encode: encodeError },
});
