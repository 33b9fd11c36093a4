// Declares the wire types of Chat Completions, as the encoder writes canonical values. Type tests compare these types
// with the official SDK.

/** A text block of content. */
export type ChatText = { type: "text"; text: string };
/** An image block, by URL or data URL. */
export type ChatImage = { type: "image_url"; image_url: { url: string } };
/** An audio block with inline data. */
export type ChatAudioInput = { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } };
/** A file block, inline or by file id. */
export type ChatFile = { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };
/** A refusal block of an assistant message. */
export type ChatRefusal = { type: "refusal"; refusal: string };
/** A content block of a user message. */
export type ChatContentPart = ChatText | ChatImage | ChatAudioInput | ChatFile;

/** A call of a function with JSON arguments. */
export type ChatFunctionCall = { id: string; type: "function"; function: { name: string; arguments: string } };
/** A call of a custom tool with free text. */
export type ChatCustomCall = { id: string; type: "custom"; custom: { name: string; input: string } };
/** A tool call of an assistant message. */
export type ChatToolCall = ChatFunctionCall | ChatCustomCall;

/** A system message. */
export type ChatSystemMessage = { role: "system"; content: string | ChatText[]; name?: string };
/** A developer message. */
export type ChatDeveloperMessage = { role: "developer"; content: string | ChatText[]; name?: string };
/** A user message. */
export type ChatUserMessage = { role: "user"; content: string | ChatContentPart[]; name?: string };
/** An assistant message in a request. */
export type ChatAssistantMessage = {
  role: "assistant";
  content: string | (ChatText | ChatRefusal)[] | null;
  refusal?: string;
  audio?: { id: string };
  tool_calls?: ChatToolCall[];
  name?: string;
};
/** The result of one tool call. */
export type ChatToolMessage = { role: "tool"; tool_call_id: string; content: string | ChatText[] };
/** A message of a request. */
export type ChatMessage =
  | ChatSystemMessage
  | ChatDeveloperMessage
  | ChatUserMessage
  | ChatAssistantMessage
  | ChatToolMessage;

/** A function that the model can call. */
export type ChatFunctionTool = {
  type: "function";
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean };
};
/** The grammar of a custom tool's input. */
export type ChatGrammar = { definition: string; syntax: "lark" | "regex" };
/** A custom tool with free text as its input. */
export type ChatCustomTool = {
  type: "custom";
  custom: { name: string; description?: string; format?: { type: "grammar"; grammar: ChatGrammar } };
};
/** A tool of a request. */
export type ChatTool = ChatFunctionTool | ChatCustomTool;
/** A tool that a tool choice names. */
export type ChatNamedTool =
  | { type: "function"; function: { name: string } }
  | { type: "custom"; custom: { name: string } };
/** The tools that the model can or must call. */
export type ChatToolChoice =
  | "auto"
  | "none"
  | "required"
  | ChatNamedTool
  | { type: "allowed_tools"; allowed_tools: { mode: "auto" | "required"; tools: ChatNamedTool[] } };

/** A JSON schema for the output. */
export type ChatJsonSchema = { name: string; description?: string; schema: Record<string, unknown>; strict?: boolean };
/** The format of the output. */
export type ChatResponseFormat =
  | { type: "text" }
  | { type: "json_object" }
  | { type: "json_schema"; json_schema: ChatJsonSchema };

/** A request as the encoder writes it, without residue. */
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

/** A token with its log probability. */
export type ChatTopLogprob = { token: string; logprob: number; bytes: number[] | null };
/** A token of the answer with the most likely alternatives. */
export type ChatLogprob = ChatTopLogprob & { top_logprobs: ChatTopLogprob[] };
/** A citation of a URL. */
export type ChatCitation = {
  type: "url_citation";
  url_citation: { url: string; title: string; start_index: number; end_index: number };
};
/** The message of an answer's choice. */
export type ChatReplyMessage = {
  role: "assistant";
  content: string | null;
  refusal: string | null;
  annotations: ChatCitation[];
  audio?: { id: string; data: string; expires_at: number; transcript: string };
  tool_calls?: ChatToolCall[];
};
/** One choice of an answer. */
export type ChatChoice = {
  index: number;
  message: ChatReplyMessage;
  finish_reason: "stop" | "length" | "tool_calls" | "content_filter" | "function_call";
  logprobs: { content: ChatLogprob[] | null; refusal: ChatLogprob[] | null } | null;
};
/** Token counts of an answer. */
export type ChatUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
};

/** A response as the encoder writes it, without residue. */
export type ChatResponse = {
  id: string;
  object: "chat.completion";
  created: number;
  model: string;
  choices: ChatChoice[];
  usage?: ChatUsage;
};

/** The body of a failed request. */
export type ChatError = { error: { message: string; type: string; param: string | null; code: string | null } };
