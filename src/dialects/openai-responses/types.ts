// The wire: what the encoder writes for canonical values, by hand. Test types hold it against the official SDK's.

export type InputText = { type: "input_text"; text: string };
export type InputImage = { type: "input_image"; image_url?: string; file_id?: string };
export type InputFile = {
  type: "input_file";
  file_data?: string;
  file_url?: string;
  file_id?: string;
  filename?: string;
};
export type InputAudio = { type: "input_audio"; input_audio: { data: string; format: "mp3" | "wav" } };
export type InputBlock = InputText | InputImage | InputFile;

/** What a user, system or developer says. */
export type InputMessage<Block = InputBlock> = { role: "user" | "system" | "developer"; content: string | Block[] };
/** What the assistant said, if it is no more than a text. */
export type AssistantMessage = { role: "assistant"; content: string };

export type UrlCitation = { type: "url_citation"; url: string; title: string; start_index: number; end_index: number };
export type OutputLogprob = {
  token: string;
  logprob: number;
  bytes: number[];
  top_logprobs: { token: string; logprob: number; bytes: number[] }[];
};
export type OutputText = { type: "output_text"; text: string; annotations: UrlCitation[]; logprobs: OutputLogprob[] };
export type Refusal = { type: "refusal"; refusal: string };
/** What the assistant said, as an item of an answer. */
export type OutputMessage = {
  type: "message";
  id: string;
  role: "assistant";
  status: "completed";
  content: (OutputText | Refusal)[];
};

export type ReasoningItem = {
  type: "reasoning";
  id: string;
  summary: { type: "summary_text"; text: string }[];
  content?: { type: "reasoning_text"; text: string }[];
  encrypted_content?: string;
};

export type FunctionCallItem = {
  type: "function_call";
  call_id: string;
  name: string;
  arguments: string;
  id?: string;
  status?: "completed" | "incomplete";
};
export type CustomCallItem = { type: "custom_tool_call"; call_id: string; name: string; input: string; id?: string };
export type FunctionOutputItem = { type: "function_call_output"; call_id: string; output: string | InputBlock[] };
export type CustomOutputItem = { type: "custom_tool_call_output"; call_id: string; output: string | InputText[] };

export type InputItem =
  | InputMessage
  | AssistantMessage
  | OutputMessage
  | ReasoningItem
  | FunctionCallItem
  | CustomCallItem
  | FunctionOutputItem
  | CustomOutputItem;
export type OutputItem = OutputMessage | ReasoningItem | FunctionCallItem | CustomCallItem;

export type FunctionToolParam = {
  type: "function";
  name: string;
  description?: string;
  parameters: Record<string, unknown> | null;
  output_schema?: Record<string, unknown>;
  strict: boolean;
};
export type Grammar = { type: "grammar"; syntax: "lark" | "regex"; definition: string };
export type CustomToolParam = { type: "custom"; name: string; description?: string; format?: Grammar };
export type NamedTool = { type: "function" | "custom"; name: string };
export type ToolChoiceParam =
  | "auto"
  | "none"
  | "required"
  | { type: "function"; name: string }
  | { type: "custom"; name: string }
  | { type: "allowed_tools"; mode: "auto" | "required"; tools: NamedTool[] };

export type TextFormat =
  | { type: "text" }
  | { type: "json_object" }
  | {
      type: "json_schema";
      name: string;
      schema: Record<string, unknown>;
      description?: string;
      strict?: boolean;
    };

/** What a canonical request becomes, without residue. */
export type ResponsesRequest<Item = InputItem> = {
  model?: string;
  instructions?: string;
  input: string | Item[];
  tools?: (FunctionToolParam | CustomToolParam)[];
  tool_choice?: ToolChoiceParam;
  parallel_tool_calls?: boolean;
  text?: { format: TextFormat };
  reasoning?: {
    effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
    summary?: "auto" | "concise" | "detailed";
  };
  metadata?: Record<string, string>;
  include?: "message.output_text.logprobs"[];
  temperature?: number;
  top_p?: number;
  max_output_tokens?: number;
  top_logprobs?: number;
  stream?: boolean;
};

export type ResponsesUsage = {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
};

/** What a canonical response becomes, without residue. `output_text` is the SDK's own. */
export type ResponsesResponse = {
  id: string;
  object: "response";
  created_at: number;
  status: "completed" | "failed" | "in_progress" | "cancelled" | "queued" | "incomplete";
  model: string;
  output: OutputItem[];
  usage?: ResponsesUsage;
  error: { code: "server_error" | "rate_limit_exceeded" | "invalid_prompt"; message: string } | null;
  incomplete_details: { reason: "max_output_tokens" | "content_filter" } | null;
  access_programs: null;
  instructions: null;
  metadata: Record<string, string>;
  parallel_tool_calls: boolean;
  temperature: null;
  tool_choice: "auto";
  tools: [];
  top_p: null;
};

export type ResponsesErrorBody = {
  error: { message: string; type: string; param: string | null; code: string | null };
};
