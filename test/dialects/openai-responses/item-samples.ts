// Invented items of Responses: every kind at least once.
import type { WireSample } from "../../../src/testkit/index.ts";
import { assistantMessage, toolSamples } from "./tool-item-samples.ts";

const functionCall = (callId: string): object => ({
  type: "function_call",
  id: `fc_${callId}`,
  call_id: callId,
  name: "read_stars",
  arguments: '{"sign": "Lyra"}',
  status: "completed",
});
const functionOutput = (callId: string, output: unknown): object => ({
  type: "function_call_output",
  call_id: callId,
  output,
});

/** Lists of items without leading system text, which would become the instructions. */
export const messageSamples: readonly WireSample[] = [
  {
    name: "plain messages",
    wire: [
      { role: "user", content: "Where is north?" },
      { role: "assistant", content: "Behind you." },
      { role: "system", content: "Speak of stars only." },
      { role: "developer", content: "In one sentence." },
      { role: "user", content: "And by night?" },
    ],
  },
  {
    name: "messages with blocks and types",
    wire: [
      { role: "user", content: [{ type: "input_text", text: "One block." }] },
      { type: "message", role: "user", content: "A typed message.", status: "completed", id: "msg_user" },
      { role: "user", content: [] },
      { role: "user", content: "" },
      { role: "critic", content: "A role of tomorrow." },
      {
        role: "developer",
        content: [
          { type: "input_text", text: "Two", extra: 1 },
          { type: "input_text", text: "Three" },
        ],
      },
      { role: "assistant", content: [{ type: "output_text", text: "A list." }] },
    ],
  },
  {
    name: "user content",
    wire: [
      {
        role: "user",
        content: [
          { type: "input_image", image_url: "https://example.com/lyra.png", detail: "high" },
          { type: "input_image", image_url: "data:image/jpeg;base64,bHlyYQ==", detail: "auto" },
          { type: "input_image", file_id: "file_lyra", image_url: null },
          { type: "input_image" },
          { type: "input_file", filename: "stars.pdf", file_data: "data:application/pdf;base64,c3RhcnM=" },
          { type: "input_file", file_data: "c3RhcnM=" },
          { type: "input_file", file_url: "https://example.com/stars.pdf", detail: "low" },
          { type: "input_file", file_id: "file_stars" },
          { type: "input_audio", input_audio: { data: "c29uZw==", format: "mp3" } },
          { type: "input_audio", input_audio: { data: "c29uZw==", format: "flac" } },
          { type: "input_hologram", depth: 3 },
          { type: "input_text", text: "Cached.", prompt_cache_breakpoint: { mode: "explicit", ttl: "12h" } },
          { type: "input_image", file_id: "file_2", prompt_cache_breakpoint: { mode: "explicit" } },
        ],
      },
    ],
  },
  {
    name: "adjacent assistant messages",
    wire: [
      { role: "user", content: "Two answers, please." },
      { role: "assistant", content: "The first." },
      { role: "assistant", content: "The second." },
      assistantMessage("The third.", "msg_3"),
      { ...assistantMessage("The fourth.", "msg_4"), phase: "final_answer" },
      {
        type: "message",
        id: "msg_5",
        role: "assistant",
        status: "incomplete",
        content: [{ type: "refusal", refusal: "No." }],
      },
      {
        type: "message",
        id: "msg_6",
        role: "assistant",
        status: "completed",
        content: [
          { type: "output_text", text: "A star 🌟 is cited.", annotations: [], logprobs: [] },
          { type: "refusal", refusal: "Not the other one." },
          { type: "output_audio", data: "c29uZw==", transcript: "A song." },
        ],
      },
      { role: "assistant", content: [{ type: "input_text", text: "As somebody wrote it." }] },
      { id: "msg_7", role: "assistant", content: "With an id, as a string." },
      { role: "assistant", content: [] },
    ],
  },
  {
    name: "citations and log probabilities",
    wire: [
      {
        type: "message",
        id: "msg_cited",
        role: "assistant",
        status: "completed",
        content: [
          {
            type: "output_text",
            text: "🌟 Lyra shines, says the atlas.",
            annotations: [
              { type: "url_citation", start_index: 2, end_index: 13, title: "Lyra", url: "https://example.com/lyra" },
              { type: "url_citation", url: "https://example.com/bare" },
              { type: "file_citation", file_id: "file_atlas", filename: "atlas.pdf", index: 13 },
              { type: "file_path", file_id: "file_path", index: 4 },
              {
                type: "container_file_citation",
                container_id: "cntr_1",
                file_id: "cfile_1",
                filename: "plot.png",
                start_index: 0,
                end_index: 99,
              },
              { type: "url_citation", start_index: -1, end_index: "end", title: null, url: "https://example.com/odd" },
              { type: "star_citation", star: "Vega" },
            ],
            logprobs: [
              {
                token: "Lyra",
                logprob: -0.25,
                bytes: [76, 121],
                top_logprobs: [{ token: "Vega", logprob: -1.5, bytes: [86] }],
              },
              { token: "!", logprob: -9999, bytes: null },
            ],
          },
        ],
      },
    ],
  },
  {
    name: "reasoning",
    wire: [
      { role: "user", content: "Think." },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [
          { type: "summary_text", text: "First thoughts." },
          { type: "summary_text", text: "Second thoughts." },
        ],
        encrypted_content: "gAAAA-one",
      },
      functionCall("call_1"),
      functionOutput("call_1", "Bright."),
      {
        type: "reasoning",
        id: "rs_2",
        summary: [],
        content: [{ type: "reasoning_text", text: "Raw." }],
        status: "completed",
      },
      assistantMessage("Thought."),
      { type: "reasoning", id: "rs_3", summary: [], content: [], encrypted_content: null },
      { type: "reasoning", id: "rs_4" },
      { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Without an id." }] },
      {
        type: "reasoning",
        id: "rs_5",
        summary: [],
        content: [
          { type: "reasoning_text", text: "a" },
          { type: "reasoning_text", text: "b" },
        ],
      },
      { type: "reasoning", id: "rs_6", summary: [{ type: "summary_song", text: "La." }] },
      assistantMessage("Done.", "msg_done"),
    ],
  },
  {
    name: "calls and results",
    wire: [
      { role: "user", content: "Call." },
      functionCall("call_a"),
      { type: "function_call", call_id: "call_b", name: "no_id", arguments: "{}", namespace: "stars" },
      { type: "function_call", id: "fc_c", call_id: "call_c", name: "cut", arguments: '{"cut":', status: "incomplete" },
      { type: "function_call", id: "fc_d", call_id: "call_d", name: "cut_too", arguments: "{}", status: "incomplete" },
      { type: "function_call", call_id: "call_e", name: "absent" },
      { type: "function_call", call_id: "call_f", name: "object", arguments: { big: 1 } },
      { type: "function_call", call_id: "call_a", name: "twice", arguments: "" },
      { type: "function_call", name: "nobody", arguments: "{}" },
      {
        type: "custom_tool_call",
        id: "ctc_1",
        call_id: "call_g",
        name: "write",
        input: "free text",
        status: "completed",
      },
      functionOutput("call_b", "second first"),
      functionOutput("call_a", [
        { type: "input_text", text: "Look:" },
        { type: "input_image", image_url: "data:image/png;base64,bG9vaw==" },
        { type: "input_file", file_id: "file_look" },
        { type: "input_star", star: "Vega" },
      ]),
      functionOutput("call_c", ""),
      functionOutput("call_d", []),
      { type: "function_call_output", id: "fco_1", call_id: "call_e", output: "x", status: "completed" },
      { type: "function_call_output", call_id: "call_f", output: "y", caller: { type: "direct" } },
      { type: "function_call_output", call_id: null, name: "nobody", output: "z" },
      { type: "function_call_output", call_id: "call_unknown", output: 7 },
      { type: "custom_tool_call_output", call_id: "call_g", output: "written" },
    ],
  },
  ...toolSamples,
  {
    name: "unknown items",
    wire: [
      { type: "additional_tools", role: "developer", tools: [{ type: "function", name: "later" }] },
      { type: "item_reference", id: "msg_elsewhere" },
      { id: "msg_untyped" },
      { type: "compaction", id: "cmp_1", encrypted_content: "gAAAA-two" },
      { type: "compaction_trigger" },
      { type: "configuration_update", reasoning: { effort: "low" } },
      { type: "program", id: "pr_1", call_id: "call_p", code: "tools.a()", fingerprint: "f" },
      { type: "program_output", id: "po_1", call_id: "call_p", result: "1", status: "completed" },
      { role: "user", content: "Go on." },
      { type: "star_call", id: "star_1", star: "Vega" },
      { type: "web_search_call", action: { type: "search", query: "no id" } },
      { role: 7, content: "x" },
    ],
  },
];
