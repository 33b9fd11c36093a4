// Rules of the Anthropic API for messages: turns, blocks, calls with their results, signed thinking.
import { reject } from "./failure.ts";
import { readThinkingMode } from "./settings.ts";
import type { Json } from "../rejection.ts";
import { isJson, toObject, toObjects, toString, findUnknownField } from "../rejection.ts";
import type { IssuedSeals } from "../issued-seals.ts";

/** Blocks by role, with their fields. */
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

export function checkMessages(body: Json, model: string, secrets: IssuedSeals): void {
  const messages = toObjects(body["messages"]);
  if (messages.length === 0) reject("messages: at least one message is required");
  let last = "";
  messages.forEach((message, at) => {
    const role = toString(message["role"]);
    if (role !== "user" && role !== "assistant") reject(`messages: Unexpected role "${role}".`);
    if (at === 0 && role !== "user") reject('messages: first message must use the "user" role');
    if (role === last) {
      reject(
        `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      );
    }
    last = role;
    checkContent(message, at, at === messages.length - 1);
    for (const [index, block] of blocksOf(message).entries())
      checkBlock(block, role, `messages.${at}.content.${index}`);
  });
  if (last === "assistant" && model === "claude-opus-4-6") {
    reject("This model does not support assistant message prefill. The conversation must end with a user message.");
  }
  checkPairs(messages);
  checkSeals(messages, secrets);
  if (readThinkingMode(body) === "enabled") checkBeginning(messages);
}

function blocksOf({ content }: Json): readonly Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : toObjects(content);
}

function checkContent(message: Json, at: number, isLast: boolean): void {
  const unknown = findUnknownField(message, ["role", "content"]);
  if (unknown !== undefined) reject(`messages.${at}.${unknown}: Extra inputs are not permitted`);
  const blocks = blocksOf(message);
  if (blocks.length === 0 && !(isLast && message["role"] === "assistant")) {
    reject(`messages.${at}: all messages must have non-empty content except for the optional final assistant message`);
  }
  const end = blocks.at(-1);
  if (isLast && message["role"] === "assistant" && /\s$/.test(toString(end?.["text"]))) {
    reject("messages: final assistant content cannot end with trailing whitespace");
  }
}

function checkBlock(block: Json, role: string, path: string): void {
  const type = toString(block["type"]);
  const kinds = role === "user" ? USER : ASSISTANT;
  const fields = kinds[type];
  if (fields === undefined) {
    reject(`${path}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
  }
  const unknown = findUnknownField(block, ["type", ...fields]);
  if (unknown !== undefined) reject(`${path}.${type}.${unknown}: Extra inputs are not permitted`);
  if ("cache_control" in block && !isJson(block["cache_control"])) reject(`${path}.${type}.cache_control: must be set`);
  if (type === "text") {
    if (toString(block["text"]) === "") reject("messages: text content blocks must be non-empty");
    if (toString(block["text"]).trim() === "") reject("messages: text content blocks must contain non-whitespace text");
  }
  if (type === "tool_use") {
    if (!/^[a-zA-Z0-9_-]+$/.test(toString(block["id"]))) {
      reject(`${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    }
    if (!isJson(block["input"])) reject(`${path}.tool_use.input: Input should be a valid dictionary`);
  }
  if (type === "tool_result") checkResult(block, path);
}

function checkResult({ content }: Json, path: string): void {
  if (content === undefined || typeof content === "string") return;
  for (const [index, part] of toObjects(content).entries()) {
    const type = toString(part["type"]);
    const where = `${path}.tool_result.content.${index}`;
    if (!["text", "image", "document", "search_result"].includes(type)) {
      reject(`${where}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
    }
    if (type === "text" && toString(part["text"]) === "") reject(`${where}: text content blocks must be non-empty`);
  }
}

/** Requires exactly one result for every call, at the beginning of the next message, and no other results. */
function checkPairs(messages: readonly Json[]): void {
  const seen = new Set<string>();
  messages.forEach((message, at) => {
    const before = at === 0 ? [] : callsOf(messages[at - 1]);
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => toString(block["tool_use_id"]));
    results.forEach((id, index) => {
      if (!before.includes(id)) {
        reject(`messages.${at}.content.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}.`);
      }
      if (results.indexOf(id) !== index) reject(`each tool_use must have a single result. Found multiple for ${id}`);
    });
    const unanswered = before.filter((id) => !results.includes(id));
    if (unanswered.length > 0) {
      reject(
        `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(", ")}.`,
      );
    }
    const late = blocks.findLastIndex(({ type }) => type === "tool_result") !== results.length - 1;
    if (late) reject(`messages.${at}: \`tool_result\` blocks must come first in the content`);
    for (const id of callsOf(message)) {
      if (seen.has(id)) reject("messages: `tool_use` ids must be unique");
      seen.add(id);
    }
  });
  const open = callsOf(messages.at(-1));
  if (open.length > 0) {
    reject(`\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}.`);
  }
}

function callsOf(message: Json | undefined): string[] {
  const blocks = blocksOf(toObject(message)).filter(({ type }) => type === "tool_use");
  return blocks.map((block) => toString(block["id"]));
}

function sealOf({ type, signature, data }: Json): string | undefined {
  return type === "thinking" ? toString(signature) : type === "redacted_thinking" ? toString(data) : undefined;
}

/** Requires that signatures match their texts, and that the last turn has all thinking blocks of an answer or none. */
function checkSeals(messages: readonly Json[], secrets: IssuedSeals): void {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  messages.forEach((message, at) => {
    const seals: string[] = [];
    for (const [index, block] of blocksOf(message).entries()) {
      const seal = sealOf(block);
      if (seal === undefined) continue;
      const path = `messages.${at}.content.${index}`;
      const type = toString(block["type"]);
      if (type === "thinking" && seal === "") reject(`${path}.thinking.signature: Field required`);
      const content = type === "thinking" ? `thinking ${toString(block["thinking"])}` : "redacted";
      const isMine = type === "thinking" ? secrets.isSealOf(seal, content) : secrets.seals.includes(seal);
      const what = type === "thinking" ? "signature" : "data";
      if (!isMine) reject(`${path}: Invalid \`${what}\` in \`${type}\` block`);
      seals.push(seal);
    }
    if (at !== last || seals.length === 0) return;
    if (!secrets.answers.some((whole) => whole.join() === seals.join())) {
      reject(
        `messages.${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified.`,
      );
    }
  });
}

/** Requires that a continued answer begins with thinking, if the request has a thinking budget. */
function checkBeginning(messages: readonly Json[]): void {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  if (callsOf(messages[last]).length === 0) return;
  const type = toString(blocksOf(toObject(messages[last]))[0]?.["type"]);
  if (type === "thinking" || type === "redacted_thinking") return;
  reject(
    `messages.${last}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
