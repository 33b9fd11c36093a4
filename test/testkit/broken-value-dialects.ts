// Faults in the encoding of canonical requests and responses.
import { without } from "./broken-message-dialects.ts";
import type { DialectFaultRow } from "./dialect-faults.ts";
import { changesResponse, changesRequest, changesMessages } from "./dialect-faults.ts";

export const VALUE_FAULTS: readonly DialectFaultRow[] = [
  [
    "loses the metadata silently",
    /requests: every field: B58: nothing is lost/,
    changesRequest((value) => without(value, "metadata")),
  ],
  [
    "loses a count silently",
    /responses: every field: B58: nothing is lost/,
    changesResponse((response) => ({
      ...response,
      ...(response.usage && { usage: without(response.usage, "cacheReadTokens") }),
    })),
  ],
  [
    "loses the time silently",
    /responses: every field: B58: nothing is lost/,
    changesResponse((value) => without(value, "createdAt")),
  ],
  [
    "loses flags silently",
    /requests: .*B58: nothing is lost/,
    changesRequest((request) => ({
      ...request,
      ...(request.tools && { tools: request.tools.map((tool) => without(tool, "strict")) }),
    })),
  ],
  [
    "does not return its renames",
    /ids that a target rejects: B58: nothing is lost/,
    (good) => ({
      encodeRequest: (request, options) => {
        const { wire, losses } = good.encodeRequest(request, options);
        return { wire, losses: losses.filter(({ code }) => code !== "id-renamed") };
      },
    }),
  ],
  [
    "writes every tool choice as the same value",
    /another enumerated value/,
    (good) => ({
      ...changesRequest((request) =>
        typeof request.toolChoice === "string" ? { ...request, toolChoice: "auto" } : request,
      )(good),
      ...changesResponse((response) => ({ ...response, finishReason: { unified: "stop" } }))(good),
    }),
  ],
  [
    "writes tools in reverse order",
    /requests: .*the encoded value comes back/,
    changesRequest((request) => ({
      ...request,
      ...(request.tools && { tools: request.tools.toReversed() }),
    })),
  ],
  [
    "writes messages in reverse order",
    /the encoded value comes back/,
    changesMessages((message) => ({ ...message, parts: message.parts.toReversed() })),
  ],
  [
    "confuses two settings",
    /is decoded to the same path/,
    changesRequest(({ sampling, ...rest }) => {
      const { temperature, topP, ...others } = sampling ?? {};
      const swapped = {
        ...(topP !== undefined && { temperature: topP }),
        ...(temperature !== undefined && { topP: temperature }),
      };
      return sampling === undefined ? rest : { ...rest, sampling: { ...others, ...swapped } };
    }),
  ],
  [
    "confuses two counts",
    /is decoded to the same path/,
    changesResponse(({ usage, ...rest }) => {
      if (usage === undefined) return rest;
      return { ...rest, usage: { ...usage, outputTokens: usage.totalTokens, totalTokens: usage.outputTokens } };
    }),
  ],
  [
    "mutates the value",
    /does not modify it/,
    (good) => ({
      ...changesRequest((request) => Object.assign(request, { model: request.model ?? "a-model" }))(good),
      ...changesResponse((response) => Object.assign(response, { model: response.model }))(good),
    }),
  ],
];
