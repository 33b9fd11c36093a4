// Invented answers of Responses: every status and every kind of item at least once.
import type { WireSample } from "../../../src/testkit/index.ts";

const usage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 10, cache_write_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 50,
};
const message = (text: string): object => ({
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

/** An answer with all echoed request settings. */
const answer = (fields: object): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1741476542,
  completed_at: 1741476543,
  status: "completed",
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  model: "gpt-star-2026",
  output: [message("Vega.")],
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: "default",
  store: true,
  temperature: 1.0,
  text: { format: { type: "text" }, verbosity: "medium" },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1.0,
  truncation: "disabled",
  usage,
  user: null,
  metadata: {},
  ...fields,
});

export const responseSamples: readonly WireSample[] = [
  { name: "a plain answer", wire: answer({}) },
  { name: "an answer with the SDK's output_text", wire: answer({ output_text: "Vega." }) },
  { name: "an answer with another output_text than its items", wire: answer({ output_text: "Deneb." }) },
  {
    name: "an answer with few fields",
    wire: { id: "resp_2", object: "response", output: [], model: "m", status: "completed" },
  },
  { name: "an answer with fewer fields", wire: { output: [{ role: "assistant", content: "Vega." }] } },
  {
    name: "an answer that ran out of tokens",
    wire: answer({ status: "incomplete", incomplete_details: { reason: "max_output_tokens", at: 3 } }),
  },
  {
    name: "an answer that was filtered",
    wire: answer({ status: "incomplete", incomplete_details: { reason: "content_filter" }, output: [] }),
  },
  {
    name: "an answer with an unknown incomplete reason",
    wire: answer({ status: "incomplete", incomplete_details: { reason: "eclipse" } }),
  },
  { name: "an answer with an unknown status", wire: answer({ status: "eclipsed", incomplete_details: {} }) },
  { name: "an answer that is incomplete without a reason", wire: answer({ status: "incomplete" }) },
  { name: "an answer that was cancelled", wire: answer({ status: "cancelled", output: [], usage: null }) },
  { name: "an answer in progress", wire: answer({ status: "in_progress", output: [], created_at: 1741476542.25 }) },
  {
    name: "an answer that failed",
    wire: answer({
      status: "failed",
      error: { code: "rate_limit_exceeded", message: "Slow down.", param: null },
      output: [],
    }),
  },
  {
    name: "an answer with an error of an unknown format",
    wire: answer({ error: { code: null, message: "A warning." } }),
  },
  { name: "a date that a clock cannot show", wire: answer({ created_at: 1741476542.1234567 }) },
  {
    name: "reasoning and calls",
    wire: answer({
      output: [
        { id: "rs_1", type: "reasoning", summary: [], content: [], encrypted_content: "gAAAA-four" },
        { ...message("One moment."), id: "msg_2", phase: "commentary" },
        { id: "fc_1", type: "function_call", status: "completed", arguments: "{}", call_id: "call_1", name: "look_up" },
        { id: "fc_2", type: "function_call", status: "incomplete", arguments: "{", call_id: "call_2", name: "look_up" },
        { id: "ctc_1", type: "custom_tool_call", status: "completed", input: "x", call_id: "call_3", name: "write" },
        { type: "function_call", arguments: "{}", call_id: "call_4", name: "no_id" },
        { id: "mcpr_1", type: "mcp_approval_request", arguments: "{}", name: "shorten", server_label: "zip" },
      ],
    }),
  },
  {
    name: "items of hosted tools",
    wire: answer({
      output: [
        { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "Vega" } },
        {
          id: "sh_1",
          type: "shell_call",
          status: "completed",
          call_id: "call_1",
          action: { commands: ["ls"] },
          environment: { type: "container_reference", container_id: "cntr_1" },
        },
        { id: "sho_1", type: "shell_call_output", status: "completed", call_id: "call_1", output: [] },
        { id: "sho_2", type: "shell_call_output", status: "completed", call_id: "call_earlier", output: [] },
        {
          id: "ts_1",
          type: "tool_search_call",
          status: "completed",
          execution: "server",
          call_id: null,
          arguments: {},
        },
        { id: "to_1", type: "tool_search_output", status: "completed", execution: "server", call_id: null, tools: [] },
        { id: "fco_1", type: "function_call_output", status: "completed", call_id: "call_2", output: "seen" },
        { id: "ig_1", type: "image_generation_call", status: "failed", result: null, error: { message: "no" } },
        message("Vega."),
        { id: "cmp_1", type: "compaction", encrypted_content: "gAAAA-five" },
      ],
    }),
  },
  {
    name: "two assistant messages, and one of another role",
    wire: answer({
      output: [
        message("Vega."),
        { ...message("Deneb."), id: "msg_2" },
        { type: "message", role: "user", content: "I?" },
      ],
    }),
  },
  {
    name: "usage with unknown counts",
    wire: answer({
      usage: {
        input_tokens: 3,
        output_tokens: 4,
        cost: 5,
        input_tokens_details: null,
        output_tokens_details: { x: 1 },
      },
    }),
  },
  {
    name: "echoes",
    wire: answer({ instructions: [{ role: "system", content: "Stars." }], tools: [{ type: "computer" }] }),
  },
];
