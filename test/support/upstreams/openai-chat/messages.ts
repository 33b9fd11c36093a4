// Rules of Chat Completions for messages: roles, contents, calls with their results.
import type { Json } from "../rejection.ts";
import { toObjects, toString } from "../rejection.ts";
import type { IssuedSeals } from "../issued-seals.ts";
import { checkFields, checkLength, checkName, reject } from "../openai/failure.ts";

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: [],
  developer: [],
  user: [],
  assistant: ["tool_calls", "refusal", "audio", "function_call", "annotations"],
  tool: ["tool_call_id"],
};
const ROUTED = ["reasoning", "reasoning_details"];

/** Allowed fields by role. */
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
};

export function checkChatMessages(body: Json, secrets: IssuedSeals, isOwn: boolean): void {
  const messages = toObjects(body["messages"]);
  if (messages.length === 0) reject("Invalid 'messages': empty array.", { param: "messages", code: "empty_array" });
  messages.forEach((message, at) => {
    const path = `messages[${at}]`;
    const role = toString(message["role"]);
    const fields = FIELDS[role];
    if (fields === undefined) {
      reject(
        `Invalid value: '${role}'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.`,
        {
          param: `${path}.role`,
          code: "invalid_value",
        },
      );
    }
    checkFields(message, ["role", "content", "name", ...fields, ...(isOwn ? [] : ROUTED)], path);
    checkContent(message, role, path);
    for (const [index, call] of toObjects(message["tool_calls"]).entries())
      checkCall(call, `${path}.tool_calls[${index}]`);
    if (!isOwn) checkReasoning(message, secrets, path);
  });
  checkPairs(messages);
}

function checkContent(message: Json, role: string, path: string): void {
  const { content, tool_calls: calls } = message;
  const param = `${path}.content`;
  if (Array.isArray(calls) && calls.length === 0) reject(`Invalid '${path}.tool_calls': empty array.`);
  if (content === undefined || content === null) {
    const saysMore = Array.isArray(calls) || typeof message["refusal"] === "string";
    if (role === "assistant" && saysMore) return;
    reject(`Invalid value for 'content': expected a string, got null.`, { param });
  }
  if (typeof content === "string") return;
  const parts = toObjects(content);
  if (parts.length === 0) reject(`Invalid '${param}': empty array.`, { param, code: "empty_array" });
  for (const [index, { type }] of parts.entries()) {
    if (CONTENTS[role]?.includes(toString(type)) === true) continue;
    reject(`Invalid value: '${toString(type)}'.`, { param: `${param}[${index}].type`, code: "invalid_value" });
  }
}

const MAX_ID = 40;

function checkCall(call: Json, path: string): void {
  checkLength(call["id"], MAX_ID, `${path}.id`);
  const { type, function: functionCall, custom } = call;
  const { name, arguments: text } = toObjects([functionCall ?? custom])[0] ?? {};
  checkName(name, `${path}.function.name`);
  if (type === "function" && typeof text !== "string") {
    reject(`Invalid type for '${path}.function.arguments': expected a string.`, { code: "invalid_type" });
  }
}

/** Each call has one result before any other message, and there are no other results. */
function checkPairs(messages: readonly Json[]): void {
  let open: string[] = [];
  messages.forEach((message, at) => {
    const param = `messages.[${at}].role`;
    if (message["role"] === "tool") {
      const id = toString(message["tool_call_id"]);
      if (!open.includes(id)) {
        reject(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param },
        );
      }
      open = open.filter((each) => each !== id);
      return;
    }
    checkAnswered(open, param);
    open = toObjects(message["tool_calls"]).map(({ id }) => toString(id));
  });
  checkAnswered(open, `messages.[${messages.length}].role`);
}

function checkAnswered(open: readonly string[], param: string): void {
  if (open.length === 0) return;
  reject(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`,
    { param },
  );
}

/** A router passes reasoning on to the model's own provider, which looks at its seals. */
function checkReasoning(message: Json, secrets: IssuedSeals, path: string): void {
  const seals: string[] = [];
  for (const detail of toObjects(message["reasoning_details"])) {
    const { type, text, signature, data } = detail;
    // Many models do not sign: unsigned details are accepted, and this model ignores them.
    if (type === "reasoning.text" && signature === undefined) continue;
    const seal = toString(type === "reasoning.encrypted" ? data : signature);
    const isMine =
      type === "reasoning.encrypted"
        ? secrets.seals.includes(seal)
        : secrets.isSealOf(seal, `reasoning ${toString(text)}`);
    if (!isMine) reject(`Provider returned error: Invalid signature in '${path}.reasoning_details'.`);
    seals.push(seal);
  }
  if (seals.length > 0 && !secrets.answers.some((whole) => whole.join() === seals.join())) {
    reject(`Provider returned error: '${path}.reasoning_details' must be passed back as they were.`);
  }
}
