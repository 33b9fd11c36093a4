// Grounding and citation metadata of Gemini's answers as annotations of texts, in both directions.
import { describe, expect, test } from "vitest";
import { gemini } from "../../../src/dialects/gemini/index.ts";
import type { GeminiResponse } from "../../../src/dialects/gemini/index.ts";
import { assistant } from "../../../src/model/message.ts";
import type { ModelResponse } from "../../../src/model/response.ts";

const dialect = gemini();
const candidate = (parts: object[], more: object = {}): object => ({
  content: { role: "model", parts },
  finishReason: "STOP",
  index: 0,
  ...more,
});

interface Outcome {
  wire: GeminiResponse;
  losses: string[];
}
function encode(response: ModelResponse): Outcome {
  const { wire, losses } = dialect.encodeResponse(response);
  return { wire: wire as GeminiResponse, losses: losses.map(({ code, path }) => `${code} ${path}`) };
}
function createResponse(parts: ModelResponse["message"]["parts"], more: Partial<ModelResponse> = {}): ModelResponse {
  return { id: "r", model: "m", message: assistant(parts), finishReason: { unified: "stop" }, ...more };
}

describe("B48: grounding", () => {
  const text = "Ἡ κοινή 🏛️ spread.";
  const segment = { startIndex: 13, endIndex: 28, text: " 🏛️ spread" };
  const chunks = [
    { web: { uri: "https://example.com/a", title: "A" } },
    { web: { uri: "https://example.com/b", title: "B" } },
  ];

  test("byte offsets become UTF-16 offsets and back", () => {
    const [from, to] = [text.indexOf(" 🏛️"), text.indexOf(".")];
    const bytes = (end: number): number => new TextEncoder().encode(text.slice(0, end)).length;
    const exact = { ...segment, startIndex: bytes(from), endIndex: bytes(to) };
    const groundingMetadata = {
      groundingChunks: chunks,
      groundingSupports: [{ segment: exact, groundingChunkIndices: [1] }],
      webSearchQueries: ["koine"],
    };
    const wire = { candidates: [candidate([{ text }], { groundingMetadata })] };
    const response = dialect.decodeResponse(wire);
    expect(response.message.parts[0]).toStrictEqual({
      type: "text",
      text,
      annotations: [
        { kind: "url", url: "https://example.com/a", title: "A" },
        { kind: "url", url: "https://example.com/b", title: "B", span: { start: from, end: to } },
      ],
    });
    expect(response.extra).toStrictEqual({
      gemini: { candidates: { groundingMetadata: { webSearchQueries: ["koine"] } } },
    });
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  test("a segment whose text differs from the answer gets no span", () => {
    const wrong = { startIndex: 1, endIndex: 5, text: "spread" };
    const groundingMetadata = {
      groundingChunks: chunks.slice(1),
      groundingSupports: [{ segment: wrong, groundingChunkIndices: [0] }],
    };
    const wire = { candidates: [candidate([{ text }], { groundingMetadata })] };
    const response = dialect.decodeResponse(wire);
    expect(response.message.parts[0]).toMatchObject({
      annotations: [{ url: "https://example.com/b", extra: { gemini: { segment: wrong } } }],
    });
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  test("metadata that annotations cannot restore stays residue", () => {
    const groundingMetadata = { groundingChunks: [chunks[0], chunks[0]] };
    const wire = { candidates: [candidate([{ text }], { groundingMetadata })] };
    const response = dialect.decodeResponse(wire);
    expect(response.message.parts).toStrictEqual([{ type: "text", text }]);
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  test("annotations of other dialects become grounding, and unsupported fields are reported", () => {
    const annotations = [
      { kind: "url", url: "https://example.com/c", title: "C", citedText: "words", span: { start: 0, end: 1 } },
      { kind: "document", title: "D", citedText: "more words" },
      { kind: "file", fileId: "file-1" },
    ] as const;
    const { wire, losses } = encode(createResponse([{ type: "text", text, annotations: [...annotations] }]));
    expect(wire.candidates?.[0]?.groundingMetadata).toStrictEqual({
      groundingChunks: [
        { web: { uri: "https://example.com/c", title: "C" } },
        { retrievedContext: { title: "D", text: "more words" } },
      ],
      groundingSupports: [{ segment: { endIndex: 3, text: "Ἡ" }, groundingChunkIndices: [0] }],
    });
    expect(losses).toStrictEqual([
      "field-unsupported /message/parts/0/annotations/0/citedText",
      "field-unsupported /message/parts/0/annotations/2",
    ]);
  });
});

describe("B48: citations", () => {
  const text = "Ἡ κοινή: to be or not to be.";
  const start = text.indexOf("to be");
  const bytes = (end: number): number => new TextEncoder().encode(text.slice(0, end)).length;
  const quoted = { startIndex: bytes(start), endIndex: bytes(text.length) };
  const about = { uri: "https://example.com/hamlet", title: "Hamlet" };
  const annotation = { kind: "url", url: about.uri, title: "Hamlet" };
  const span = { start, end: text.length };

  const rows: [sentence: string, citationMetadata: object, texts: string[], annotations: object[] | undefined][] = [
    [
      "byte offsets become UTF-16 offsets",
      { citationSources: [{ ...quoted, ...about, license: "none" }] },
      [text],
      [
        {
          ...annotation,
          span,
          extra: { gemini: { citation: { license: "none" }, $form: { list: "citationSources" } } },
        },
      ],
    ],
    [
      "an explicit and an omitted start index",
      { citationSources: [{ startIndex: 0, endIndex: 3, ...about }, { endIndex: 3 }] },
      [text],
      [
        {
          ...annotation,
          span: { start: 0, end: 1 },
          extra: { gemini: { $form: { start: 0, list: "citationSources" } } },
        },
        { kind: "document", span: { start: 0, end: 1 }, extra: { gemini: { $form: { list: "citationSources" } } } },
      ],
    ],
    [
      "offsets of Vertex AI are decoded if bytes equal UTF-16 units",
      { citations: [{ startIndex: 1, endIndex: 2, ...about, publicationDate: { year: 1603 } }], more: true },
      ["abc"],
      [
        {
          ...annotation,
          span: { start: 1, end: 2 },
          extra: { gemini: { citation: { publicationDate: { year: 1603 } }, $form: { list: "citations" } } },
        },
      ],
    ],
    [
      "other offsets of Vertex AI stay residue",
      { citations: [{ ...quoted, ...about }] },
      [text],
      [{ ...annotation, extra: { gemini: { citation: quoted, $form: { list: "citations" } } } }],
    ],
    ["with several texts the citations stay residue", { citationSources: [quoted] }, [text, text], undefined],
    [
      "citations that are not a list of objects stay residue",
      { citationSources: [7], citations: {} },
      [text],
      undefined,
    ],
  ];
  test.each(rows)("%s", (_, citationMetadata, texts, annotations) => {
    // A code part between the texts, because adjacent texts are joined.
    const parts = texts.flatMap((each) => [{ text: each }, { executableCode: { code: "1" } }]);
    const wire = { candidates: [candidate(parts, { citationMetadata })] };
    const response = dialect.decodeResponse(wire);
    const [part] = response.message.parts;
    expect(part?.type === "text" ? part.annotations : part).toStrictEqual(annotations);
    expect(encode(response)).toStrictEqual({ wire, losses: [] });
  });

  test("citations and grounding of one answer are restored separately", () => {
    const metadata = {
      groundingMetadata: { groundingChunks: [{ web: { uri: "https://example.com/a" } }] },
      citationMetadata: { citationSources: [{ ...quoted, ...about }] },
    };
    const wire = { candidates: [candidate([{ text }], metadata)] };
    expect(encode(dialect.decodeResponse(wire))).toStrictEqual({ wire, losses: [] });
  });

  test("after an edit they stay citations if the answer has one text, else they become grounding", () => {
    const wire = {
      candidates: [
        candidate([{ text }], { citationMetadata: { citationSources: [{ ...quoted, ...about, license: "x" }] } }),
      ],
    };
    const response = dialect.decodeResponse(wire);
    const [part] = response.message.parts;
    if (part?.type !== "text") throw new Error("There is a text.");
    const edited = part.annotations?.map((each) => ({ ...each, title: "H", span: { start: 0, end: 1 } })) ?? [];
    const once = encode({ ...response, message: assistant([{ ...part, annotations: edited }]) });
    expect(once.wire.candidates?.[0]?.citationMetadata).toStrictEqual({
      citationSources: [{ endIndex: 3, uri: about.uri, title: "H", license: "x" }],
    });
    const twice = encode({ ...response, message: assistant([part, { type: "text", text: "And more." }]) });
    expect(twice.wire.candidates?.[0]?.groundingMetadata).toMatchObject({ groundingChunks: [{ web: about }] });
    expect(twice.losses).toStrictEqual([
      "form-stale /message/parts/0/annotations/0/extra/gemini/$form/list",
      "residue-conflict /message/parts/0/annotations/0/extra/gemini/citation",
    ]);
  });
});

test("B48: each of 3,000 supports is matched to its text", () => {
  const parts = Array.from({ length: 3000 }, () => ({ text: "x" }));
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: "https://example.com/a" } }],
    groundingSupports: parts.map((_, partIndex) => ({
      segment: { ...(partIndex > 0 && { partIndex }), endIndex: 1, text: "x" },
      groundingChunkIndices: [0],
    })),
  };
  const wire = { candidates: [candidate(parts, { groundingMetadata })] };
  const response = dialect.decodeResponse(wire);
  const [part, ...more] = response.message.parts;
  expect(part?.type === "text" && part.annotations?.map(({ span }) => span?.start)).toStrictEqual([...parts.keys()]);
  expect(more).toStrictEqual([]);
  expect(encode(response)).toStrictEqual({ wire, losses: [] });
});

test.each([
  ["at the end of the last piece", { endIndex: 1, text: "", startIndex: 1, partIndex: 2 }, 4],
  ["at the end of a chunk", { endIndex: 1, text: "", startIndex: 1 }, 1],
  ["at the end of a piece that is named", { endIndex: 2, text: "", startIndex: 2, partIndex: 1 }, 3],
])("B48: a support without text has its position, %s", (_, segment, start) => {
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: "https://example.com/a" } }],
    groundingSupports: [{ segment, groundingChunkIndices: [0] }],
  };
  const wire = { candidates: [candidate([{ text: "x" }, { text: "yz" }, { text: "w" }], { groundingMetadata })] };
  const response = dialect.decodeResponse(wire);
  expect(response.message.parts).toMatchObject([{ text: "xyzw", annotations: [{ span: { start, end: start } }] }]);
  expect(encode(response)).toStrictEqual({ wire, losses: [] });
});
