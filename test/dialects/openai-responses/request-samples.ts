// Invented requests and errors of Responses: every parameter, tool and tool choice at least once.
import type { WireSample } from "../../../src/testkit/index.ts";

const schema = {
  type: "object",
  properties: { zenith: { type: "number" }, azimuth: { type: "number" } },
  required: ["zenith", "azimuth"],
  additionalProperties: false,
};
const lookUp = { type: "function", name: "look_up", description: "Looks up.", parameters: schema, strict: true };
const write = { type: "custom", name: "write", description: "Writes." };
const question = (settings: object): object => ({ model: "gpt-star", input: "Which star is that?", ...settings });

const hosted = [
  { type: "web_search", search_context_size: "low", filters: { allowed_domains: ["example.com"] } },
  { type: "web_search_preview", user_location: { type: "approximate", city: "Thebes" } },
  { type: "file_search", vector_store_ids: ["vs_1"], ranking_options: { score_threshold: 0.25 } },
  { type: "code_interpreter", container: { type: "auto", file_ids: ["file_1"] } },
  { type: "image_generation", size: "1024x1024", partial_images: 2 },
  { type: "mcp", server_label: "zip", server_url: "https://example.com/mcp", require_approval: "never" },
  { type: "computer_use_preview", display_width: 640, display_height: 480, environment: "linux" },
  { type: "computer" },
  { type: "local_shell" },
  { type: "shell", environment: { type: "container_auto" } },
  { type: "apply_patch" },
  { type: "tool_search", execution: "client", parameters: {} },
  { type: "programmatic_tool_calling" },
  { type: "namespace", name: "stars", description: "Stars.", tools: [lookUp] },
  { type: "telescope", aperture: 12 },
  { name: "untyped" },
];

