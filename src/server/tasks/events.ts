// What happens to a task, as its readers are told: derived from the thread's durable history alone, so that every reader
// is told the same, with the same ids, on any instance and after any restart.
import type { LedgerEvent } from "../../ledger/index.ts";
import type { Message, StoredMessage, ToolCallPart, ToolResultPart } from "../../model/index.ts";
import { decodeEntry, type TaskEntry, type PendingMessage } from "./entries.ts";
import { encodeCall, encodeMessage, encodeUsage, flatten, type WireMessage } from "./wire.ts";

export type TaskEvent = { msg: string } & Record<string, unknown>;

/** An event, and the id that its reader resumes after. */
export interface TaskEventRecord {
  id: string;
  event: TaskEvent;
}

/** The calls that a tool message answers, by id. */
export type Calls = ReadonlyMap<string, ToolCallPart>;

export function callsIn({ parts }: Pick<Message, "parts">): Map<string, ToolCallPart> {
  return new Map(parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part]] : [])));
}

/** The events of one thing that happened; `calls` are those of the message before, where it is a tool's. */
export function eventsOf(happened: LedgerEvent, calls: Calls): TaskEventRecord[] {
  const events = contentOf(happened, calls);
  // The last one has the cursor itself, after which the ledger resumes.
  return events.map((event, index) => ({ id: idOf(happened.cursor, index, events.length), event }));
}

function idOf(cursor: string, index: number, count: number): string {
  return index === count - 1 ? cursor : `${cursor}-${index}`;
}

/** An id as a client gives it back. `seen`: how many events of the message that the cursor names were told. */
export function parseId(id: string): { cursor: string; seen?: number } {
  const [, cursor, index] = /^(.*)-(\d{1,6})$/.exec(id) ?? [];
  return cursor === undefined ? { cursor: id } : { cursor, seen: Number(index) + 1 };
}

function contentOf(happened: LedgerEvent, calls: Calls): TaskEvent[] {
  switch (happened.type) {
    case "delta": {
      const { kind, payload } = happened.delta;
      return [{ msg: "Delta", run_id: happened.runId, delta: { kind, payload } }];
    }
    case "message":
      return messageEvents(happened.message, calls);
    case "entry": {
      const entry = decodeEntry(happened.entry);
      const event = entry === undefined ? undefined : entryEvent(entry);
      return event === undefined ? [] : [event];
    }
    case "run":
      return [];
  }
}

function messageEvents(message: StoredMessage, calls: Calls): TaskEvent[] {
  // What was broken off stands beside the conversation, and is no part of it.
  if (message.metadata.interrupted === true) return [];
  const added = encodeMessage(message).map((wire): TaskEvent => ({ msg: "MessageAdded", message: wire }));
  if (message.role === "assistant") return [...added, completed(message)];
  if (message.role !== "tool") return added;
  const results = new Map(
    message.parts.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, part]] : [])),
  );
  return added.flatMap((event) => {
    // As it was made above.
    const wire = event["message"] as WireMessage;
    const result = results.get(wire.tool_call_id ?? "");
    return result === undefined ? [event] : [called(result, wire, calls), event];
  });
}

function completed(message: StoredMessage): TaskEvent {
  const [wire] = encodeMessage(message);
  const { usage } = message.metadata;
  return {
    msg: "RequestCompleted",
    usage: usage === undefined ? null : [encodeUsage(usage)],
    message: {
      role: "assistant",
      content: wire === undefined ? "" : flatten(wire.content),
      tool_calls: wire?.tool_calls ?? [],
    },
  };
}

function called(result: ToolResultPart, wire: WireMessage, calls: Calls): TaskEvent {
  const { toolCallId, toolName, isError, output } = result;
  const call = calls.get(toolCallId) ?? { type: "tool-call", toolCallId, toolName, input: {} };
  const text = flatten(wire.content);
  return {
    msg: "PostToolCall",
    tool_call: encodeCall(call),
    name: call.toolName,
    text,
    ...(isError ? { error: text } : { result: output ?? text }),
  };
}

function entryEvent(entry: TaskEntry): TaskEvent | undefined {
  switch (entry.type) {
    case "began":
      return { msg: "PreConversation" };
    case "ended":
      return { msg: "PostConversation", reason: entry.reason };
    case "queued":
      return { msg: "MessageQueued", ...encodeWaiting(entry), mode: entry.mode };
    case "unqueued":
      return { msg: "MessageUnqueued", id: entry.id, said: entry.said };
    case "calling":
      return { msg: "PreToolCall", tool_call: entry.call, ...(entry.approval === true && { approval: "ask" }) };
    case "decided": {
      const { toolCallId, approve, reason } = entry;
      return { msg: "ToolCallDecided", tool_call_id: toolCallId, approve, ...(reason !== undefined && { reason }) };
    }
    case "cancelled":
      return { msg: "Cancelled", pending_messages: entry.pending.map(encodeWaiting) };
    case "failed":
      return { msg: "Failed", error: entry.error };
    case "cancel":
      return undefined;
  }
}

/** A message that waits, as clients see it. */
export function encodeWaiting({ id, message }: PendingMessage): { id: string; message: WireMessage } {
  const [wire = { role: "user", content: "" }] = encodeMessage(message);
  return { id, message: wire };
}
