// Made-up lists of Anthropic messages, with every block at least once.
import type { MessageSample } from "../../../src/testkit/index.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";
const PDF = "JVBERi0xLjQKJcOkw7zDtsOf";
export const ephemeral = { type: "ephemeral" };

/** An answer with a call of every provider tool. */
export const providerBlocks = [
  {
    type: "server_tool_use",
    id: "srvtoolu_1",
    name: "web_search",
    input: { query: "agora" },
    caller: { type: "direct" },
  },
  {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [
      {
        type: "web_search_result",
        title: "The agora",
        url: "https://example.com/agora",
        encrypted_content: "c2VjcmV0",
        page_age: null,
      },
    ],
  },
  { type: "server_tool_use", id: "srvtoolu_2", name: "web_fetch", input: { url: "https://example.com/agora" } },
  {
    type: "web_fetch_tool_result",
    tool_use_id: "srvtoolu_2",
    content: { type: "web_fetch_tool_result_error", error_code: "url_not_accessible" },
  },
  { type: "server_tool_use", id: "srvtoolu_3", name: "code_execution", input: { code: "print(6 * 7)" } },
  {
    type: "code_execution_tool_result",
    tool_use_id: "srvtoolu_3",
    content: {
      type: "code_execution_result",
      stdout: "42\n",
      stderr: "",
      return_code: 0,
      content: [{ type: "code_execution_output", file_id: "file_plot" }],
    },
  },
  { type: "server_tool_use", id: "srvtoolu_4", name: "bash_code_execution", input: { command: "ls" } },
  {
    type: "bash_code_execution_tool_result",
    tool_use_id: "srvtoolu_4",
    content: { type: "bash_code_execution_result", stdout: "a.txt", stderr: "", return_code: 0, content: [] },
  },
  { type: "server_tool_use", id: "srvtoolu_5", name: "text_editor_code_execution", input: { command: "view" } },
  {
    type: "text_editor_code_execution_tool_result",
    tool_use_id: "srvtoolu_5",
    content: { type: "text_editor_code_execution_view_result", content: "One line.", file_type: "text", num_lines: 1 },
  },
  { type: "server_tool_use", id: "srvtoolu_6", name: "tool_search_tool_regex", input: { pattern: "weather" } },
  {
    type: "tool_search_tool_result",
    tool_use_id: "srvtoolu_6",
    content: {
      type: "tool_search_tool_search_result",
      tool_references: [{ type: "tool_reference", tool_name: "get_weather" }],
    },
  },
  { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "echo-server", input: { text: "Hello" } },
  { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [{ type: "text", text: "Hello" }] },
  { type: "server_tool_use", id: "srvtoolu_7", name: "advisor", input: {} },
  {
    type: "advisor_tool_result",
    tool_use_id: "srvtoolu_7",
    content: { type: "advisor_redacted_result", encrypted_content: "ZW5jcnlwdGVk" },
  },
  { type: "container_upload", file_id: "file_uploaded" },
  { type: "compaction", content: "What was said so far, in short.", encrypted_content: null },
  { type: "fallback", from: { model: "claude-one" }, to: { model: "claude-two" } },
  { type: "mcp_tool_listing", mcp_server_name: "echo-server", tools: [{ name: "echo" }] },
  { type: "hologram", depth: 3 },
];

export const citedText = {
  type: "text",
  text: "The agora was a market.",
  citations: [
    {
      type: "web_search_result_location",
      url: "https://example.com/agora",
      title: "The agora",
      cited_text: "a market",
      encrypted_index: "aW5kZXg=",
    },
    {
      type: "char_location",
      cited_text: "a market",
      document_index: 0,
      document_title: "Notes",
      start_char_index: 4,
      end_char_index: 12,
      file_id: null,
    },
    {
      type: "page_location",
      cited_text: "a market place",
      document_index: 1,
      document_title: null,
      start_page_number: 2,
      end_page_number: 3,
      file_id: "file_cited",
    },
    {
      type: "content_block_location",
      cited_text: "market",
      document_index: 2,
      document_title: "Blocks",
      start_block_index: 0,
      end_block_index: 1,
    },
    {
      type: "search_result_location",
      cited_text: "the market of Athens",
      search_result_index: 0,
      source: "https://example.com/athens",
      title: "Athens",
      start_block_index: 0,
      end_block_index: 1,
    },
    { type: "constellation_location", star: "Spica" },
  ],
};

