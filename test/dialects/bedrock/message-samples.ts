// Made-up Bedrock messages, with every block at least once and unknown ones.
import type { MessageSample } from "../../../src/testkit/index.ts";

const PIXEL = "iVBORw0KGgo=";

export const cachePoint = { cachePoint: { type: "default" } };

export const toolLoop = [
  { role: "user", content: [{ text: "Weather in Athens and Sparta?" }] },
  {
    role: "assistant",
    content: [
      { reasoningContent: { reasoningText: { text: "Two cities, two calls.", signature: "c2lnbmF0dXJl" } } },
      { text: "I will look." },
      { toolUse: { toolUseId: "tooluse_1", name: "get_weather", input: { zone: "gr", city: "Athens" } } },
      { toolUse: { toolUseId: "tooluse_2", name: "get_weather", input: { city: "Sparta" }, type: "tool_use" } },
    ],
  },
  {
    role: "user",
    content: [
      { toolResult: { toolUseId: "tooluse_1", content: [{ text: "Sunny." }], status: "success" } },
      { toolResult: { toolUseId: "tooluse_2", content: [{ json: { sky: "grey", degrees: 17 } }] } },
      { text: "Be quick." },
    ],
  },
  { role: "assistant", content: [{ text: "Sun in Athens, clouds in Sparta." }] },
];

export const media = {
  role: "user",
  content: [
    { text: "Look at all of this." },
    { image: { format: "png", source: { bytes: PIXEL } } },
    { image: { format: "jpeg", source: { s3Location: { uri: "s3://agora/view.jpg", bucketOwner: "123456789012" } } } },
    { document: { format: "pdf", name: "Laws of the city", source: { bytes: "JVBERi0xLjQ=" } } },
    {
      document: {
        format: "txt",
        name: "Speech",
        source: { text: "Men of Athens." },
        context: "Given in the morning.",
        citations: { enabled: true },
      },
    },
    { document: { name: "Chapters", source: { content: [{ text: "One." }, { text: "Two." }] } } },
    { video: { format: "three_gp", source: { s3Location: { uri: "s3://agora/walk.3gp" } } } },
    { video: { format: "mp4", source: { bytes: "AAAA" } } },
    { audio: { format: "mp3", source: { bytes: "SUQz" } } },
    { audio: { format: "mpeg", source: { bytes: "SUQz" } } },
    {
      searchResult: {
        source: "https://example.com/agora",
        title: "The agora",
        content: [{ text: "It is in the middle." }],
        citations: { enabled: true },
      },
    },
  ],
};

/** Bytes as a JSON serializer writes the SDK's arrays. */
export const unusualBytes = {
  role: "user",
  content: [
    { image: { format: "png", source: { bytes: { type: "Buffer", data: [137, 80, 78, 71] } } } },
    { document: { format: "md", name: "Notes", source: { bytes: { "0": 72, "1": 105 } } } },
    { image: { format: "webp", source: { bytes: [82, 73, 70, 70] } } },
  ],
};

export const citedText = {
  citationsContent: {
    content: [{ text: "It is in the middle." }],
    citations: [
      {
        title: "The agora",
        source: "https://example.com/agora",
        sourceContent: [{ text: "in the middle" }],
        location: { documentChar: { documentIndex: 0, start: 3, end: 16 } },
      },
      { title: "A page", location: { web: { url: "https://example.com/page", domain: "example.com" } } },
      {
        sourceContent: [{ text: "one" }, { text: "two" }],
        location: { searchResultLocation: { searchResultIndex: 1 } },
      },
    ],
  },
};

/** A call and a result of a provider tool. */
export const providerBlocks = [
  { toolUse: { toolUseId: "tooluse_s", name: "nova_grounding", input: {}, type: "server_tool_use" } },
  {
    toolResult: {
      toolUseId: "tooluse_s",
      type: "nova_grounding_result",
      content: [{ json: { results: [{ domain: "example.com" }] } }],
      status: "success",
    },
  },
];

