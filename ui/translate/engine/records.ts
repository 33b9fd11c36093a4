// JSON that holds a payload instead of being one: lines of batches, and texts that are JSON themselves; and records of
// other kinds that are taken for payloads.
import { isObject, JsonError, parseJson } from "koine";

interface Wrapping {
  /** The payload in a record of this kind; undefined where it is none. */
  open: (record: Readonly<Record<string, unknown>>) => unknown;
  remark: string;
}

const WRAPPINGS: readonly Wrapping[] = [
  {
    open: ({ custom_id: id, body }) => (id === undefined ? undefined : body),
    remark: "This is the body in a line of an OpenAI batch.",
  },
  {
    open: ({ custom_id: id, response }) => (id === undefined || !isObject(response) ? undefined : response["body"]),
    remark: "This is the answer in a line of an OpenAI batch.",
  },
  {
    open: ({ custom_id: id, params }) => (id === undefined ? undefined : params),
    remark: "This is the request in a line of an Anthropic batch.",
  },
  {
    open: ({ custom_id: id, result }) =>
      id === undefined || !isObject(result) ? undefined : (result["message"] ?? result["error"]),
    remark: "This is the result in a line of an Anthropic batch.",
  },
  {
    open: ({ key, request, response }) => (typeof key === "string" ? (request ?? response) : undefined),
    remark: "This is the payload in a line of a Gemini batch.",
  },
];

/** What a value holds, and how it was held; the value itself where it holds nothing else. */
export function unwrapValue(value: unknown): { value: unknown; remarks: string[] } {
  if (typeof value === "string") return unwrapText(value);
  if (!isObject(value)) return { value, remarks: [] };
  for (const { open, remark } of WRAPPINGS) {
    const inside = open(value);
    if (isObject(inside)) return { value: inside, remarks: [remark] };
  }
  return { value, remarks: [] };
}

function unwrapText(text: string): { value: unknown; remarks: string[] } {
  try {
    const inside = parseJson(text);
    if (typeof inside !== "object") return { value: text, remarks: [] };
    return { value: inside, remarks: ["This is the JSON in a text of JSON."] };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { value: text, remarks: [] };
  }
}

/** What a value is that looks like a payload but is something else, in a sentence. */
export function nameOf(value: object): string | undefined {
  if (!isObject(value)) return undefined;
  if (value["type"] === "thread" && isObject(value["thread"])) {
    return "This is a line of a thread that Koine has exported: import it, and inspect the conversation.";
  }
  if (value["object"] === "list" && Array.isArray(value["data"])) {
    return "This is a list of an API, and no message: paste one of its items.";
  }
  if (typeof value["$schema"] === "string" || (value["type"] === "object" && isObject(value["properties"]))) {
    return "This is a JSON Schema, and no payload.";
  }
  return undefined;
}
