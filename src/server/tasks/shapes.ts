// What the routes of tasks take and give, as the OpenAPI document shows it.
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
  words,
} from "../../model/shape.ts";

const anything = dictionary(json);

/** A text, or a message in OpenAI's chat shape. */
const saying = either(string, anything);
const call = object({ id: string, type: string }, {}, { open: true });
const message = object(
  { role: words("system", "user", "assistant", "tool"), content: either(string, list(anything)) },
  { tool_calls: list(call), tool_call_id: string },
);
export const waiting = object({ id: string, message }, { task: string });
const MODES = words("steer", "follow-up");
const queued = object({ id: string, message, mode: MODES }, {});
const failure = object({ code: string, message: string }, { status: number, retryable: boolean });

export const said = object({ id: string, queued: boolean }, { ignored: list(string) });
const task = object(
  {
    id: string,
    name: nullable(string),
    model: string,
    state: words("idle", "running", "waiting", "failed", "cancelled"),
    created_at: string,
    updated_at: string,
    usage: nullable(
      object({ input_tokens: count, output_tokens: count, total_tokens: count }, { cost: number }, { open: true }),
    ),
    queued_messages: list(queued),
    pending_tool_calls: list(call),
  },
  { approval: words("ask"), error: failure },
);

export const newTask = object(
  {},
  { message: saying, model: string, name: string, approval: words("ask", "never") },
  { open: true },
);
export const newMessage = object({ message: saying }, { mode: MODES }, { open: true });
export const decision = object({ toolCallId: string, approve: boolean }, { reason: string }, { open: true });

export const taskMade = object({ task }, { message: said, ignored: list(string) });
export const taskShown = object({ task }, {});
export const taskList = object({ tasks: list(task), next: nullable(string) }, {});
export const cancelled = object({ pending_messages: list(waiting) }, {});
export const decided = object({ toolCallId: string, approve: boolean }, { reason: string });
