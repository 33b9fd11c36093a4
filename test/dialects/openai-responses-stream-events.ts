// How streams of OpenAI's Responses are put together, for samples that are invented by hand.

export type Wire = Record<string, unknown>;

const usage = {
  input_tokens: 21,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
  output_tokens: 13,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 34,
};

/** What an answer says of itself. */
export function body(fields: Wire): Wire {
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

export function numbered(events: readonly Wire[]): Wire[] {
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** A whole stream: an answer begins, its items come, and it ends as its fields say. */
export function stream(items: readonly Wire[][], output: readonly Wire[], fields: Wire = {}): Wire[] {
  const begun = body({ ...fields, status: "in_progress", usage: null, error: null, incomplete_details: null });
  const ended = body({ output, ...fields });
  return numbered([
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flat(),
    { type: `response.${String(ended["status"])}`, response: ended },
  ]);
}

const at = (output_index: number, item_id: unknown): Wire => ({ output_index, item_id });

export function added(output_index: number, item: Wire): Wire {
  return { type: "response.output_item.added", output_index, item };
}
export function done(output_index: number, item: Wire): Wire {
  return { type: "response.output_item.done", output_index, item };
}

export function message(id: string, content: readonly Wire[], fields: Wire = {}): Wire {
  return { id, type: "message", status: "completed", role: "assistant", content, ...fields };
}
export function outputText(text: string, fields: Wire = {}): Wire {
  return { type: "output_text", text, annotations: [], logprobs: [], ...fields };
}

/** The events of one block of a message. */
export function textEvents(
  index: number,
  id: string,
  content: number,
  pieces: readonly string[],
  block?: Wire,
): Wire[] {
  const text = pieces.join("");
  const place = { ...at(index, id), content_index: content };
  const part = block ?? outputText(text);
  return [
    { type: "response.content_part.added", ...place, part: outputText("") },
    ...pieces.map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [], obfuscation: "x" })),
    { type: "response.output_text.done", ...place, text, logprobs: part["logprobs"] },
    { type: "response.content_part.done", ...place, part },
  ];
}

/** An item that says one text. */
export function sayEvents(index: number, id: string, ...pieces: string[]): Wire[] {
  const item = message(id, [outputText(pieces.join(""))]);
  const begun = { ...item, status: "in_progress", content: [] };
  return [added(index, begun), ...textEvents(index, id, 0, pieces), done(index, item)];
}

/** An item whose arguments come in pieces: which field they stand in, and what its events are called. */
export function askEvents(index: number, item: Wire, field: string, events: string, pieces: readonly string[]): Wire[] {
  const place = at(index, item["id"]);
  return [
    added(index, { ...item, [field]: "", status: "in_progress" }),
    ...pieces.map((delta) => ({ type: `response.${events}.delta`, ...place, delta, obfuscation: "y" })),
    { type: `response.${events}.done`, ...place, [field]: pieces.join("") },
    done(index, { ...item, [field]: pieces.join("") }),
  ];
}

export function functionCall(id: string, call_id: string, name: string): Wire {
  return { id, type: "function_call", status: "completed", arguments: "", call_id, name };
}

/** An item that tells how far it is, and what it was when it is done. */
export function stepEvents(index: number, begun: Wire, steps: readonly string[], item: Wire): Wire[] {
  const place = at(index, begun["id"]);
  return [
    added(index, begun),
    ...steps.map((step) => ({ type: `response.${String(begun["type"])}.${step}`, ...place })),
    done(index, item),
  ];
}
