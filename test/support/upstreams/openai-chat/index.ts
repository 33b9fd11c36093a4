// Chat Completions: OpenAI's own, or with the vendor "openrouter" one that shows its reasoning, sealed.
import type { CreateProvider } from "../provider.ts";
import { sse } from "../provider.ts";
import { toObject, toString } from "../rejection.ts";
import { checkSampling, failure, requireBody, reject, toOpenAiError } from "../openai/failure.ts";
import { answerCompletion } from "./answer.ts";
import { checkChatMessages } from "./messages.ts";
import { checkChatSettings } from "./settings.ts";

const OWN = ["gpt-4.1", "gpt-5.2"];
const ROUTED = ["acme/thinker-1"];

export const openaiChat: CreateProvider = (secrets, { apiKey, vendor }) => {
  const isOwn = vendor === undefined;
  const models = isOwn ? OWN : ROUTED;
  return {
    models,
    version: "/v1",
    open(request) {
      const body = requireBody(request, "/v1/chat/completions", apiKey);
      const model = toString(body["model"]);
      if (model === "") reject("you must provide a model parameter");
      if (!models.includes(model)) {
        reject(`The model \`${model}\` does not exist or you do not have access to it.`, {
          status: 404,
          code: "model_not_found",
        });
      }
      return { model, stream: body["stream"] === true, body };
    },
    check({ body, model }) {
      checkChatSettings(body, isOwn);
      if (model === "gpt-5.2") {
        checkSampling(body, ["max_tokens", "temperature", "top_p", "presence_penalty", "frequency_penalty", "stop"]);
      } else if (isOwn) {
        checkSampling(body, ["reasoning_effort"]);
      }
      checkChatMessages(body, secrets, isOwn);
    },
    answer(answer, { model, body }, upTo) {
      const usage = toObject(body["stream_options"])["include_usage"] === true;
      return answerCompletion(answer, { model, secrets, isOwn, usage, ...(upTo !== undefined && { upTo }) });
    },
    failure,
    failureEvent: (error) => sse({ error: toOpenAiError(error) }),
  };
};
