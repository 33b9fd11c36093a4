// Simulates OpenAI's Responses API, which stores its answers unless `store` is false.
import type { CreateProvider } from "../provider.ts";
import { sse } from "../provider.ts";
import { toString } from "../rejection.ts";
import { checkSampling, failure, requireBody, reject, toOpenAiError } from "../openai/failure.ts";
import { answerResponse } from "./answer.ts";
import { checkInput } from "./input.ts";
import { Memory } from "./memory.ts";
import { checkResponsesSettings, includesEncryptedReasoning } from "./settings.ts";

/** The first model is a reasoning model. */
const MODELS = ["gpt-5.2", "gpt-4.1"];

export const openaiResponses: CreateProvider = (secrets, { apiKey }) => {
  const memory = new Memory();
  return {
    models: MODELS,
    version: "/v1",
    open(request) {
      const body = requireBody(request, "/v1/responses", apiKey);
      const model = toString(body["model"]);
      if (model === "")
        reject("Missing required parameter: 'model'.", { param: "model", code: "missing_required_parameter" });
      if (!MODELS.includes(model)) {
        reject(`The requested model '${model}' does not exist.`, { param: "model", code: "model_not_found" });
      }
      return { model, stream: body["stream"] === true, body };
    },
    check({ body, model }) {
      checkResponsesSettings(body);
      if (model === "gpt-5.2") checkSampling(body, ["temperature", "top_p"]);
      else {
        checkSampling(body, ["reasoning"]);
        if (includesEncryptedReasoning(body))
          reject("Encrypted content is not supported with this model.", { param: "include" });
      }
      checkInput(body, memory, secrets);
    },
    answer(answer, question, upTo) {
      const isReasoner = question.model === "gpt-5.2";
      return answerResponse(answer, question, { secrets, memory, isReasoner, ...(upTo !== undefined && { upTo }) });
    },
    failure,
    failureEvent(error) {
      const { message, code } = toOpenAiError(error);
      return sse({ type: "error", code, message, param: null, sequence_number: 99 }, "error");
    },
  };
};
