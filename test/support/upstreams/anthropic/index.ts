// Simulates Anthropic's Messages API.
import { answerMessage } from "./answer.ts";
import { checkMessages } from "./messages.ts";
import { checkSettings, MODELS } from "./settings.ts";
import type { CreateProvider } from "../provider.ts";
import { sse } from "../provider.ts";
import { toObject, toString } from "../rejection.ts";
import { reject, toErrorBody } from "./failure.ts";

/** Versions of the API, and the fields that they no longer accept. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  "2023-06-01": [],
  "2026-10-21": ["temperature", "top_p", "top_k"],
};

export const anthropic: CreateProvider = (secrets, { apiKey }) => ({
  models: MODELS,
  version: "",
  open({ method, path, headers, body }) {
    if (method !== "POST" || path !== "/v1/messages") reject("Not found", 404, "not_found_error");
    const key = headers["x-api-key"] ?? /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1];
    if (key === undefined) reject("x-api-key header is required", 401, "authentication_error");
    if (key !== apiKey) reject("invalid x-api-key", 401, "authentication_error");
    const version = headers["anthropic-version"];
    if (version === undefined) reject("anthropic-version: header is required");
    const request = toObject(body);
    const removed = VERSIONS[version];
    if (removed === undefined) reject(`anthropic-version: "${version}" is not a valid version`);
    const unsupported = removed.find((field) => request[field] !== undefined);
    if (unsupported !== undefined) reject(`${unsupported}: Extra inputs are not permitted`);
    const model = toString(request["model"]);
    if (model === "") reject("model: Field required");
    if (!MODELS.includes(model)) reject(`model: ${model}`, 404, "not_found_error");
    return { model, stream: request["stream"] === true, body: request };
  },
  check({ body, model }) {
    checkSettings(body, model);
    checkMessages(body, model, secrets);
  },
  answer: (answer, { model }, upTo) => answerMessage(answer, model, secrets, upTo),
  failure(error) {
    const [status, body] = toErrorBody(error);
    if (error.retryAfterMs === undefined) return { status, body };
    return { status, body, headers: { "retry-after": String(Math.ceil(error.retryAfterMs / 1000)) } };
  },
  failureEvent: (error) => sse(toErrorBody(error)[1], "error"),
});
