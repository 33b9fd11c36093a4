// Rules of the Responses API for the input: items, ids, calls with outputs, reasoning with the item that follows it.
import type { Json } from "../rejection.ts";
import { isJson, toObjects, findRepeated, toString } from "../rejection.ts";
import type { IssuedSeals } from "../issued-seals.ts";
import { checkFields, checkLength, checkName, reject } from "../openai/failure.ts";
import type { Memory } from "./memory.ts";

/** Items by type, with the prefix of their ids and their other fields. */
const ITEMS: Readonly<Record<string, { fields: readonly string[]; id: string }>> = {
  message: { fields: ["role", "content", "status", "phase"], id: "msg" },
  reasoning: { fields: ["summary", "content", "encrypted_content", "status"], id: "rs" },
  function_call: { fields: ["call_id", "name", "arguments", "status", "namespace"], id: "fc" },
  function_call_output: { fields: ["call_id", "output", "status"], id: "fc" },
  custom_tool_call: { fields: ["call_id", "name", "input"], id: "ctc" },
  custom_tool_call_output: { fields: ["call_id", "output"], id: "ctc" },
  item_reference: { fields: [], id: "" },
};
const INPUTS = ["input_text", "input_image", "input_file", "input_audio"];
const OUTPUTS = ["output_text", "refusal"];
const MAX_CALL_ID = 64;

export function readInput(body: Json): readonly Json[] {
  const { input } = body;
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : toObjects(input);
}

export function checkInput(body: Json, memory: Memory, secrets: IssuedSeals): void {
  if (body["input"] === undefined && body["previous_response_id"] === undefined) {
    reject("Missing required parameter: 'input'.", { param: "input", code: "missing_required_parameter" });
  }
  const items = readInput(body).map((item): Json => ({ ...item, type: item["type"] ?? "message" }));
  items.forEach((item, index) => checkItem(item, `input[${index}]`));
  const twice = findRepeated(items.map((item) => toString(item["id"])).filter((id) => id !== ""));
  if (twice !== undefined) reject(`Duplicate item found with id ${twice}.`, { param: "input" });
  const whole = [...earlier(body, memory), ...items.map((item) => resolved(item, memory))];
  checkReasoning(whole, memory, secrets);
  checkPairs(whole);
}

/** Checks items that a stored response and its predecessors already contain (B14). */
function earlier(body: Json, memory: Memory): readonly Json[] {
  const id = body["previous_response_id"];
  if (id === undefined || id === null) return [];
  const conversation = memory.conversation(toString(id));
  if (conversation !== undefined) return conversation;
  reject(`Previous response with id '${toString(id)}' not found.`, {
    param: "previous_response_id",
    code: "previous_response_not_found",
  });
}

function resolved(item: Json, memory: Memory): Json {
  if (item["type"] !== "item_reference") return item;
  const issued = memory.issued(toString(item["id"]));
  if (issued?.isStored === true) return issued.item;
  reject(`Item with id '${toString(item["id"])}' not found.`, { status: 404, param: "input" });
}

function checkItem(item: Json, path: string): void {
  const type = toString(item["type"]);
  const known = ITEMS[type];
  if (known === undefined) {
    reject(`Invalid value: '${type}'.`, { param: `${path}.type`, code: "invalid_value" });
  }
  checkFields(item, ["type", "id", ...known.fields], path);
  const { id } = item;
  if (id !== undefined && id !== null && (id === "" || !toString(id).startsWith(known.id))) {
    const message = `Invalid '${path}.id': '${toString(id)}'. Expected an ID that begins with '${known.id}'.`;
    reject(message, { param: `${path}.id`, code: "invalid_value" });
  }
  if (type === "message") checkMessage(item, path);
  if (known.fields.includes("call_id")) checkLength(item["call_id"], MAX_CALL_ID, `${path}.call_id`);
  if (known.fields.includes("name")) checkName(item["name"], `${path}.name`);
  if (type === "function_call" && typeof item["arguments"] !== "string") {
    reject(`Invalid type for '${path}.arguments': expected a string.`, { code: "invalid_type" });
  }
  if (type === "reasoning" && !Array.isArray(item["summary"])) {
    reject(`Missing required parameter: '${path}.summary'.`, { code: "missing_required_parameter" });
  }
}

