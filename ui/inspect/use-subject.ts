// Loads what the inspector shows (a conversation, a request or an answer) for the translation engine. It is passed on
// as text, because `JSON.parse` would round long numbers.
import type { StoredMessage } from "koine";
import { parseJson, stringifyJson } from "koine";
import { useEffect, useState } from "react";
import type { Api } from "../data/api.ts";
import { useApi } from "../data/hooks.ts";
import type { TranslationSource } from "../translate/types.ts";
import { buildRunResponse } from "./run-response.ts";
import type { MessageWindow } from "./inspected-calls.ts";

/** The subject that the inspector shows: the whole conversation, the request of a call, or the answer of a call. */
export type InspectSubject =
  | { type: "conversation" }
  | { type: "request"; runId: string; messageId: string }
  | { type: "answer"; runId: string; messageId: string };

export interface SubjectQuery {
  threadId: string;
  /** Ids of the branch, from its first message to its last. */
  path: readonly string[];
  /** Window of the messages to load; undefined to load all messages. */
  window?: MessageWindow | undefined;
  subject: InspectSubject;
}

export interface LoadedSubject {
  source?: TranslationSource;
  failure?: string;
}

export function useSubject({ threadId, path, window, subject }: SubjectQuery): LoadedSubject {
  const api = useApi();
  const [loaded, setLoaded] = useState<LoadedSubject & { key?: string }>({});
  // The key identifies what is loaded. For a conversation it contains the leaf, because the conversation grows; for a
  // call it does not, because the request and answer of a call never change.
  const leaf = path.at(-1);
  const key = JSON.stringify(subject.type === "conversation" ? [threadId, leaf, window] : [threadId, subject]);
  useEffect(() => {
    if (leaf === undefined) return undefined;
    const control = new AbortController();
    loadSubject(api, { threadId, path, window, subject }, control.signal).then(
      (source) => setLoaded({ key, source }),
      (error: unknown) => control.signal.aborted || setLoaded({ key, failure: toErrorMessage(error) }),
    );
    return () => control.abort();
    // The effect depends on `key`, which identifies all values that the effect reads.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [api, key]);
  return loaded.key === key ? loaded : {};
}

function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function loadSubject(api: Api, query: SubjectQuery, signal: AbortSignal): Promise<TranslationSource> {
  const { subject, threadId } = query;
  if (subject.type === "request") {
    const reply = await api.open(`/v1/runs/${encodeURIComponent(subject.runId)}/request`, { signal });
    return { content: await reply.text(), field: "request", from: "koine", kind: "request" };
  }
  const path = `/v1/threads/${encodeURIComponent(threadId)}/messages`;
  if (subject.type === "conversation") return loadConversation(api, path, query, signal);
  const reply = await api.open(path, { query: { branch: subject.messageId, limit: MAX_RUN_MESSAGES }, signal });
  // The cast is not checked, because the server, which is released together with the page, returns a list of messages
  // here.
  const { messages } = parseJson(await reply.text()) as unknown as { messages: StoredMessage[] };
  const answer = buildRunResponse(messages, subject.runId);
  if (answer !== undefined) return { content: stringifyJson(answer), from: "koine", kind: "response" };
  const runMessages = messages.filter(({ metadata }) => metadata.runId === subject.runId);
  return { content: stringifyJson(runMessages), from: "koine", kind: "messages" };
}

/**
 * Loads a branch, or the window and the leading messages of the branch. The leading messages are read separately, as a
 * branch that ends with the last of them.
 */
async function loadConversation(
  api: Api,
  messagesPath: string,
  { path, window }: SubjectQuery,
  signal: AbortSignal,
): Promise<TranslationSource> {
  const leaf = path.at(-1) ?? "";
  const read = async (branch: string, limit: number | undefined): Promise<string> => {
    const reply = await api.open(messagesPath, { query: { branch, ...(limit !== undefined && { limit }) }, signal });
    return reply.text();
  };
  if (window === undefined || window.leadCount === 0) {
    const content = await read(leaf, window === undefined || window.from === 0 ? undefined : path.length - window.from);
    return { content, field: "messages", from: "koine", kind: "messages" };
  }
  const parts = [
    await read(path[window.leadCount - 1] ?? "", window.leadCount),
    await read(leaf, path.length - window.from),
  ];
  // The cast is not checked, because the server, which is released together with the page, returns a list of messages
  // here.
  const messages = parts.flatMap((part) => (parseJson(part) as unknown as { messages: StoredMessage[] }).messages);
  return { content: stringifyJson(messages), from: "koine", kind: "messages" };
}

/** Number of messages that are read, back from the last message of a run, to find all messages of the run. */
const MAX_RUN_MESSAGES = 50;
