// Simulates Google's generateContent and streamGenerateContent.
import type { CreateProvider, ProviderRequest } from "../provider.ts";
import { sse } from "../provider.ts";
import { toObject } from "../rejection.ts";
import { answerContent } from "./answer.ts";
import { checkContents } from "./contents.ts";
import { failure, reject } from "./failure.ts";
import { checkGeminiSettings } from "./settings.ts";

/** The first model requires its thought signatures. */
const MODELS = ["gemini-3.1-pro-preview", "gemini-2.5-flash"];
const PATH = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

export const gemini: CreateProvider = (secrets, { apiKey }) => {
  /** Requests for streams without `alt=sse`, whose reply is one JSON list. */
  const lists = new WeakSet<ProviderRequest>();
  return {
    models: MODELS,
    version: "",
    open({ method, path, headers, query, body }) {
      const [, encoded = "", verb] = PATH.exec(path) ?? [];
      if (method !== "POST" || verb === undefined) reject(`Not found: ${path}`, "NOT_FOUND");
      const key = headers["x-goog-api-key"] ?? query["key"];
      if (key === undefined) {
        reject(
          "Method doesn't allow unregistered callers (callers without established identity).",
          "PERMISSION_DENIED",
        );
      }
      if (key !== apiKey) {
        const reason = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" };
        reject("API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", [reason]);
      }
      const model = decodeURIComponent(encoded);
      if (!MODELS.includes(model)) {
        reject(`models/${model} is not found for API version v1beta, or is not supported for ${verb}.`, "NOT_FOUND");
      }
      const isStream = verb === "streamGenerateContent";
      const question = { model, stream: isStream && query["alt"] === "sse", body: toObject(body) };
      if (isStream && !question.stream) lists.add(question);
      return question;
    },
    check({ body, model }) {
      checkGeminiSettings(body);
      checkContents(body, secrets, model === "gemini-3.1-pro-preview");
    },
    answer(answer, question, upTo) {
      const wireAnswer = answerContent(answer, question, secrets, upTo);
      return lists.has(question) ? { ...wireAnswer, body: [wireAnswer.body] } : wireAnswer;
    },
    failure,
    failureEvent: (error) => sse(failure(error).body),
  };
};
