// Rules of the Gemini API for contents: turns, calls with their responses, thought signatures.
import type { Json } from "../rejection.ts";
import { toObject, toObjects, toString } from "../rejection.ts";
import type { IssuedSeals } from "../issued-seals.ts";
import { callSeal, textSeal } from "./answer.ts";
import { checkFields, reject } from "./failure.ts";

const DATA = "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult".split(" ");
const PART = [...DATA, "thought", "thoughtSignature", "videoMetadata", "partMetadata", "mediaResolution"];
const CALL = ["id", "name", "args", "partialArgs", "willContinue"];
const RESPONSE = ["id", "name", "response", "parts", "willContinue", "scheduling"];
/** Documented placeholders for a missing signature. */
const SENTINELS = new Set(["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"]);

export function checkContents(body: Json, secrets: IssuedSeals, isStrict: boolean): void {
  const contents = toObjects(body["contents"]);
  if (contents.length === 0) reject("* GenerateContentRequest.contents: contents is not specified");
  contents.forEach((content, at) => {
    const path = `contents[${at}]`;
    checkFields(content, ["role", "parts"], path);
    const role = content["role"] ?? "user";
    if (role !== "user" && role !== "model" && role !== "function") {
      reject("Please use a valid role: user, model.");
    }
    const parts = toObjects(content["parts"]);
    if (parts.length === 0) reject(`* GenerateContentRequest.${path}.parts: contents.parts must not be empty.`);
    for (const [index, part] of parts.entries()) checkPart(part, `${path}.parts[${index}]`);
  });
  if (contents[0]?.["role"] === "model") reject("Please ensure that multiturn requests begin with a user turn.");
  if (contents.at(-1)?.["role"] === "model") {
    reject("Please ensure that multiturn requests end with a user role or a function response.");
  }
  const turns = turnsOf(contents);
  for (const [at, turn] of turns.entries()) checkSignatures(toObjects(turn["parts"]), `contents[${at}]`, secrets);
  checkPairs(turns);
  if (isStrict) checkCurrentTurn(turns);
}

/** Merges consecutive contents of one role: the SDK's chat stores each event of a stream as a content of its own. */
function turnsOf(contents: readonly Json[]): readonly Json[] {
  const turns: { role: string; parts: readonly Json[] }[] = [];
  for (const content of contents) {
    const role = toString(content["role"] ?? "user");
    const parts = toObjects(content["parts"]);
    const last = turns.at(-1);
    // A content with a function response is a separate turn.
    const isSame = last?.role === role && answers(last.parts) === answers(parts);
    if (isSame) last.parts = [...last.parts, ...parts];
    else turns.push({ role, parts });
  }
  return turns;
}

function answers(parts: readonly Json[]): boolean {
  return parts.some((part) => part["functionResponse"] !== undefined);
}

function checkPart(part: Json, path: string): void {
  checkFields(part, PART, path);
  const dataFields = DATA.filter((field) => part[field] !== undefined);
  if (dataFields.length !== 1 && !(dataFields.length === 0 && part["thoughtSignature"] !== undefined)) {
    reject(`* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`);
  }
  const { functionCall: call, functionResponse: response } = part;
  if (call !== undefined) {
    checkFields(toObject(call), CALL, `${path}.function_call`);
    if (toString(toObject(call)["name"]) === "")
      reject(`* GenerateContentRequest.${path}.function_call.name: Name cannot be empty.`);
  }
  if (response !== undefined) {
    checkFields(toObject(response), RESPONSE, `${path}.function_response`);
    if (toString(toObject(response)["name"]) === "") {
      reject(`* GenerateContentRequest.${path}.function_response.name: Name cannot be empty.`);
    }
    const given = toObject(response)["response"];
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      reject(`Invalid value at '${path}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`);
    }
  }
}

function partsOf(content: Json | undefined, field: string): readonly Json[] {
  return toObjects(toObject(content)["parts"]).flatMap((part) =>
    part[field] === undefined ? [] : [toObject(part[field])],
  );
}

/** Requires calls only after a user turn or a response turn, and a response for each call in the next turn. */
function checkPairs(contents: readonly Json[]): void {
  contents.forEach((content, at) => {
    const before = contents[at - 1];
    const calls = partsOf(content, "functionCall");
    const previousCalls = partsOf(before, "functionCall");
    const responses = partsOf(content, "functionResponse");
    if (calls.length > 0 && (before === undefined || before["role"] === "model")) {
      reject(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    }
    if (responses.length > 0 && previousCalls.length === 0) {
      reject("Please ensure that function response turn comes immediately after a function call turn.");
    }
    if (previousCalls.length !== responses.length) {
      reject(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    }
    for (const { id, name } of responses) {
      const hasCall = previousCalls.some((call) => (id === undefined ? call["name"] === name : call["id"] === id));
      if (!hasCall) reject(`Function response \`${toString(name)}\` answers no function call of the turn before.`);
    }
  });
}

/** Requires a signature on the first call of each step of the current turn. */
function checkCurrentTurn(contents: readonly Json[]): void {
  const begin = contents.findLastIndex(
    (content) => content["role"] !== "model" && partsOf(content, "functionResponse").length === 0,
  );
  contents.slice(begin + 1).forEach((content, step) => {
    const first = toObjects(content["parts"]).find((part) => part["functionCall"] !== undefined);
    if (first === undefined || typeof first["thoughtSignature"] === "string") return;
    const name = toString(toObject(first["functionCall"])["name"]);
    reject(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:${name}\` , position ${begin + step + 2}.`,
    );
  });
}

/** Requires that a signature is on the part that it was issued for; a text may be split over several parts. */
function checkSignatures(parts: readonly Json[], path: string, secrets: IssuedSeals): void {
  let text = "";
  let isThought = false;
  parts.forEach((part, index) => {
    const thought = part["thought"] === true;
    if (typeof part["text"] !== "string" || thought !== isThought) text = "";
    isThought = thought;
    text += toString(part["text"]);
    const signature = part["thoughtSignature"];
    if (signature === undefined) return;
    const where = `${path}.parts[${index}].thought_signature`;
    const isCall = part["functionCall"] !== undefined;
    if (SENTINELS.has(toString(signature))) {
      if (!isCall) reject(`Thought signature is not valid at '${where}'.`);
      return;
    }
    if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(toString(signature))) {
      reject(`Invalid value at '${where}' (TYPE_BYTES), Base64 decoding failed`);
    }
    const { name, args } = toObject(part["functionCall"]);
    const content = isCall ? callSeal(toString(name), args) : textSeal(text);
    if (!secrets.isSealOf(toString(signature), content)) reject(`Corrupted thought signature at '${where}'.`);
    text = "";
  });
}