export const messageSamples: readonly MessageSample[] = [
  { name: "a tool loop", wire: toolLoop },
  { name: "media", wire: [media, { role: "assistant", content: [{ text: "I see." }] }] },
  { name: "bytes in other spellings", wire: [unusualBytes, { role: "assistant", content: [{ text: "I see." }] }] },
  {
    name: "reasoning of every kind",
    wire: [
      { role: "user", content: [{ text: "Think." }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { redactedContent: "cmVkYWN0ZWQ=" } },
          { reasoningContent: { reasoningText: { text: "", signature: "c2ln" } } },
          { reasoningContent: { reasoningText: { text: "Nobody signed this." } } },
          { reasoningContent: { reasoningText: { text: "Nor this.", signature: "" }, hint: 1 } },
          citedText,
          { citationsContent: { content: [{ text: "Nothing cited." }], citations: [] } },
          { citationsContent: { content: [{ text: "In " }, { text: "pieces." }] } },
        ],
      },
    ],
  },
  {
    name: "provider tools",
    wire: [
      { role: "user", content: [{ text: "Search." }] },
      { role: "assistant", content: [...providerBlocks, { text: "Found." }] },
      { role: "user", content: [{ text: "Again." }] },
      { role: "assistant", content: [providerBlocks[0], { toolResult: { toolUseId: "tooluse_s", content: [] } }] },
    ],
  },
  {
    name: "results of every kind",
    wire: [
      {
        role: "assistant",
        content: ["a", "b", "c", "d", "e", "f"].map((id) => ({ toolUse: { toolUseId: id, name: "look", input: {} } })),
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "b", content: [{ text: "x", note: 1 }], status: "error" } },
          { toolResult: { toolUseId: "a", content: [{ json: { a: 1 } }, { text: "and this" }] } },
          { toolResult: { toolUseId: "c", content: [] } },
          { toolResult: { toolUseId: "d", content: [{ json: "a text" }] } },
          {
            toolResult: {
              toolUseId: "e",
              content: [
                { text: "see" },
                { image: { format: "png", source: { bytes: PIXEL } } },
                { document: { format: "csv", name: "table", source: { bytes: "YSxi" } } },
                { video: { format: "webm", source: { bytes: "AAAA" } } },
              ],
            },
          },
          { toolResult: { toolUseId: "f", content: [{ json: [1, 2] }] } },
          { toolResult: { toolUseId: "nobody", content: [{ text: "An orphan." }] } },
        ],
      },
      { role: "assistant", content: [{ text: "So that is that." }] },
    ],
  },
  {
    name: "cache points, guard content and tools that are added and removed",
    wire: [
      {
        role: "user",
        content: [
          cachePoint,
          { guardContent: { text: { text: "Is it so?", qualifiers: ["query"] } } },
          { cachePoint: { type: "default", ttl: "1h" } },
          { guardContent: { image: { format: "jpeg", source: { bytes: "/9j/" } } } },
          { text: "Well?" },
          { cachePoint: { type: "special" } },
        ],
      },
      { role: "system", content: [{ toolAddition: { tool: { type: "tool", name: "look" } } }] },
      { role: "assistant", content: [{ text: "So it is." }, cachePoint, cachePoint] },
    ],
  },
  {
    name: "unknown blocks and fields",
    wire: [
      { role: "user", content: [{ hologram: { format: "h1" } }, { text: "Look.", mood: "calm" }], seen: null },
      { role: "oracle", content: [{ text: "Hm." }] },
      { role: "user", content: "A plain text." },
      { role: "user", content: [] },
      { role: "user", content: [{ image: { format: "tiff!", source: { cloud: 1 } } }, { text: 7 }, {}] },
      { role: "user", content: [{ document: { format: "odt", name: null, source: { bytes: "AA==", x: 1 } } }] },
      { role: "assistant" },
      { role: "assistant", content: null },
    ],
  },
];
