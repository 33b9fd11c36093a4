// Lists the canonical fields of requests, responses and tools that the providers' dialects support. The lists are not
// derived from the canonical types, so that a field that is added to a type later is reported as a loss until an
// encoder supports it.

export const REQUEST_FIELDS: ReadonlySet<string> = new Set(
  "model messages tools toolChoice parallelToolCalls output sampling reasoning metadata stream extra".split(" "),
);

export const RESPONSE_FIELDS: ReadonlySet<string> = new Set(
  "id model message alternatives finishReason usage createdAt error extra".split(" "),
);

export const FUNCTION_TOOL_FIELDS: ReadonlySet<string> = new Set(
  "type name description inputSchema strict format cache extra".split(" "),
);
