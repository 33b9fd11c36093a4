// What Anthropic demands of the messages of a request: turns, blocks, calls with their results, signed thinking.
import { refuse } from "./failure.ts";
import { thinkingOf } from "./settings.ts";
import type { Json } from "../refusal.ts";
import { isJson, json, list, string, unknownField } from "../refusal.ts";
import type { Secrets } from "../secrets.ts";

/** The blocks of each role, and their fields. */
const USER: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control", "citations"],
  image: ["source", "cache_control"],
  document: ["source", "title", "context", "citations", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
};
const ASSISTANT: typeof USER = {
  text: ["text", "cache_control", "citations"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  tool_use: ["id", "name", "input", "cache_control", "caller"],
};

export function checkMessages(body: Json, model: string, secrets: Secrets): void {
  const messages = list(body["messages"]);
  if (messages.length === 0) refuse("messages: at least one message is required");
  let last = "";
  messages.forEach((message, at) => {
    const role = string(message["role"]);
    if (role !== "user" && role !== "assistant") refuse(`messages: Unexpected role "${role}".`);
    if (at === 0 && role !== "user") refuse('messages: first message must use the "user" role');
    if (role === last) {
      refuse(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      );
    }
    last = role;
    checkContent(message, at, at === messages.length - 1);
    for (const [index, block] of blocksOf(message).entries())
      checkBlock(block, role, `messages.${at}.content.${index}`);
  });
  if (last === "assistant" && model === "claude-opus-4-6") {
    refuse("This model does not support assistant message prefill. The conversation must end with a user message.");
  }
  checkPairs(messages);
  checkSeals(messages, secrets);
  if (thinkingOf(body) === "enabled") checkBeginning(messages);
}

function blocksOf({ content }: Json): readonly Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : list(content);
}

function checkContent(message: Json, at: number, isLast: boolean): void {
  const unknown = unknownField(message, ["role", "content"]);
  if (unknown !== undefined) refuse(`messages.${at}.${unknown}: Extra inputs are not permitted`);
  const blocks = blocksOf(message);
  if (blocks.length === 0 && !(isLast && message["role"] === "assistant")) {
    refuse(`messages.${at}: all messages must have non-empty content except for the optional final assistant message`);
  }
  const end = blocks.at(-1);
  if (isLast && message["role"] === "assistant" && /\s$/.test(string(end?.["text"]))) {
    refuse("messages: final assistant content cannot end with trailing whitespace");
  }
}

function checkBlock(block: Json, role: string, path: string): void {
  const type = string(block["type"]);
  const kinds = role === "user" ? USER : ASSISTANT;
  const fields = kinds[type];
  if (fields === undefined) {
    refuse(`${path}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
  }
  const unknown = unknownField(block, ["type", ...fields]);
  if (unknown !== undefined) refuse(`${path}.${type}.${unknown}: Extra inputs are not permitted`);
  if ("cache_control" in block && !isJson(block["cache_control"])) refuse(`${path}.${type}.cache_control: must be set`);
  if (type === "text") {
    if (string(block["text"]) === "") refuse("messages: text content blocks must be non-empty");
    if (string(block["text"]).trim() === "") refuse("messages: text content blocks must contain non-whitespace text");
  }
  if (type === "tool_use") {
    if (!/^[a-zA-Z0-9_-]+$/.test(string(block["id"]))) {
      refuse(`${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    }
    if (!isJson(block["input"])) refuse(`${path}.tool_use.input: Input should be a valid dictionary`);
  }
  if (type === "tool_result") checkResult(block, path);
}

function checkResult({ content }: Json, path: string): void {
  if (content === undefined || typeof content === "string") return;
  for (const [index, part] of list(content).entries()) {
    const type = string(part["type"]);
    const where = `${path}.tool_result.content.${index}`;
    if (!["text", "image", "document", "search_result"].includes(type)) {
      refuse(`${where}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
    }
    if (type === "text" && string(part["text"]) === "") refuse(`${where}: text content blocks must be non-empty`);
  }
}

/** Every call is answered in the next message, once, before anything else is said there; nothing else is answered. */
function checkPairs(messages: readonly Json[]): void {
  const seen = new Set<string>();
  messages.forEach((message, at) => {
    const before = at === 0 ? [] : callsOf(messages[at - 1]);
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => string(block["tool_use_id"]));
    results.forEach((id, index) => {
      if (!before.includes(id)) {
        refuse(`messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}.`);
      }
      if (results.indexOf(id) !== index) refuse(`each tool_use must have a single result. Found multiple for ${id}`);
    });
    const unanswered = before.filter((id) => !results.includes(id));
    if (unanswered.length > 0) {
      refuse(
        `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(", ")}.`,
      );
    }
    const late = blocks.findLastIndex(({ type }) => type === "tool_result") !== results.length - 1;
    if (late) refuse(`messages.${at}: \`tool_result\` blocks must come first in the content`);
    for (const id of callsOf(message)) {
      if (seen.has(id)) refuse("messages: `tool_use` ids must be unique");
      seen.add(id);
    }
  });
  const open = callsOf(messages.at(-1));
  if (open.length > 0) {
    refuse(`\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}.`);
  }
}

function callsOf(message: Json | undefined): string[] {
  const blocks = blocksOf(json(message)).filter(({ type }) => type === "tool_use");
  return blocks.map((block) => string(block["id"]));
}

function sealOf({ type, signature, data }: Json): string | undefined {
  return type === "thinking" ? string(signature) : type === "redacted_thinking" ? string(data) : undefined;
}

/** Signatures belong to their texts, and the last turn holds all the thoughts of an answer, in order, or none. */
function checkSeals(messages: readonly Json[], secrets: Secrets): void {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  messages.forEach((message, at) => {
    const seals: string[] = [];
    for (const [index, block] of blocksOf(message).entries()) {
      const seal = sealOf(block);
      if (seal === undefined) continue;
      const path = `messages.${at}.content.${index}`;
      const type = string(block["type"]);
      if (type === "thinking" && seal === "") refuse(`${path}.thinking.signature: Field required`);
      const content = type === "thinking" ? `thinking ${string(block["thinking"])}` : "redacted";
      const isMine = type === "thinking" ? secrets.isSealOf(seal, content) : secrets.seals.includes(seal);
      const what = type === "thinking" ? "signature" : "data";
      if (!isMine) refuse(`${path}: Invalid \`${what}\` in \`${type}\` block`);
      seals.push(seal);
    }
    if (at !== last || seals.length === 0) return;
    if (!secrets.answers.some((whole) => whole.join() === seals.join())) {
      refuse(
        `messages.${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified.`,
      );
    }
  });
}

/** With a budget, the answer that is being continued must begin with a thought. */
function checkBeginning(messages: readonly Json[]): void {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  if (callsOf(messages[last]).length === 0) return;
  const type = string(blocksOf(json(messages[last]))[0]?.["type"]);
  if (type === "thinking" || type === "redacted_thinking") return;
  refuse(
    `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
