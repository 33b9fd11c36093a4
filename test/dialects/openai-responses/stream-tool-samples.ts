// Invented Responses streams with tools: custom tools, MCP servers and hosted tools.
import type { StreamSample } from "../../../src/testkit/index.ts";
import type { WireEventBody } from "./stream-events.ts";
import { added, argumentEvents, done, progressEvents, stream } from "./stream-events.ts";

const custom: WireEventBody = {
  id: "ctc_1",
  type: "custom_tool_call",
  status: "completed",
  call_id: "call_3",
  name: "sky",
  input: "",
};
const mcp: WireEventBody = {
  id: "mcp_1",
  type: "mcp_call",
  status: "completed",
  approval_request_id: null,
  arguments: "",
  error: null,
  name: "orbit",
  output: "27 days",
  server_label: "sky",
};
const listing: WireEventBody = {
  id: "mcpl_1",
  type: "mcp_list_tools",
  server_label: "sky",
  tools: [{ name: "orbit", input_schema: {}, annotations: null, description: "Orbits." }],
};
const mcpEvents = argumentEvents(1, mcp, "arguments", "mcp_call_arguments", ['{"of":', '"Moon"}']);

const code: WireEventBody = {
  id: "ci_1",
  type: "code_interpreter_call",
  status: "completed",
  code: 'print("🌟")\n',
  container_id: "cntr_1",
  outputs: [{ type: "logs", logs: "🌟\n" }],
};
const codeAt = { output_index: 0, item_id: "ci_1" };
const codeEvents: WireEventBody[] = [
  added(0, { ...code, status: "in_progress", code: "", outputs: null }),
  { type: "response.code_interpreter_call.in_progress", ...codeAt },
  ...['print("', "🌟", '")\n'].map((delta) => ({
    type: "response.code_interpreter_call_code.delta",
    ...codeAt,
    delta,
  })),
  { type: "response.code_interpreter_call_code.done", ...codeAt, code: code["code"] },
  { type: "response.code_interpreter_call.interpreting", ...codeAt },
  { type: "response.code_interpreter_call.completed", ...codeAt },
  done(0, code),
];

const search: WireEventBody = {
  id: "ws_1",
  type: "web_search_call",
  status: "completed",
  action: { type: "search", query: "Vega" },
};
const files: WireEventBody = {
  id: "fs_1",
  type: "file_search_call",
  status: "completed",
  queries: ["Vega"],
  results: [{ file_id: "file_1", score: 0.5 }],
};
const image: WireEventBody = {
  id: "ig_1",
  type: "image_generation_call",
  status: "completed",
  result: "aW1hZ2U=",
  output_format: "png",
  revised_prompt: "A star",
};
const preview: WireEventBody = {
  type: "response.image_generation_call.partial_image",
  output_index: 2,
  item_id: "ig_1",
  partial_image_b64: "cHJl",
  partial_image_index: 0,
};
const [imageStarted, ...imageSteps] = progressEvents(
  2,
  { id: "ig_1", type: "image_generation_call", status: "in_progress", result: null },
  ["in_progress", "generating", "completed"],
  image,
);

const shell: WireEventBody = {
  id: "sh_1",
  type: "shell_call",
  status: "completed",
  call_id: "call_5",
  action: { commands: ["ls"], timeout_ms: null, max_output_length: null },
  environment: { type: "container_reference", container_id: "cntr_1" },
};
const shellOutput: WireEventBody = {
  id: "sho_1",
  type: "shell_call_output",
  status: "completed",
  call_id: "call_5",
  output: [{ stdout: "a\n", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
  max_output_length: null,
};
const shellEvents: WireEventBody[] = [
  added(0, { ...shell, status: "in_progress", action: { commands: [""], timeout_ms: null, max_output_length: null } }),
  { type: "response.shell_call_command.added", output_index: 0, command_index: 0, command: "" },
  { type: "response.shell_call_command.delta", output_index: 0, command_index: 0, delta: "ls" },
  { type: "response.shell_call_command.done", output_index: 0, command_index: 0, command: "ls" },
  done(0, shell),
  added(1, { ...shellOutput, status: "in_progress", output: [] }),
  {
    type: "response.shell_call_output_content.delta",
    output_index: 1,
    item_id: "sho_1",
    command_index: 0,
    delta: { stdout: "a\n" },
  },
  {
    type: "response.shell_call_output_content.done",
    output_index: 1,
    item_id: "sho_1",
    command_index: 0,
    output: shellOutput["output"],
  },
  done(1, shellOutput),
];
const patch: WireEventBody = {
  id: "apc_1",
  type: "apply_patch_call",
  status: "completed",
  call_id: "call_6",
  operation: { type: "delete_file", path: "a" },
};
const compaction: WireEventBody = { id: "cmp_1", type: "compaction", encrypted_content: "all-of-it" };

export const toolStreams: readonly StreamSample[] = [
  {
    name: "a free-form call",
    events: stream(
      [argumentEvents(0, custom, "input", "custom_tool_call_input", ["up ", "there"])],
      [{ ...custom, input: "up there" }],
    ),
  },
  {
    name: "a listing and a call of a server's tools, and a request for approval",
    events: stream(
      [
        progressEvents(0, { ...listing, tools: [] }, ["in_progress", "completed"], listing),
        mcpEvents.map((event) =>
          event["type"] === "response.output_item.added"
            ? { ...event, item: { ...mcp, arguments: "", output: null, status: "in_progress" } }
            : event,
        ),
        [2].flatMap((index) => {
          const item = {
            id: "mcpr_1",
            type: "mcp_approval_request",
            arguments: "{}",
            name: "orbit",
            server_label: "sky",
          };
          return [added(index, item), done(index, item)];
        }),
      ],
      [
        listing,
        { ...mcp, arguments: '{"of":"Moon"}' },
        { id: "mcpr_1", type: "mcp_approval_request", arguments: "{}", name: "orbit", server_label: "sky" },
      ],
    ),
  },
  { name: "code that the provider runs", events: stream([codeEvents], [code]) },
  {
    name: "searches, and an image with a preview",
    events: stream(
      [
        progressEvents(
          0,
          { id: "ws_1", type: "web_search_call", status: "in_progress" },
          ["in_progress", "searching", "completed"],
          search,
        ),
        progressEvents(
          1,
          { ...files, status: "in_progress", results: null },
          ["in_progress", "searching", "completed"],
          files,
        ),
        [imageStarted as WireEventBody, preview, ...imageSteps],
      ],
      [search, files, image],
    ),
  },
  { name: "a shell of the provider's", events: stream([shellEvents], [shell, shellOutput]) },
  {
    name: "a patch and a compaction",
    events: stream(
      [
        [added(0, { ...patch, status: "in_progress" }), done(0, patch)],
        [
          added(1, compaction),
          { type: "response.compaction.compacting", output_index: 1, item_id: "cmp_1" },
          done(1, compaction),
        ],
      ],
      [patch, compaction],
    ),
  },
];
