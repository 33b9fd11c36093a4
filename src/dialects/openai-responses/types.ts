// Declares the wire types of the Responses API, as the encoder writes canonical values. Type tests compare these types
// with the official SDK.

/** A text block of the input. */
export type InputText = { type: "input_text"; text: string };
/** An image block of the input. */
export type InputImage = { type: "input_image"; image_url?: string; file_id?: string };
/** A file block of the input. */
export type InputFile = {
  type: "input_file";
  file_data?: string;
  file_url?: string;
  file_id?: string;
  filename?: string;
};
/** An audio block of the input, which only some compatible servers accept. */
export type InputAudio = { type: "input_audio"; input_audio: { data: string; format: "mp3" | "wav" } };
/** A content block of the input. */
export type InputBlock = InputText | InputImage | InputFile;

/** A message of a user, system or developer. */
export type InputMessage<Block = InputBlock> = { role: "user" | "system" | "developer"; content: string | Block[] };
/** An assistant message with only a text. */
export type AssistantMessage = { role: "assistant"; content: string };

/** A citation of a URL. */
export type UrlCitation = { type: "url_citation"; url: string; title: string; start_index: number; end_index: number };
/** A token of the answer with the most likely alternatives. */
export type OutputLogprob = {
  token: string;
  logprob: number;
  bytes: number[];
  top_logprobs: { token: string; logprob: number; bytes: number[] }[];
};
/** A text block of an assistant message. */
export type OutputText = { type: "output_text"; text: string; annotations: UrlCitation[]; logprobs: OutputLogprob[] };
/** A refusal block of an assistant message. */
export type Refusal = { type: "refusal"; refusal: string };
/** An assistant message as an item of an answer. */
export type OutputMessage = {
  type: "message";
  id: string;
  role: "assistant";
  status: "completed";
  content: (OutputText | Refusal)[];
};

/** An item with reasoning. */
export type ReasoningItem = {
  type: "reasoning";
  id: string;
  summary: { type: "summary_text"; text: string }[];
  content?: { type: "reasoning_text"; text: string }[];
  encrypted_content?: string;
};

/** An item with a function call. */
export type FunctionCallItem = {
  type: "function_call";
  call_id: string;
  name: string;
  arguments: string;
  id?: string;
  status?: "completed" | "incomplete";
};
/** An item with a call of a custom tool. */
export type CustomCallItem = { type: "custom_tool_call"; call_id: string; name: string; input: string; id?: string };
/** An item with the result of a function call. */
export type FunctionOutputItem = { type: "function_call_output"; call_id: string; output: string | InputBlock[] };
/** An item with the result of a custom tool call. */
export type CustomOutputItem = { type: "custom_tool_call_output"; call_id: string; output: string | InputText[] };

/** An item of a request. */
export type InputItem =
  | InputMessage
  | AssistantMessage
  | OutputMessage
  | ReasoningItem
  | FunctionCallItem
  | CustomCallItem
  | FunctionOutputItem
  | CustomOutputItem;
/** An item of an answer. */
export type OutputItem = OutputMessage | ReasoningItem | FunctionCallItem | CustomCallItem;

/** A function that the model can call. */
export type FunctionToolParam = {
  type: "function";
  name: string;
  description?: string;
  parameters: Record<string, unknown> | null;
  output_schema?: Record<string, unknown>;
  strict: boolean;
};
/** The grammar of a custom tool's input. */
export type Grammar = { type: "grammar"; syntax: "lark" | "regex"; definition: string };
/** A custom tool with free text as its input. */
export type CustomToolParam = { type: "custom"; name: string; description?: string; format?: Grammar };
/** A tool that a tool choice names. */
export type NamedTool = { type: "function" | "custom"; name: string };
/** The tools that the model can or must call. */
export type ToolChoiceParam =
  | "auto"
  | "none"
  | "required"
  | { type: "function"; name: string }
  | { type: "custom"; name: string }
  | { type: "allowed_tools"; mode: "auto" | "required"; tools: NamedTool[] };

/** The format of the output. */
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

/** A request as the encoder writes it, without residue. */
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

/** Token counts of an answer. */
export type ResponsesUsage = {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
};

/** A response as the encoder writes it, without residue. The SDK itself adds `output_text`. */
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

/** The body of a failed request. */
export type ResponsesErrorBody = {
  error: { message: string; type: string; param: string | null; code: string | null };
};
