// A chat page without a browser: the AI SDK's chat, which posts to Koine, and a model whose timing the test controls.
import type { ChatInit, ChatState, ChatStatus, UIMessage } from "ai";
import { AbstractChat, DefaultChatTransport } from "ai";
import type { LocalProvider } from "../../../src/client/index.ts";
import type { Delta, ModelRequest } from "../../../src/model/index.ts";
import type { Api } from "../api/support.ts";

class State implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined = undefined;
  messages: UIMessage[];

  constructor(messages: UIMessage[]) {
    this.messages = messages;
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
  };
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

export interface PageInit extends Omit<ChatInit<UIMessage>, "id" | "transport"> {
  /** Extra fields of the application. */
  body?: object;
  /** Changes a message before it is sent. */
  sends?: (message: UIMessage) => UIMessage;
}

/** The state that `useChat` wraps. */
export class Page extends AbstractChat<UIMessage> {
  constructor(url: string, id: string, init: PageInit = {}) {
    const { messages = [], body = {}, sends = (message) => message, ...rest } = init;
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${url}/v1/chat`,
      body,
      prepareSendMessagesRequest: ({ id: chatId, messages: all, body: own, trigger, messageId }) => ({
        body: { ...own, id: chatId, messages: all.map(sends), trigger, messageId },
      }),
    });
    super({ transport, ...rest, id, state: new State(messages) });
  }

  /** The texts of all messages. */
  get texts(): string[] {
    return this.messages.map(textOf);
  }
}

/** The initial messages of a page. */
export async function loadedBy(api: Pick<Api, "get">, chatId: string): Promise<UIMessage[]> {
  const { text } = await api.get(`/v1/chat/${chatId}`);
  // The chat accepts them unchanged.
  return (JSON.parse(text) as { messages: UIMessage[] }).messages;
}

export function textOf({ parts }: Pick<UIMessage, "parts">): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export type Scripted = (request: ModelRequest) => readonly (Delta | Promise<unknown>)[];

/** A model whose answer a script computes from the request; a promise among the deltas is awaited. */
export class ScriptedModel implements LocalProvider {
  readonly requests: ModelRequest[] = [];
  readonly signals: AbortSignal[] = [];
  readonly models = ["m"];
  script: Scripted;

  constructor(script: Scripted) {
    this.script = script;
  }

  async *answer(request: ModelRequest, { signal }: { signal: AbortSignal }): AsyncIterable<Delta> {
    this.requests.push(request);
    this.signals.push(signal);
    yield { kind: "start", payload: { modelId: "m", requestId: `r${this.requests.length}` } };
    for (const step of this.script(request)) {
      if (step instanceof Promise) await step;
      else yield step;
    }
  }
}

export const textDelta = (textDelta: string): Delta => ({ kind: "text", payload: { textDelta } });
export const DONE: Delta = { kind: "done", payload: { finishReason: "stop" } };
export const CALL: readonly Delta[] = [
  { kind: "tool_call_start", payload: { toolCallId: "call_1", toolName: "weather" } },
  { kind: "tool_call_args", payload: { toolCallId: "call_1", argsTextDelta: '{"city":"Corinth"}' } },
  { kind: "tool_call_end", payload: { toolCallId: "call_1" } },
  { kind: "done", payload: { finishReason: "tool-calls" } },
];
