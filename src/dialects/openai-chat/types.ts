// The wire: what the encoder writes for canonical values, by hand. Test types hold it against the official SDK's.

export type ChatText = { type: "text"; text: string };
export type ChatImage = { type: "image_url"; image_url: { url: string } };
export type ChatAudioInput = { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } };
export type ChatFile = { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };
export type ChatRefusal = { type: "refusal"; refusal: string };
export type ChatContentPart = ChatText | ChatImage | ChatAudioInput | ChatFile;

export type ChatFunctionCall = { id: string; type: "function"; function: { name: string; arguments: string } };
export type ChatCustomCall = { id: string; type: "custom"; custom: { name: string; input: string } };
export type ChatToolCall = ChatFunctionCall | ChatCustomCall;

export type ChatSystemMessage = { role: "system"; content: string | ChatText[]; name?: string };
export type ChatDeveloperMessage = { role: "developer"; content: string | ChatText[]; name?: string };
export type ChatUserMessage = { role: "user"; content: string | ChatContentPart[]; name?: string };
export type ChatAssistantMessage = {
  role: "assistant";
  content: string | (ChatText | ChatRefusal)[] | null;
  refusal?: string;
  audio?: { id: string };
  tool_calls?: ChatToolCall[];
  name?: string;
};
export type ChatToolMessage = { role: "tool"; tool_call_id: string; content: string | ChatText[] };
export type ChatMessage =
  | ChatSystemMessage
  | ChatDeveloperMessage
  | ChatUserMessage
  | ChatAssistantMessage
  | ChatToolMessage;

export type ChatFunctionTool = {
  type: "function";
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean };
};
export type ChatGrammar = { definition: string; syntax: "lark" | "regex" };
export type ChatCustomTool = {
  type: "custom";
  custom: { name: string; description?: string; format?: { type: "grammar"; grammar: ChatGrammar } };
};
export type ChatTool = ChatFunctionTool | ChatCustomTool;
export type ChatNamedTool =
  | { type: "function"; function: { name: string } }
  | { type: "custom"; custom: { name: string } };
export type ChatToolChoice =
  | "auto"
  | "none"
  | "required"
  | ChatNamedTool
  | { type: "allowed_tools"; allowed_tools: { mode: "auto" | "required"; tools: ChatNamedTool[] } };

export type ChatJsonSchema = { name: string; description?: string; schema: Record<string, unknown>; strict?: boolean };
export type ChatResponseFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; json_schema: ChatJsonSchema };

/** What a canonical request becomes, without residue. */
export type ChatRequest = {
  model: string;
  messages: ChatMessage[];
  tools?: ChatTool[];
  tool_choice?: ChatToolChoice;
  parallel_tool_calls?: boolean;
  response_format?: ChatResponseFormat;
  reasoning_effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  metadata?: Record<string, string>;
  stream?: boolean;
  temperature?: number;
  top_p?: number;
  seed?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  stop?: string | string[];
  max_completion_tokens?: number;
  logprobs?: boolean;
  top_logprobs?: number;
  n?: number;
};

export type ChatTopLogprob = { token: string; logprob: number; bytes: number[] | null };
export type ChatLogprob = ChatTopLogprob & { top_logprobs: ChatTopLogprob[] };
export type ChatCitation = {
  type: "url_citation";
  url_citation: { url: string; title: string; start_index: number; end_index: number };
};
export type ChatReplyMessage = {
  role: "assistant";
  content: string | null;
  refusal: string | null;
  annotations: ChatCitation[];
  audio?: { id: string; data: string; expires_at: number; transcript: string };
  tool_calls?: ChatToolCall[];
};
export type ChatChoice = {
  index: number;
  message: ChatReplyMessage;
  finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call";
  logprobs: { content: ChatLogprob[] | null; refusal: ChatLogprob[] | null } | null;
};
export type ChatUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
};

/** What a canonical response becomes, without residue. */
export type ChatResponse = {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: ChatChoice[];
  usage?: ChatUsage;
};

export type ChatError = { error: { message: string; type: string; param: string | null; code: string | null } };
