// A request of each dialect that is fine, written by hand, and how a conversation goes on from its answer.
import { isJson, toObject, toObjects } from "./rejection.ts";
import type { Upstream, UpstreamDialect } from "./index.ts";

export type Body = Record<string, unknown>;

export interface ValidRequest {
  /** Sends the request, with changes to its body or headers; undefined takes a field away. */
  send: (upstream: Upstream, change?: Body, isStream?: boolean, headers?: Record<string, string>) => Promise<Response>;
  /** What an answer says: its blocks, items or parts; for Chat its message alone. */
  said: (body: unknown) => Body[];
  /** The change that sends the answer back with results for its two calls. */
  goOn: (said: readonly Body[]) => Body;
}

const SCHEMA = {
  type: "object",
  properties: { at: { type: "string" } },
  required: ["at"],
  additionalProperties: false,
};
const bearer = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` });

interface Manner {
  body: Body;
  key: (apiKey: string) => Record<string, string>;
  path: (model: string, isStream: boolean) => string;
  isModelInPath?: boolean;
}

function sending({ body, key, path, isModelInPath = false }: Manner): ValidRequest["send"] {
  return ({ url, apiKey, model }, change = {}, stream = false, headers = {}) => {
    const asked = typeof change["model"] === "string" ? change["model"] : model;
    const address = isModelInPath ? {} : { model: asked, ...(stream && { stream }) };
    const { model: _, ...rest } = change;
    const all = Object.entries({ "content-type": "application/json", ...key(apiKey), ...headers });
    return fetch(url + path(asked, stream), {
      method: "POST",
      headers: Object.fromEntries(all.filter(([, value]) => value !== "")),
      body: JSON.stringify({ ...address, ...body, ...rest }),
    });
  };
}

function bodies(value: unknown): Body[] {
  return toObjects(value).map((each) => ({ ...each }));
}

export const VALID_REQUESTS: Readonly<Record<UpstreamDialect, ValidRequest>> = {
  "openai-chat": {
    send: sending({
      body: {
        messages: [{ role: "user", content: "?" }],
        tools: [{ type: "function", function: { name: "look", parameters: SCHEMA } }],
      },
      key: bearer,
      path: () => "/v1/chat/completions",
    }),
    said(body) {
      const { annotations: _, ...message } = toObject(toObjects(toObject(body)["choices"])[0]?.["message"]);
      return [message];
    },
    goOn: ([message]) => ({
      messages: [
        { role: "user", content: "?" },
        message,
        ...toObjects(message?.["tool_calls"]).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "sunny" })),
      ],
    }),
  },
  "openai-responses": {
    send: sending({
      body: {
        input: "?",
        include: ["reasoning.encrypted_content"],
        store: false,
        tools: [{ type: "function", name: "look", parameters: SCHEMA, strict: true }],
      },
      key: bearer,
      path: () => "/v1/responses",
    }),
    said: (body) => bodies(toObject(body)["output"]),
    goOn: (items) => ({
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
    send: sending({
      body: {
        max_tokens: 2000,
        thinking: { type: "adaptive" },
        messages: [{ role: "user", content: "?" }],
        tools: [{ name: "look", input_schema: SCHEMA }],
      },
      key: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
      path: () => "/v1/messages",
    }),
    said: (body) => bodies(toObject(body)["content"]),
    goOn: (blocks) => ({
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
    send: sending({
      body: {
        contents: [{ role: "user", parts: [{ text: "?" }] }],
        tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: SCHEMA }] }],
      },
      key: (apiKey) => ({ "x-goog-api-key": apiKey }),
      path: (model, isStream) =>
        `/v1beta/models/${model}:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
      isModelInPath: true,
    }),
    said: (body) => bodies(toObject(toObjects(toObject(body)["candidates"])[0]?.["content"])["parts"]),
    goOn: (parts) => ({
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
