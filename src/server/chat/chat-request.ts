// Converts the body that `useChat` posts to a model request.
import { dialect } from "../../dialects/index.ts";
import type { Message, ModelRequest } from "../../model/index.ts";
import { system } from "../../model/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { json, list, object, openEnum, string } from "../../model/validation/shape.ts";
import { readBody, readSettings } from "../api/read-request.ts";
import { decodePayload } from "../api/decode-payload.ts";
import { ServerError } from "../errors.ts";
import { anyMetadata } from "../openapi/schemas.ts";
import type { ServerRequest, Services } from "../types.ts";

export const UI_DIALECT = dialect("ai-sdk-ui");

/** The shape of the body that `useChat` posts. Unknown fields are allowed, because applications add their own. */
export const CHAT_BODY = object(
  { id: string, messages: list(json) },
  {
    trigger: openEnum<"submit-message" | "regenerate-message">(),
    messageId: string,
    model: string,
    system: string,
    settings: anyMetadata,
  },
  { open: true },
);

export interface UseChatRequest {
  chatId: string;
  /** The model request; its `model` is undefined if the body has no model. */
  request: ModelRequest;
  /**
   * The id of the last message if that is an assistant message; otherwise undefined. If it is defined, the client has
   * executed the tool calls of the message, and the answer continues the message.
   */
  continuedMessageId: string | undefined;
}

export async function readChatRequest(request: ServerRequest, { config }: Services): Promise<UseChatRequest> {
  const body = await readBody(request, config.limits, CHAT_BODY);
  const { id: chatId, messages, model } = body;
  if (chatId === "")
    throw new ServerError("invalid-request", 'The chat has no id: set "id" to any text.', { path: "/id" });
  if (messages.length === 0) {
    throw new ServerError("invalid-request", 'The chat has no message to answer: add one to "messages".', {
      path: "/messages",
    });
  }
  const decoded = decodePayload("", () => UI_DIALECT.decodeMessages({ messages }));
  const modelRequest: ModelRequest = {
    ...readSettings(body.settings),
    messages: withInstructions(decoded, body.system),
  };
  if (model !== undefined) modelRequest.model = model;
  return { chatId, request: modelRequest, continuedMessageId: readAssistantId(messages.at(-1)) };
}

function readAssistantId(message: unknown): string | undefined {
  if (!isObject(message) || message["role"] !== "assistant") return undefined;
  return typeof message["id"] === "string" ? message["id"] : undefined;
}

function withInstructions(messages: Message[], instructions: string | undefined): Message[] {
  return instructions === undefined || instructions === "" ? messages : [system(instructions), ...messages];
}
