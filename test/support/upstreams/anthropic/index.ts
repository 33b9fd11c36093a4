// Anthropic's Messages API, as far as a client can tell.
import { answerMessage } from "./answer.ts";
import { checkMessages } from "./messages.ts";
import { checkSettings, MODELS } from "./settings.ts";
import type { MakeProvider } from "../provider.ts";
import { sse } from "../provider.ts";
import { json, string } from "../refusal.ts";
import { refuse, said } from "./failure.ts";

/** The versions of the API, and what they no longer take. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  "2023-06-01": [],
  "2026-10-21": ["temperature", "top_p", "top_k"],
};

export const anthropic: MakeProvider = (secrets, { apiKey }) => ({
  models: MODELS,
  version: "",
  open({ method, path, headers, body }) {
    if (method !== "POST" || path !== "/v1/messages") refuse("Not found", 404, "not_found_error");
    const key = headers["x-api-key"] ?? /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1];
    if (key === undefined) refuse("x-api-key header is required", 401, "authentication_error");
    if (key !== apiKey) refuse("invalid x-api-key", 401, "authentication_error");
    const version = headers["anthropic-version"];
    if (version === undefined) refuse("anthropic-version: header is required");
    const asked = json(body);
    const removed = VERSIONS[version];
    if (removed === undefined) refuse(`anthropic-version: "${version}" is not a valid version`);
    const gone = removed.find((field) => asked[field] !== undefined);
    if (gone !== undefined) refuse(`${gone}: Extra inputs are not permitted`);
    const model = string(asked["model"]);
    if (model === "") refuse("model: Field required");
    if (!MODELS.includes(model)) refuse(`model: ${model}`, 404, "not_found_error");
    return { model, stream: asked["stream"] === true, body: asked };
  },
  check({ body, model }) {
    checkSettings(body, model);
    checkMessages(body, model, secrets);
  },
  answer: (answer, { model }, upTo) => answerMessage(answer, model, secrets, upTo),
  failure(error) {
    const [status, body] = said(error);
    if (error.retryAfterMs === undefined) return { status, body };
    return { status, body, headers: { "retry-after": String(Math.ceil(error.retryAfterMs / 1000)) } };
  },
  failureEvent: (error) => sse(said(error)[1], "error"),
});