export const requestSamples: readonly WireSample[] = [
  { name: "an input string", wire: question({}) },
  {
    name: "instructions",
    wire: question({ instructions: "Speak of stars.", input: [{ role: "user", content: "Go on." }] }),
  },
  { name: "empty instructions", wire: question({ instructions: null, input: "" }) },
  { name: "no input", wire: { model: "gpt-star", prompt: { id: "pmpt_1", variables: { star: "Vega" } } } },
  {
    name: "system messages in the input",
    wire: {
      model: "gpt-star",
      instructions: "First.",
      input: [
        { role: "system", content: "Second." },
        { role: "system", content: [{ type: "input_text", text: "Third." }] },
        { role: "developer", content: "Fourth." },
        { role: "user", content: "Fifth." },
        { role: "system", content: "Sixth." },
        { role: "user", content: "Seventh." },
      ],
    },
  },
  {
    name: "every parameter",
    wire: {
      model: "gpt-star",
      input: [{ role: "user", content: "All of it." }],
      background: false,
      context_management: [{ type: "compaction", compact_threshold: 1000 }],
      conversation: { id: "conv_1" },
      include: ["reasoning.encrypted_content", "message.output_text.logprobs"],
      max_output_tokens: 400,
      max_tool_calls: 3,
      metadata: { chart: "north" },
      parallel_tool_calls: false,
      previous_response_id: null,
      prompt_cache_key: "charts",
      prompt_cache_options: { mode: "explicit", ttl: "12h" },
      prompt_cache_retention: "24h",
      reasoning: { effort: "low", summary: "auto", context: "all_turns", mode: "pro" },
      safety_identifier: "user-7",
      service_tier: "flex",
      store: true,
      stream: true,
      stream_options: { include_obfuscation: false },
      temperature: 0.5,
      text: { format: { type: "text" }, verbosity: "low" },
      tool_choice: "auto",
      tools: [lookUp],
      top_logprobs: 2,
      top_p: 0.9,
      truncation: "auto",
      user: "user-8",
      moderation: { model: "omni", policy: { input: { mode: "score" } } },
      telescope: { aperture: 12 },
    },
  },
  {
    name: "parameters that are null or empty",
    wire: question({
      temperature: null,
      metadata: null,
      reasoning: null,
      text: {},
      tools: [],
      stream: null,
      store: null,
    }),
  },
  {
    name: "settings without known fields",
    wire: question({ reasoning: {}, text: { verbosity: "high" }, include: [] }),
  },
  {
    name: "log probabilities first",
    wire: question({ include: ["message.output_text.logprobs", "file_search_call.results"] }),
  },
  { name: "JSON", wire: question({ text: { format: { type: "json_object" } } }) },
  {
    name: "output of a JSON schema",
    wire: question({
      text: {
        format: { type: "json_schema", name: "position", description: "Where.", schema, strict: true, flavour: "new" },
        verbosity: "medium",
      },
    }),
  },
  {
    name: "a schema with a null",
    wire: question({ text: { format: { type: "json_schema", name: "position", schema, strict: null } } }),
  },
  { name: "an unknown output format", wire: question({ text: { format: { type: "verse", metre: "hexameter" } } }) },
  {
    name: "tools of the client",
    wire: question({
      tools: [
        lookUp,
        { type: "function", name: "loose", parameters: { type: "object" }, strict: false, defer_loading: true },
        { type: "function", name: "undecided", parameters: null, strict: null, description: null },
        { type: "function", name: "short" },
        { type: "function", name: "shaped", parameters: schema, strict: true, output_schema: schema },
        write,
        { ...write, name: "write_text", format: { type: "text" } },
        { ...write, name: "write_regex", format: { type: "grammar", syntax: "regex", definition: "[a-z]+" } },
      ],
      tool_choice: "required",
      parallel_tool_calls: true,
    }),
  },
  { name: "tools of the provider", wire: question({ tools: hosted, tool_choice: { type: "web_search_preview" } }) },
  {
    name: "one function chosen",
    wire: question({ tools: [lookUp], tool_choice: { type: "function", name: "look_up" } }),
  },
  {
    name: "one custom tool chosen",
    wire: question({ tools: [write], tool_choice: { type: "custom", name: "write" } }),
  },
  {
    name: "a choice that names an unknown tool",
    wire: question({ tools: [lookUp], tool_choice: { type: "custom", name: "look_up" } }),
  },
  {
    name: "several tools allowed",
    wire: question({
      tools: [lookUp, write],
      tool_choice: {
        type: "allowed_tools",
        mode: "required",
        tools: [
          { type: "function", name: "look_up" },
          { type: "custom", name: "write" },
        ],
      },
    }),
  },
  {
    name: "hosted tools allowed",
    wire: question({
      tools: [lookUp, ...hosted],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "mcp", server_label: "zip" }] },
    }),
  },
  {
    name: "a turn with tools, reasoning and an answer",
    wire: {
      model: "gpt-star",
      input: [
        { role: "user", content: [{ type: "input_text", text: "What is up there?" }] },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA-three" },
        {
          type: "function_call",
          id: "fc_1",
          call_id: "call_1",
          name: "look_up",
          arguments: '{"zenith": 12345678901234567890, "azimuth": 1.0}',
          status: "completed",
        },
        { type: "function_call_output", call_id: "call_1", output: "Vega" },
        {
          type: "message",
          id: "msg_1",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "Vega is up there.", annotations: [], logprobs: [] }],
        },
        { role: "user", content: "And now?" },
      ],
      tools: [lookUp],
      store: false,
      include: ["reasoning.encrypted_content"],
    },
  },
  {
    name: "a history that continues a stored response",
    wire: {
      model: "gpt-star",
      previous_response_id: "resp_before",
      input: [{ type: "function_call_output", call_id: "call_before", output: "Deneb" }],
    },
  },
  {
    name: "references",
    wire: {
      model: "gpt-star",
      input: [
        { type: "item_reference", id: "fc_before" },
        { type: "function_call_output", call_id: "call_before", output: "Deneb" },
        { role: "user", content: "Thanks." },
      ],
    },
  },
  { name: "a field called $form", wire: question({ $form: { odd: 1 }, $form$form: 2 }) },
];

export const errorSamples: readonly WireSample[] = [
  {
    name: "an envelope",
    wire: {
      error: { message: "No such parameter: 'star'.", type: "invalid_request_error", param: "star", code: null },
    },
    status: 400,
  },
  {
    name: "a rate limit",
    wire: {
      error: {
        message: "Rate limit reached for requests. Please try again in 6m0s.",
        type: "requests",
        param: null,
        code: "rate_limit_exceeded",
      },
    },
    status: 429,
  },
  {
    name: "an exceeded quota",
    wire: { error: { message: "Pay first.", type: "insufficient_quota", param: null, code: "insufficient_quota" } },
    status: 429,
  },
  {
    name: "an invalid key",
    wire: { error: { message: "Wrong key.", type: "invalid_request_error", param: null, code: "invalid_api_key" } },
    status: 401,
  },
  { name: "a server error", wire: { error: { message: "Oops.", type: "server_error" } }, status: 500 },
  { name: "an envelope with only a message", wire: { error: "Error: 400 The star is unknown." }, status: 400 },
  { name: "a body with a detail", wire: { detail: "Not Found" }, status: 404 },
  {
    name: "a body without an envelope",
    wire: { object: "error", message: "Too long for the context window.", code: 400 },
    status: 400,
  },
];
