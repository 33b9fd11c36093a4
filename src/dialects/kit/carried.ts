// The fields of requests and responses that a dialect with a place for each of them carries. Written down, not derived:
// a field that the model gains later is reported until somebody has found its place.

export const REQUEST_FIELDS: ReadonlySet<string> = new Set(
  "model messages tools toolChoice parallelToolCalls output sampling reasoning metadata stream extra".split(" "),
);

export const RESPONSE_FIELDS: ReadonlySet<string> = new Set(
  "id model message alternatives finishReason usage createdAt error extra".split(" "),
);
