// A valid hand-written request of each dialect, and helpers that continue the conversation after its answer.
import { isJson, toObject, toObjects } from "./rejection.ts";
import type { Upstream, UpstreamDialect } from "./index.ts";

export type Body = Record<string, unknown>;

export interface ValidRequest {
  /** Sends the request, with changes to its body or headers; undefined removes a field. */
  send: (upstream: Upstream, change?: Body, isStream?: boolean, headers?: Record<string, string>) => Promise<Response>;
  /** Returns the content of an answer: its blocks, items or parts; for Chat the message. */
  readContent: (body: unknown) => Body[];
  /** Returns the change of the body that sends the content of the answer back with results for its two calls. */
  continueWith: (content: readonly Body[]) => Body;
}

const SCHEMA = {
  type: "object",
  properties: { at: { type: "string" } },
  required: ["at"],
  additionalProperties: false,
};
const bearer = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` });

interface RequestFormat {
  body: Body;
  key: (apiKey: string) => Record<string, string>;
  path: (model: string, isStream: boolean) => string;
  isModelInPath?: boolean;
}

function createSender({ body, key, path, isModelInPath = false }: RequestFormat): ValidRequest["send"] {
  return ({ url, apiKey, model }, change = {}, stream = false, headers = {}) => {
    const requestedModel = typeof change["model"] === "string" ? change["model"] : model;
    const address = isModelInPath ? {} : { model: requestedModel, ...(stream && { stream }) };
    const { model: _, ...rest } = change;
    const all = Object.entries({ "content-type": "application/json", ...key(apiKey), ...headers });
    return fetch(url + path(requestedModel, stream), {
      method: "POST",
      headers: Object.fromEntries(all.filter(([, value]) => value !== "")),
      body: JSON.stringify({ ...address, ...body, ...rest }),
    });
  };
}

function copyObjects(value: unknown): Body[] {
  return toObjects(value).map((each) => ({ ...each }));
}

export const VALID_REQUESTS: Readonly<Record<UpstreamDialect, ValidRequest>> = {
  "openai-chat": {
    send: createSender({
      body: {
        messages: [{ role: "user", content: "?" }],
        tools: [{ type: "function", function: { name: "look", parameters: SCHEMA } }],
      },
      key: bearer,
      path: () => "/v1/chat/completions",
    }),
    readContent(body) {
      const { annotations: _, ...message } = toObject(toObjects(toObject(body)["choices"])[0]?.["message"]);
      return [message];
    },
    continueWith: ([message]) => ({
      messages: [
        { role: "user", content: "?" },
        message,
        ...toObjects(message?.["tool_calls"]).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "sunny" })),
      ],
    }),
  },
  "openai-responses": {
    send: createSender({
      body: {
        input: "?",
        include: ["reasoning.encrypted_content"],
        store: false,
        tools: [{ type: "function", name: "look", parameters: SCHEMA, strict: true }],
      },
      key: bearer,
      path: () => "/v1/responses",
    }),
    readContent: (body) => copyObjects(toObject(body)["output"]),
    continueWith: (items) => ({
      input: [
        { role: "user", content: "?" },
        ...items,
        ...items
          .filter(({ type }) => type === "function_call")
          .map((item) => ({ type: "function_call_output", call_id: item["call_id"], output: "sunny" })),
      ],
    }),
  },
  anthropic: {
    send: createSender({
      body: {
        max_tokens: 2000,
        thinking: { type: "adaptive" },
        messages: [{ role: "user", content: "?" }],
        tools: [{ name: "look", input_schema: SCHEMA }],
      },
      key: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
      path: () => "/v1/messages",
    }),
    readContent: (body) => copyObjects(toObject(body)["content"]),
    continueWith: (blocks) => ({
      messages: [
        { role: "user", content: "?" },
        { role: "assistant", content: blocks },
        {
          role: "user",
          content: blocks
            .filter(({ type }) => type === "tool_use")
            .map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "sunny" })),
        },
      ],
    }),
  },
  gemini: {
    send: createSender({
      body: {
        contents: [{ role: "user", parts: [{ text: "?" }] }],
        tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: SCHEMA }] }],
      },
      key: (apiKey) => ({ "x-goog-api-key": apiKey }),
      path: (model, isStream) =>
        `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
      isModelInPath: true,
    }),
    readContent: (body) => copyObjects(toObject(toObjects(toObject(body)["candidates"])[0]?.["content"])["parts"]),
    continueWith: (parts) => ({
      contents: [
        { role: "user", parts: [{ text: "?" }] },
        { role: "model", parts },
        {
          role: "user",
          parts: parts
            .map(({ functionCall: call }) => call)
            .filter(isJson)
            .map(responseTo),
        },
      ],
    }),
  },
};

function responseTo({ id, name }: Readonly<Body>): Body {
  return { functionResponse: { id, name, response: { output: "sunny" } } };
}