const thinking = { type: "thinking", thinking: "The user wants the weather.", signature: "c2lnbmVk" };

export const toolLoop = [
  { role: "user", content: "How is the weather in Corinth and Thebes?" },
  {
    role: "assistant",
    content: [
      thinking,
      { type: "text", text: "I will look." },
      { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Corinth", days: 2 } },
      { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
      { type: "tool_use", id: "toolu_2", name: "get_weather", input: {}, caller: { type: "direct" } },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_1", content: "Sunny." },
      {
        type: "tool_result",
        tool_use_id: "toolu_2",
        is_error: true,
        content: [
          { type: "text", text: "No city was given." },
          { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
          { type: "tool_reference", tool_name: "get_weather" },
        ],
        cache_control: { type: "ephemeral", ttl: "5m" },
      },
      { type: "text", text: "Go on." },
    ],
  },
  { role: "assistant", content: "It is sunny in Corinth." },
];

export const media = {
  role: "user",
  content: [
    { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL }, cache_control: ephemeral },
    {
      type: "image",
      source: { type: "url", url: "https://example.com/agora.png" },
      transformations: { oversized_image: "error" },
    },
    { type: "image", source: { type: "file", file_id: "file_image" } },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: PDF },
      title: "agora.pdf",
      context: "Handed out in class.",
      citations: { enabled: true },
    },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "Plain words." }, title: null },
    { type: "document", source: { type: "url", url: "https://example.com/agora.pdf" } },
    { type: "document", source: { type: "file", file_id: "file_document" } },
    { type: "document", source: { type: "content", content: "One block of words." } },
    {
      type: "document",
      source: {
        type: "content",
        content: [
          { type: "text", text: "A block." },
          { type: "image", source: { type: "url", url: "https://example.com/block.png" } },
        ],
      },
    },
    {
      type: "search_result",
      source: "https://example.com/athens",
      title: "Athens",
      content: [{ type: "text", text: "The market of Athens." }],
      citations: { enabled: true },
    },
    { type: "text", text: "What is all this?" },
  ],
};

/** Lists of messages that end with an answer, so that an appended message is a new turn. */
export const messageSamples: readonly MessageSample[] = [
  {
    name: "a greeting",
    wire: [
      { role: "user", content: "Good morning." },
      { role: "assistant", content: "Good day to you." },
    ],
  },
  { name: "a tool loop with thinking", wire: toolLoop },
  { name: "media and documents", wire: [media, { role: "assistant", content: [citedText] }] },
  {
    name: "provider tools",
    wire: [
      { role: "user", content: [{ type: "text", text: "Do everything." }] },
      { role: "assistant", content: providerBlocks },
    ],
  },
  {
    name: "two messages of one role",
    wire: [
      { role: "user", content: "First." },
      { role: "user", content: [{ type: "text", text: "Second." }] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_a", name: "look", input: { at: 1 } }] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_b", name: "look", input: { at: 2 } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_b", content: "", is_error: false }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_a" }] },
      { role: "user", content: "Third." },
      { role: "assistant", content: "Fourth." },
    ],
  },
  {
    name: "a system message within the history, and an unknown role",
    wire: [
      { role: "system", content: "In front, but in place." },
      { role: "user", content: "Hello." },
      { role: "system", content: [{ type: "text", text: "From now on in verse." }], clear_at: "next_user_message" },
      { role: "user", content: "Go on." },
      { role: "system", output_config: { effort: "low" } },
      { role: "critic", content: "Not so good." },
      { role: "critic", content: [] },
      { role: "assistant", content: "Well." },
    ],
  },
  {
    name: "unusual but valid content",
    wire: [
      { role: "user", content: [] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Unsigned.", signature: "" },
          { type: "thinking", thinking: "Never signed." },
          { type: "tool_use", id: "toolu_same", name: "look", input: { first: true } },
          { type: "tool_use", id: "toolu_same", name: "look" },
          { type: "tool_use", name: "look", input: "no object" },
          { type: "text", text: "", citations: null, cache_control: null },
          { type: "text", text: "Cached.", citations: [], cache_control: { type: "ephemeral", ttl: "24h" } },
          { type: "text" },
          { type: "image", source: { type: "carrier pigeon" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "Before." },
          { type: "tool_result", tool_use_id: "toolu_same" },
        ],
      },
      { role: "assistant", content: "" },
    ],
  },
];
