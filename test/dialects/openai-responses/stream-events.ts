// Builders for the events of invented Responses streams.

export type WireEventBody = Record<string, unknown>;

const usage = {
  input_tokens: 21,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
  output_tokens: 13,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 34,
};

/** Returns the fields of a response beside its items. */
export function responseBody(fields: WireEventBody): WireEventBody {
  return {
    id: "resp_lyra",
    object: "response",
    created_at: 1760000000,
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: "star-1",
    output: [],
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    store: true,
    usage,
    ...fields,
  };
}

export function withSequenceNumbers(events: readonly WireEventBody[]): WireEventBody[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** Returns a whole stream: the start of an answer, its items, and its end. */
export function stream(
  items: readonly WireEventBody[][],
  output: readonly WireEventBody[],
  fields: WireEventBody = {},
): WireEventBody[] {
  const startedItem = responseBody({
    ...fields,
    status: "in_progress",
    usage: null,
    error: null,
    incomplete_details: null,
  });
  const ended = responseBody({ output, ...fields });
  return withSequenceNumbers([
    { type: "response.created", response: startedItem },
    { type: "response.in_progress", response: startedItem },
    ...items.flat(),
    { type: `response.${String(ended["status"])}`, response: ended },
  ]);
}

const at = (output_index: number, item_id: unknown): WireEventBody => ({ output_index, item_id });

export function added(output_index: number, item: WireEventBody): WireEventBody {
  return { type: "response.output_item.added", output_index, item };
}
export function done(output_index: number, item: WireEventBody): WireEventBody {
  return { type: "response.output_item.done", output_index, item };
}

export function message(id: string, content: readonly WireEventBody[], fields: WireEventBody = {}): WireEventBody {
  return { id, type: "message", status: "completed", role: "assistant", content, ...fields };
}
export function outputText(text: string, fields: WireEventBody = {}): WireEventBody {
  return { type: "output_text", text, annotations: [], logprobs: [], ...fields };
}

/** Returns the events of one content block. */
export function textEvents(
  index: number,
  id: string,
  content: number,
  deltas: readonly string[],
  block?: WireEventBody,
): WireEventBody[] {
  const text = deltas.join("");
  const position = { ...at(index, id), content_index: content };
  const part = block ?? outputText(text);
  return [
    { type: "response.content_part.added", ...position, part: outputText("") },
    ...deltas.map((delta) => ({
      type: "response.output_text.delta",
      ...position,
      delta,
      logprobs: [],
      obfuscation: "x",
    })),
    { type: "response.output_text.done", ...position, text, logprobs: part["logprobs"] },
    { type: "response.content_part.done", ...position, part },
  ];
}

/** Returns the events of a message with one text. */
export function messageEvents(index: number, id: string, ...deltas: string[]): WireEventBody[] {
  const item = message(id, [outputText(deltas.join(""))]);
  const startedItem = { ...item, status: "in_progress", content: [] };
  return [added(index, startedItem), ...textEvents(index, id, 0, deltas), done(index, item)];
}

/**
 * Returns the events of an item with streamed arguments; `field` holds them, `events` is the prefix of their event
 * types.
 */
export function argumentEvents(
  index: number,
  item: WireEventBody,
  field: string,
  events: string,
  deltas: readonly string[],
): WireEventBody[] {
  const position = at(index, item["id"]);
  return [
    added(index, { ...item, [field]: "", status: "in_progress" }),
    ...deltas.map((delta) => ({ type: `response.${events}.delta`, ...position, delta, obfuscation: "y" })),
    { type: `response.${events}.done`, ...position, [field]: deltas.join("") },
    done(index, { ...item, [field]: deltas.join("") }),
  ];
}

export function functionCall(id: string, call_id: string, name: string): WireEventBody {
  return { id, type: "function_call", status: "completed", arguments: "", call_id, name };
}

/** Returns the events of an item with progress events. */
export function progressEvents(
  index: number,
  startedItem: WireEventBody,
  steps: readonly string[],
  item: WireEventBody,
): WireEventBody[] {
  const position = at(index, startedItem["id"]);
  return [
    added(index, startedItem),
    ...steps.map((step) => ({ type: `response.${String(startedItem["type"])}.${step}`, ...position })),
    done(index, item),
  ];
}
