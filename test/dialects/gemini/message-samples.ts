// Hand-written Gemini contents: common shapes first, then every kind of part, then unusual ones.
import type { MessageSample } from "../../../src/testkit/checks/message-samples.ts";

export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

export const text = (content: string): object => ({ text: content });
export const user = (...parts: unknown[]): object => ({ role: "user", parts });
export const model = (...parts: unknown[]): object => ({ role: "model", parts });
export const call = (name: string, args: object, otherFields: object = {}): object => ({
  functionCall: { name, args },
  ...otherFields,
});
const functionResponse = (name: string, response: object, otherFields: object = {}): object => ({
  functionResponse: { name, response, ...otherFields },
});

/** Contents that a request accepts: the last one is the user's. */
export const contents: Readonly<Record<string, object[]>> = {
  "a plain conversation": [
    user(text("Good morning.")),
    model(text("Good day.")),
    user(text("How are you?"), text("Well?")),
  ],
  "adjacent contents of one role": [
    user(text("One.")),
    user(text("Two.")),
    model(text("A.")),
    model(text("B.")),
    user(text("C")),
  ],
  "parallel calls without ids": [
    user(text("The weather in Corinth and Thebes?")),
    model(call("weather", { city: "Corinth" }), call("weather", { city: "Thebes" })),
    user(functionResponse("weather", { output: "Sunny." }), functionResponse("weather", { sky: "grey", wind: 3 })),
    user(text("Thanks.")),
  ],
  "calls with ids, answered out of order": [
    user(text("Both, please.")),
    model(
      { functionCall: { id: "fc-1", name: "look", args: { at: 1 } }, thoughtSignature: "c2lnLTE=" },
      { functionCall: { id: "fc-2", name: "look", args: { at: 2 } } },
    ),
    user(
      functionResponse("look", { output: 2 }, { id: "fc-2" }),
      functionResponse("look", { error: "Nothing there." }, { id: "fc-1" }),
    ),
  ],
  "a result without the id of its call": [
    user(text("Look.")),
    model({ functionCall: { id: "fc-9", name: "look", args: {} } }),
    user(functionResponse("look", { output: null })),
  ],
  "thoughts and signatures": [
    user(text("Think.")),
    model(
      { text: "A thought without a signature.", thought: true },
      { text: "A thought with one.", thought: true, thoughtSignature: "dGhvdWdodA==" },
      { text: "An answer.", thoughtSignature: "dGV4dA==" },
      { text: "", thoughtSignature: "ZW1wdHk=" },
      { inlineData: { mimeType: "image/png", data: PIXEL }, thoughtSignature: "aW1hZ2U=" },
      { functionCall: { name: "ponder" }, thoughtSignature: "Y2FsbA==" },
    ),
    user(functionResponse("ponder", {})),
  ],
  media: [
    user(
      text("See."),
      { inlineData: { mimeType: "image/png", data: PIXEL, displayName: "pixel.png" } },
      { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } },
      { inlineData: { mimeType: "video/mp4", data: "AAAA" }, videoMetadata: { fps: 2, startOffset: "1.5s" } },
      {
        inlineData: { mimeType: "application/pdf", data: "JVBERi0=" },
        mediaResolution: { level: "MEDIA_RESOLUTION_HIGH" },
      },
      { fileData: { fileUri: "https://example.com/cat.jpg", mimeType: "image/jpeg", displayName: "cat" } },
      { fileData: { fileUri: "https://www.youtube.com/watch?v=abc" }, videoMetadata: { endOffset: "10s" } },
      { fileData: { fileUri: "gs://bucket/song.mp3", mimeType: "audio/mpeg" } },
      {
        fileData: {
          fileUri: "https://generativelanguage.googleapis.com/v1beta/files/abc-123",
          mimeType: "application/pdf",
        },
        partMetadata: { page: 3 },
      },
    ),
  ],
  "media in a result": [
    user(text("Show me.")),
    model(call("photo", { of: "a cat" })),
    user({
      functionResponse: {
        name: "photo",
        response: { output: "Here it is." },
        parts: [
          { inlineData: { mimeType: "image/png", data: PIXEL, displayName: "cat.png" } },
          { fileData: { fileUri: "gs://bucket/cat.jpg", mimeType: "image/jpeg" } },
          { newKind: { of: "part" } },
        ],
        scheduling: "WHEN_IDLE",
        willContinue: false,
      },
    }),
  ],
  "responses that look like envelopes": [
    user(text("Go.")),
    model(...Array.from({ length: 9 }, (_, at) => call("try", { at }))),
    user(
      functionResponse("try", { output: { deep: 1 } }),
      functionResponse("try", { output: { output: "twice" } }),
      functionResponse("try", { output: { error: "no error" } }),
      functionResponse("try", { error: { code: 7 } }),
      functionResponse("try", { output: "yes", otherFields: true }),
      functionResponse("try", { error: "no", output: "yes" }),
      functionResponse("try", { output: [1, { two: 2 }] }),
      functionResponse("try", {}),
      { functionResponse: { name: "try" } },
    ),
  ],
  "results mixed with other parts": [
    user(text("Go.")),
    model(call("a", {}), call("b", {})),
    user(
      text("First:"),
      functionResponse("a", { output: "A" }),
      text("then:"),
      functionResponse("b", { output: "B" }),
      text("Done."),
    ),
  ],
  "results in two contents": [
    user(text("Go.")),
    model(call("a", {}), call("b", {})),
    user(functionResponse("a", { output: "A" })),
    user(functionResponse("b", { output: "B" })),
  ],
  "tools of Google's own": [
    user(text("Compute and search.")),
    model(
      { executableCode: { language: "PYTHON", code: "print(1)" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } },
      { executableCode: { id: "code-2", language: "PYTHON", code: "1/0" }, thoughtSignature: "Y29kZQ==" },
      { codeExecutionResult: { id: "code-2", outcome: "OUTCOME_FAILED", output: "ZeroDivisionError" } },
      { executableCode: { language: "PYTHON", code: "while 1: pass" } },
      { codeExecutionResult: { outcome: "OUTCOME_DEADLINE_EXCEEDED" } },
      {
        toolCall: { id: "tc-1", toolType: "GOOGLE_SEARCH_WEB", args: { queries: ["koine"] } },
        thoughtSignature: "dGM=",
      },
      {
        toolResponse: {
          id: "tc-1",
          toolType: "GOOGLE_SEARCH_WEB",
          response: { results: [{ url: "https://example.com" }] },
        },
      },
      text("Found."),
    ),
    user(text("Good.")),
  ],
  "unusual roles": [
    { parts: [text("No role at all.")] },
    model(call("f", { x: 1 })),
    { role: "function", parts: [functionResponse("f", { content: "old habit" })] },
    { role: "narrator", parts: [text("Meanwhile,")] },
    user(text("And?")),
  ],
  "exact numbers and empty values": [
    user(text(""), text(" ")),
    model(call("count", { none: [], empty: {}, nothing: null, deep: { deeper: [{ deepest: 1.5 }] } }), call("is", {})),
    user(functionResponse("count", { output: "" }), functionResponse("is", { output: false })),
    user({ text: "", brandNew: true }, { unheardOf: { a: 1 } }, {}, { text: "x", thought: false }, { thought: true }),
  ],
  "snake_case names": [
    user(
      { inline_data: { mime_type: "image/png", data: PIXEL } },
      { file_data: { file_uri: "gs://b/c", mime_type: "text/plain" } },
    ),
    model({ function_call: { name: "f", args: { snake_case: 1 } }, thought_signature: "c25ha2U=" }),
    user({
      function_response: {
        name: "f",
        response: { output: "ok" },
        parts: [{ inline_data: { mime_type: "image/png", data: PIXEL } }],
      },
    }),
    user({ inline_data: { mimeType: "image/gif", data: "R0lGOA==" }, video_metadata: { fps: 1 } }),
  ],
};

/** Contents that decodeMessages accepts, but a request would be rejected for. */
const fragments: Readonly<Record<string, object[]>> = {
  "empty turns": [{ role: "model" }, { role: "user", parts: [] }, { role: "user", parts: null }, {}],
  "results alone": [
    user(functionResponse("f", { output: 1 }, { id: "fc-1" }), functionResponse("g", { output: 2 })),
    model(text("So.")),
  ],
  "results in an answer": [
    model(text("I ran it."), functionResponse("f", { output: 1 })),
    { role: 7, parts: [text("?")] },
  ],
  "calls without a name": [
    model({ functionCall: { name: "", args: {} } }, { functionCall: { args: {} } }),
    user({ functionResponse: {} }),
  ],
};

export const messages: MessageSample[] = Object.entries({ ...contents, ...fragments }).map(([name, wire]) => ({
  name,
  wire,
}));
