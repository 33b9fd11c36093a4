// Converts ledger events to task events. Task events depend only on stored data, so that every client receives the same
// events with the same ids, from any instance and after a restart.
import type { LedgerEvent } from "../../ledger/index.ts";
import type { Message, StoredMessage, ToolCallPart, ToolResultPart } from "../../model/index.ts";
import { decodeEntry, type TaskEntry, type PendingMessage } from "./journal-entries.ts";
import { encodeCall, encodeMessage, encodeUsage, contentText, type TaskWireMessage } from "./wire-message.ts";

export type TaskEvent = { msg: string } & Record<string, unknown>;

/** A task event and the id of the event, after which a client can resume the stream. */
export interface TaskEventRecord {
  id: string;
  event: TaskEvent;
}

/** The tool calls that a tool message answers, by tool call id. */
export type ToolCallsById = ReadonlyMap<string, ToolCallPart>;

export function collectToolCalls({ parts }: Pick<Message, "parts">): Map<string, ToolCallPart> {
  return new Map(parts.flatMap((part) => (part.type === "tool-call" ? [[part.toolCallId, part]] : [])));
}

/** Returns the task events of one ledger event; `calls` are the tool calls that a tool message answers. */
export function toTaskEvents(ledgerEvent: LedgerEvent, calls: ToolCallsById): TaskEventRecord[] {
  const events = eventsOfLedgerEvent(ledgerEvent, calls);
  // The last of these events has the cursor of the ledger event as its id, because a client that resumes after it has
  // received the whole ledger event. The ids of the earlier ones also contain their index.
  return events.map((event, index) => ({ id: createEventId(ledgerEvent.cursor, index, events.length), event }));
}

function createEventId(cursor: string, index: number, count: number): string {
  return index === count - 1 ? cursor : `${cursor}-${index}`;
}

/**
 * Parses an event id that a client sent. `seen` is the number of events of the message at `cursor` that the client has
 * received; it is undefined if the client has received all of them.
 */
export function parseEventId(id: string): { cursor: string; seen?: number } {
  const [, cursor, index] = /^(.*)-(\d{1,6})$/.exec(id) ?? [];
  return cursor === undefined ? { cursor: id } : { cursor, seen: Number(index) + 1 };
}

function eventsOfLedgerEvent(ledgerEvent: LedgerEvent, calls: ToolCallsById): TaskEvent[] {
  switch (ledgerEvent.type) {
    case "delta": {
      const { kind, payload } = ledgerEvent.delta;
      return [{ msg: "Delta", run_id: ledgerEvent.runId, delta: { kind, payload } }];
    }
    case "message":
      return toMessageEvents(ledgerEvent.message, calls);
    case "entry": {
      const entry = decodeEntry(ledgerEvent.entry);
      const event = entry === undefined ? undefined : toEntryEvent(entry);
      return event === undefined ? [] : [event];
    }
    case "run":
      return [];
  }
}

function toMessageEvents(message: StoredMessage, calls: ToolCallsById): TaskEvent[] {
  // An interrupted message is not part of the conversation that clients see, so it has no events.
  if (message.metadata.interrupted === true) return [];
  const added = encodeMessage(message).map((wire): TaskEvent => ({ msg: "MessageAdded", message: wire }));
  if (message.role === "assistant") return [...added, createCompletedEvent(message)];
  if (message.role !== "tool") return added;
  const results = new Map(
    message.parts.flatMap((part) => (part.type === "tool-result" ? [[part.toolCallId, part]] : [])),
  );
  return added.flatMap((event) => {
    // The cast is safe: all events of `added` contain a wire message.
    const wire = event["message"] as TaskWireMessage;
    const result = results.get(wire.tool_call_id ?? "");
    return result === undefined ? [event] : [createToolEndEvent(result, wire, calls), event];
  });
}

function createCompletedEvent(message: StoredMessage): TaskEvent {
  const [wire] = encodeMessage(message);
  const { usage } = message.metadata;
  return {
    msg: "RequestCompleted",
    usage: usage === undefined ? null : [encodeUsage(usage)],
    message: {
      role: "assistant",
      content: wire === undefined ? "" : contentText(wire.content),
      tool_calls: wire?.tool_calls ?? [],
    },
  };
}

function createToolEndEvent(result: ToolResultPart, wire: TaskWireMessage, calls: ToolCallsById): TaskEvent {
  const { toolCallId, toolName, isError, output } = result;
  const call = calls.get(toolCallId) ?? { type: "tool-call", toolCallId, toolName, input: {} };
  const text = contentText(wire.content);
  return {
    msg: "PostToolCall",
    tool_call: encodeCall(call),
    name: call.toolName,
    text,
    ...(isError ? { error: text } : { result: output ?? text }),
  };
}

function toEntryEvent(entry: TaskEntry): TaskEvent | undefined {
  switch (entry.type) {
    case "began":
      return { msg: "PreConversation" };
    case "ended":
      return { msg: "PostConversation", reason: entry.reason };
    case "queued":
      return { msg: "MessageQueued", ...encodePendingMessage(entry), mode: entry.mode };
    case "unqueued":
      return { msg: "MessageUnqueued", id: entry.id, said: entry.said };
    case "calling":
      return { msg: "PreToolCall", tool_call: entry.call, ...(entry.approval === true && { approval: "ask" }) };
    case "decided": {
      const { toolCallId, approve, reason } = entry;
      return { msg: "ToolCallDecided", tool_call_id: toolCallId, approve, ...(reason !== undefined && { reason }) };
    }
    case "cancelled":
      return { msg: "Cancelled", pending_messages: entry.pending.map(encodePendingMessage) };
    case "failed":
      return { msg: "Failed", error: entry.error };
    case "cancel":
      return undefined;
  }
}

/** Encodes a queued message for clients. */
export function encodePendingMessage({ id, message }: PendingMessage): { id: string; message: TaskWireMessage } {
  const [wire = { role: "user", content: "" }] = encodeMessage(message);
  return { id, message: wire };
}
