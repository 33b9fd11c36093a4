// What `useChat` posts, as a request: the UI messages of a chat, and what an application says beside them.
import { dialect } from "../../dialects/index.ts";
import type { Message, ModelRequest } from "../../model/index.ts";
import { system } from "../../model/index.ts";
import { isObject } from "../../model/kind.ts";
import { json, list, object, openWords, string } from "../../model/shape.ts";
import { readBody, readSettings } from "../api/reading.ts";
import { within } from "../api/within.ts";
import { ServerError } from "../errors.ts";
import { facts } from "../openapi/schemas.ts";
import type { ServerRequest, Services } from "../types.ts";

export const UI = dialect("ai-sdk-ui");

/** Applications add fields of their own, which mean something to their own servers only. */
export const CHAT_BODY = object(
  { id: string, messages: list(json) },
  {
    trigger: openWords<"submit-message" | "regenerate-message">(),
    messageId: string,
    model: string,
    system: string,
    settings: facts,
  },
  { open: true },
);

export interface ChatQuestion {
  chatId: string;
  /** The model as it was named, if it was. */
  request: ModelRequest;
  /** The message that the answer goes on with: an assistant's, whose tools the client has run. */
  continues: string | undefined;
}

export async function readQuestion(request: ServerRequest, { config }: Services): Promise<ChatQuestion> {
  const body = await readBody(request, config.limits, CHAT_BODY);
  const { id: chatId, messages, model } = body;
  if (chatId === "") throw new ServerError("invalid-request", "The chat needs an id.", { path: "/id" });
  if (messages.length === 0) {
    throw new ServerError("invalid-request", "There is no message to answer.", { path: "/messages" });
  }
  const said = within("", () => UI.decodeMessages({ messages }));
  const asked: ModelRequest = { ...readSettings(body.settings), messages: instructed(said, body.system) };
  if (model !== undefined) asked.model = model;
  return { chatId, request: asked, continues: assistantId(messages.at(-1)) };
}

function assistantId(message: unknown): string | undefined {
  if (!isObject(message) || message["role"] !== "assistant") return undefined;
  return typeof message["id"] === "string" ? message["id"] : undefined;
}

function instructed(messages: Message[], instructions: string | undefined): Message[] {
  return instructions === undefined || instructions === "" ? messages : [system(instructions), ...messages];
}
