// What is looked at, as the engine reads it: fetched as text, so that no digit is lost on the way.
import type { StoredMessage } from "koine";
import { parseJson, stringifyJson } from "koine";
import { useEffect, useState } from "react";
import type { Api } from "../data/api.ts";
import { useApi } from "../data/hooks.ts";
import type { Source } from "../translate/types.ts";
import { answerOf } from "./answer.ts";
import type { Window } from "./turns.ts";

/** A conversation, what a call asked, or what it answered. */
export type Subject =
  | { type: "conversation" }
  | { type: "request"; runId: string; messageId: string }
  | { type: "answer"; runId: string; messageId: string };

export interface SubjectQuery {
  threadId: string;
  /** The branch: ids from its first message to its last. */
  path: readonly string[];
  /** Which of its messages; all of them where it is not said. */
  window?: Window | undefined;
  subject: Subject;
}

export interface LoadedSubject {
  source?: Source;
  failure?: string;
}

export function useSubject({ threadId, path, window, subject }: SubjectQuery): LoadedSubject {
  const api = useApi();
  const [loaded, setLoaded] = useState<LoadedSubject & { key?: string }>({});
  // What a call asked and answered does not change with the conversation.
  const leaf = path.at(-1);
  const key = JSON.stringify(subject.type === "conversation" ? [threadId, leaf, window] : [threadId, subject]);
  useEffect(() => {
    if (leaf === undefined) return undefined;
    const control = new AbortController();
    load(api, { threadId, path, window, subject }, control.signal).then(
      (source) => setLoaded({ key, source }),
      (error: unknown) => control.signal.aborted || setLoaded({ key, failure: wordsOf(error) }),
    );
    return () => control.abort();
    // The key says everything that is asked for.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [api, key]);
  return loaded.key === key ? loaded : {};
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function load(api: Api, query: SubjectQuery, signal: AbortSignal): Promise<Source> {
  const { subject, threadId } = query;
  if (subject.type === "request") {
    const reply = await api.open(`/v1/runs/${encodeURIComponent(subject.runId)}/request`, { signal });
    return { content: await reply.text(), field: "request", from: "koine", kind: "request" };
  }
  const path = `/v1/threads/${encodeURIComponent(threadId)}/messages`;
  if (subject.type === "conversation") return loadConversation(api, path, query, signal);
  const reply = await api.open(path, { query: { branch: subject.messageId, limit: STEPS }, signal });
  // As the server writes them.
  const { messages } = parseJson(await reply.text()) as unknown as { messages: StoredMessage[] };
  const answer = answerOf(messages, subject.runId);
  if (answer !== undefined) return { content: stringifyJson(answer), from: "koine", kind: "response" };
  const said = messages.filter(({ metadata }) => metadata.runId === subject.runId);
  return { content: stringifyJson(said), from: "koine", kind: "messages" };
}

/** A branch, or a window of it: its first messages are the last of a branch that ends there. */
async function loadConversation(
  api: Api,
  address: string,
  { path, window }: SubjectQuery,
  signal: AbortSignal,
): Promise<Source> {
  const leaf = path.at(-1) ?? "";
  const read = async (branch: string, limit: number | undefined): Promise<string> => {
    const reply = await api.open(address, { query: { branch, ...(limit !== undefined && { limit }) }, signal });
    return reply.text();
  };
  if (window === undefined || window.lead === 0) {
    const content = await read(leaf, window === undefined || window.from === 0 ? undefined : path.length - window.from);
    return { content, field: "messages", from: "koine", kind: "messages" };
  }
  const parts = [await read(path[window.lead - 1] ?? "", window.lead), await read(leaf, path.length - window.from)];
  // As the server writes them.
  const messages = parts.flatMap((part) => (parseJson(part) as unknown as { messages: StoredMessage[] }).messages);
  return { content: stringifyJson(messages), from: "koine", kind: "messages" };
}

/** More messages than a call says. */
const STEPS = 50;
