// Extracts payloads from batch records and from JSON strings that contain JSON. Also recognizes JSON that users paste
// by mistake, such as a JSON Schema or a line of an exported thread.
import { isObject, JsonError, parseJson } from "koine";

interface RecordWrapper {
  /**
   * Returns the payload in a record of this wrapper's batch format; undefined if the record does not have this format.
   */
  unwrap: (record: Readonly<Record<string, unknown>>) => unknown;
  remark: string;
}

const RECORD_WRAPPERS: readonly RecordWrapper[] = [
  {
    unwrap: ({ custom_id: id, body }) => (id === undefined ? undefined : body),
    remark: "This is the body in a line of an OpenAI batch.",
  },
  {
    unwrap: ({ custom_id: id, response }) => (id === undefined || !isObject(response) ? undefined : response["body"]),
    remark: "This is the answer in a line of an OpenAI batch.",
  },
  {
    unwrap: ({ custom_id: id, params }) => (id === undefined ? undefined : params),
    remark: "This is the request in a line of an Anthropic batch.",
  },
  {
    unwrap: ({ custom_id: id, result }) =>
      id === undefined || !isObject(result) ? undefined : (result["message"] ?? result["error"]),
    remark: "This is the result in a line of an Anthropic batch.",
  },
  {
    unwrap: ({ key, request, response }) => (typeof key === "string" ? (request ?? response) : undefined),
    remark: "This is the payload in a line of a Gemini batch.",
  },
];

/** Returns the payload inside a record or JSON string, with a remark; the value itself if it is not wrapped. */
export function unwrapValue(value: unknown): { value: unknown; remarks: string[] } {
  if (typeof value === "string") return unwrapJsonText(value);
  if (!isObject(value)) return { value, remarks: [] };
  for (const { unwrap, remark } of RECORD_WRAPPERS) {
    const inside = unwrap(value);
    if (isObject(inside)) return { value: inside, remarks: [remark] };
  }
  return { value, remarks: [] };
}

function unwrapJsonText(text: string): { value: unknown; remarks: string[] } {
  try {
    const inside = parseJson(text);
    if (typeof inside !== "object") return { value: text, remarks: [] };
    return { value: inside, remarks: ["The payload was a JSON string that contains JSON."] };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { value: text, remarks: [] };
  }
}

/**
 * Returns a sentence that names a known JSON value that is no payload (a line of an exported thread, a list of an API,
 * a JSON Schema); undefined for other values.
 */
export function describeOtherRecord(value: object): string | undefined {
  if (!isObject(value)) return undefined;
  if (value["type"] === "thread" && isObject(value["thread"])) {
    return "This is a line of an exported Koine thread. Import it and inspect the conversation instead.";
  }
  if (value["object"] === "list" && Array.isArray(value["data"])) {
    return "This is a list returned by an API. Paste one of its items.";
  }
  if (typeof value["$schema"] === "string" || (value["type"] === "object" && isObject(value["properties"]))) {
    return "This is a JSON Schema, not a payload.";
  }
  return undefined;
}
