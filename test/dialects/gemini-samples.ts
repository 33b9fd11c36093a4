// Gemini's contents, written by hand: the common shapes first, then every kind of part, then odd ones.
import type { Sample } from "../../src/testkit/samples.ts";

export const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

export const text = (words: string): object => ({ text: words });
export const user = (...parts: unknown[]): object => ({ role: "user", parts });
export const model = (...parts: unknown[]): object => ({ role: "model", parts });
export const call = (name: string, args: object, beside: object = {}): object => ({
  functionCall: { name, args },
  ...beside,
});
const answer = (name: string, response: object, more: object = {}): object => ({
  functionResponse: { name, response, ...more },
});

/** Contents that a request accepts: an answer ends with the user. */
export const contents: Readonly<Record<string, object[]>> = {
  "plain talk": [user(text("Good morning.")), model(text("Good day.")), user(text("How are you?"), text("Well?"))],
  "turns of one side in a row": [
    user(text("One.")),
    user(text("Two.")),
    model(text("A.")),
    model(text("B.")),
    user(text("C")),
  ],
  "parallel calls without ids": [
    user(text("The weather in Corinth and Thebes?")),
    model(call("weather", { city: "Corinth" }), call("weather", { city: "Thebes" })),
    user(answer("weather", { output: "Sunny." }), answer("weather", { sky: "grey", wind: 3 })),
    user(text("Thanks.")),
  ],
  "calls with ids, answered out of order": [
    user(text("Both, please.")),
    model(
      { functionCall: { id: "fc-1", name: "look", args: { at: 1 } }, thoughtSignature: "c2lnLTE=" },
      { functionCall: { id: "fc-2", name: "look", args: { at: 2 } } },
    ),
    user(answer("look", { output: 2 }, { id: "fc-2" }), answer("look", { error: "Nothing there." }, { id: "fc-1" })),
  ],
  "a result without the id of its call": [
    user(text("Look.")),
    model({ functionCall: { id: "fc-9", name: "look", args: {} } }),
    user(answer("look", { output: null })),
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
    user(answer("ponder", {})),
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
      answer("try", { output: { deep: 1 } }),
      answer("try", { output: { output: "twice" } }),
      answer("try", { output: { error: "no error" } }),
      answer("try", { error: { code: 7 } }),
      answer("try", { output: "yes", more: true }),
      answer("try", { error: "no", output: "yes" }),
      answer("try", { output: [1, { two: 2 }] }),
      answer("try", {}),
      { functionResponse: { name: "try" } },
    ),
  ],
  "results beside other parts": [
    user(text("Go.")),
    model(call("a", {}), call("b", {})),
    user(text("First:"), answer("a", { output: "A" }), text("then:"), answer("b", { output: "B" }), text("Done.")),
  ],
  "results in two turns": [
    user(text("Go.")),
    model(call("a", {}), call("b", {})),
    user(answer("a", { output: "A" })),
    user(answer("b", { output: "B" })),
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
  "roles that are not plain": [
    { parts: [text("No role at all.")] },
    model(call("f", { x: 1 })),
    { role: "function", parts: [answer("f", { content: "old habit" })] },
    { role: "narrator", parts: [text("Meanwhile,")] },
    user(text("And?")),
  ],
  "exact numbers and empty things": [
    user(text(""), text(" ")),
    model(call("count", { none: [], empty: {}, nothing: null, deep: { deeper: [{ deepest: 1.5 }] } }), call("is", {})),
    user(answer("count", { output: "" }), answer("is", { output: false })),
    user({ text: "", brandNew: true }, { unheardOf: { a: 1 } }, {}, { text: "x", thought: false }, { thought: true }),
  ],
  "underscores for humps": [
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

/** What a fragment may hold, and a request is refused for. */
const fragments: Readonly<Record<string, object[]>> = {
  "empty turns": [{ role: "model" }, { role: "user", parts: [] }, { role: "user", parts: null }, {}],
  "results alone": [user(answer("f", { output: 1 }, { id: "fc-1" }), answer("g", { output: 2 })), model(text("So."))],
  "results in an answer": [model(text("I ran it."), answer("f", { output: 1 })), { role: 7, parts: [text("?")] }],
  "calls without a name": [
    model({ functionCall: { name: "", args: {} } }, { functionCall: { args: {} } }),
    user({ functionResponse: {} }),
  ],
};

export const messages: Sample[] = Object.entries({ ...contents, ...fragments }).map(([name, wire]) => ({ name, wire }));