function checkMessage(item: Json, path: string): void {
  const role = toString(item["role"]);
  if (!["user", "assistant", "system", "developer"].includes(role)) {
    reject(`Invalid value: '${role}'.`, { param: `${path}.role`, code: "invalid_value" });
  }
  const { content } = item;
  if (typeof content === "string") return;
  if (!Array.isArray(content)) reject(`Missing required parameter: '${path}.content'.`);
  const allowed = role === "assistant" ? OUTPUTS : INPUTS;
  for (const [index, part] of toObjects(content).entries()) {
    if (allowed.includes(toString(part["type"]))) continue;
    const message = `Invalid value: '${toString(part["type"])}'. Supported values are: ${allowed.join(", ")}.`;
    reject(message, { param: `${path}.content[${index}]`, code: "invalid_value" });
  }
}

/** True for an item of the model, which may follow reasoning. */
function isModelItem({ type, role }: Json): boolean {
  return (type === "message" && role === "assistant") || type === "function_call" || type === "custom_tool_call";
}

function checkReasoning(items: readonly Json[], memory: Memory, secrets: IssuedSeals): void {
  items.forEach((item, index) => {
    const id = toString(item["id"]);
    const issued = memory.issued(id);
    if (item["type"] !== "reasoning") {
      const needed = issued?.reasoning;
      if (needed === undefined || items.slice(0, index).some((each) => each["id"] === needed)) return;
      reject(
        `Item '${id}' of type '${toString(item["type"])}' was provided without its required 'reasoning' item: '${needed}'.`,
        { param: "input" },
      );
    }
    const encrypted = item["encrypted_content"];
    if (typeof encrypted === "string") checkEncrypted(encrypted, id, secrets);
    else if (issued?.isStored !== true) {
      reject(`Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`, {
        status: 404,
        param: "input",
      });
    }
    const next = items[index + 1];
    const isById = typeof encrypted !== "string";
    const follower = memory.issued(issued?.follower ?? "")?.item;
    // The id may be that of the item instead of the call: the AI SDK refers to stored calls like this.
    const isSameCall = isJson(next) && next["call_id"] !== undefined && next["call_id"] === follower?.["call_id"];
    const follows =
      isJson(next) &&
      isModelItem(next) &&
      (next["id"] === undefined ? !isById || isSameCall : next["id"] === issued?.follower);
    if (!follows) {
      reject(`Item '${id}' of type 'reasoning' was provided without its required following item.`, { param: "input" });
    }
  });
}

/** Requires that encrypted content belongs to its item. */
function checkEncrypted(encrypted: string, id: string, secrets: IssuedSeals): void {
  const isMine = id === "" ? secrets.seals.includes(encrypted) : secrets.isSealOf(encrypted, `encrypted ${id}`);
  if (isMine) return;
  const shown = `${encrypted.slice(0, 4)}...${encrypted.slice(-4)}`;
  reject(`The encrypted content ${shown} could not be verified.`, { code: "invalid_encrypted_content" });
}

const CALLS: Readonly<Record<string, string>> = {
  function_call_output: "function_call",
  custom_tool_call_output: "custom_tool_call",
};

function checkPairs(items: readonly Json[]): void {
  const calls = new Map<string, Json>();
  const answered = new Set<string>();
  for (const item of items) {
    const { type } = item;
    const id = toString(item["call_id"]);
    const outputType = CALLS[toString(type)];
    if (type === "function_call" || type === "custom_tool_call") calls.set(id, item);
    if (outputType === undefined) continue;
    if (calls.get(id)?.["type"] !== outputType) {
      reject(`No tool call found for function call output with call_id ${id}.`, { param: "input" });
    }
    answered.add(id);
  }
  for (const id of calls.keys()) {
    if (!answered.has(id)) reject(`No tool output found for function call ${id}.`, { param: "input" });
  }
}
