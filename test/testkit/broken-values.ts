// Dialects with one fault each in how they encode canonical values.
import { without } from "./broken.ts";
import type { FaultRow } from "./faults.ts";
import { answers, asks, says } from "./faults.ts";

export const VALUE_FAULTS: readonly FaultRow[] = [
  [
    "loses the metadata silently",
    /requests: every field: B58: nothing is lost/,
    asks((value) => without(value, "metadata")),
  ],
  [
    "loses a count silently",
    /responses: every field: B58: nothing is lost/,
    answers((response) => ({
      ...response,
      ...(response.usage && { usage: without(response.usage, "cacheReadTokens") }),
    })),
  ],
  [
    "loses the time silently",
    /responses: every field: B58: nothing is lost/,
    answers((value) => without(value, "createdAt")),
  ],
  [
    "loses flags silently",
    /requests: .*B58: nothing is lost/,
    asks((request) => ({
      ...request,
      ...(request.tools && { tools: request.tools.map((tool) => without(tool, "strict")) }),
    })),
  ],
  [
    "does not hand out the names it changed",
    /ids that a target refuses: B58: nothing is lost/,
    (good) => ({
      encodeRequest: (request, options) => {
        const { wire, losses } = good.encodeRequest(request, options);
        return { wire, losses: losses.filter(({ code }) => code !== "id-renamed") };
      },
    }),
  ],
  [
    "says each choice in the same word",
    /another word makes/,
    (good) => ({
      ...asks((request) => (typeof request.toolChoice === "string" ? { ...request, toolChoice: "auto" } : request))(
        good,
      ),
      ...answers((response) => ({ ...response, finishReason: { unified: "stop" } }))(good),
    }),
  ],
  [
    "writes tools the other way round",
    /requests: .*what was encoded comes back/,
    asks((request) => ({
      ...request,
      ...(request.tools && { tools: request.tools.toReversed() }),
    })),
  ],
  [
    "writes what was said the other way round",
    /what was encoded comes back/,
    says((message) => ({ ...message, parts: message.parts.toReversed() })),
  ],
  [
    "takes two settings for each other",
    /read in its place/,
    asks(({ sampling, ...rest }) => {
      const { temperature, topP, ...others } = sampling ?? {};
      const swapped = {
        ...(topP !== undefined && { temperature: topP }),
        ...(temperature !== undefined && { topP: temperature }),
      };
      return sampling === undefined ? rest : { ...rest, sampling: { ...others, ...swapped } };
    }),
  ],
  [
    "takes two counts for each other",
    /read in its place/,
    answers(({ usage, ...rest }) => {
      if (usage === undefined) return rest;
      return { ...rest, usage: { ...usage, outputTokens: usage.totalTokens, totalTokens: usage.outputTokens } };
    }),
  ],
  [
    "writes to the value",
    /leaves it as it was/,
    (good) => ({
      ...asks((request) => Object.assign(request, { model: request.model ?? "a-model" }))(good),
      ...answers((response) => Object.assign(response, { model: response.model }))(good),
    }),
  ],
];
