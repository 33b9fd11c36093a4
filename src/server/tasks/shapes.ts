// Defines the shapes of the bodies and replies of task routes, for the OpenAPI document.
import {
  boolean,
  count,
  dictionary,
  either,
  json,
  list,
  nullable,
  number,
  object,
  string,
  oneOf,
} from "../../model/validation/shape.ts";

const anyObject = dictionary(json);

/** The shape of a posted message: a text, or a message in OpenAI's chat format. */
const inputMessage = either(string, anyObject);
const call = object({ id: string, type: string }, {}, { open: true });
const message = object(
  { role: oneOf("system", "user", "assistant", "tool"), content: either(string, list(anyObject)) },
  { tool_calls: list(call), tool_call_id: string },
);
export const pendingMessage = object({ id: string, message }, { task: string });
const MODES = oneOf("steer", "follow-up");
const queued = object({ id: string, message, mode: MODES }, {});
const failure = object({ code: string, message: string }, { status: number, retryable: boolean });

export const postedMessage = object({ id: string, queued: boolean }, { ignored: list(string) });
const task = object(
  {
    id: string,
    name: nullable(string),
    model: string,
    state: oneOf("idle", "running", "waiting", "failed", "cancelled"),
    created_at: string,
    updated_at: string,
    usage: nullable(
      object({ input_tokens: count, output_tokens: count, total_tokens: count }, { cost: number }, { open: true }),
    ),
    queued_messages: list(queued),
    pending_tool_calls: list(call),
  },
  { approval: oneOf("ask"), error: failure },
);

export const newTask = object(
  {},
  { message: inputMessage, model: string, name: string, approval: oneOf("ask", "never") },
  { open: true },
);
export const newMessage = object({ message: inputMessage }, { mode: MODES }, { open: true });
export const decision = object({ toolCallId: string, approve: boolean }, { reason: string }, { open: true });

export const createdTask = object({ task }, { message: postedMessage, ignored: list(string) });
export const shownTask = object({ task }, {});
export const taskList = object({ tasks: list(task), next: nullable(string) }, {});
export const cancelled = object({ pending_messages: list(pendingMessage) }, {});
export const decided = object({ toolCallId: string, approve: boolean }, { reason: string });
