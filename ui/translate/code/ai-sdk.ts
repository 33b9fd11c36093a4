// Generates code for the AI SDK from a request, and lists the fields that the SDK cannot represent. The generated code
// calls the Chat Completions route, so the losses of that dialect apply, too.
import type { Loss, OutputFormat, ModelRequest, Sampling, Tool, ToolChoice } from "koine";
import { dialect, listExactNumbers } from "koine";
import type { CodeOptions } from "../types.ts";
import { toTokenLiteral } from "./token-literal.ts";
import { toLiteral } from "./js-literal.ts";
import type { GeneratedCode } from "./generated-code.ts";

/** Names of the sampling settings in the AI SDK, by canonical name; the SDK has no other sampling settings. */
const SETTING_NAMES = {
  maxOutputTokens: "maxOutputTokens",
  temperature: "temperature",
  topP: "topP",
  presencePenalty: "presencePenalty",
  frequencyPenalty: "frequencyPenalty",
  stop: "stopSequences",
  seed: "seed",
} as const satisfies Partial<Record<keyof Sampling, string>>;

export function generateAiSdkCode(request: ModelRequest, options: CodeOptions): GeneratedCode {
  const messages = dialect("ai-sdk-model").encodeMessages(request.messages);
  const tools = (request.tools ?? []).flatMap(toolLines);
  const choice = toToolChoice(request.toolChoice);
  const hasTools = tools.length > 0;
  const output = outputCode(request.output);
  const providerOptions = toProviderOptions(request);
  const hasInstructions = request.messages.some(({ role }) => role === "system" || role === "developer");
  const fields = [
    `model: koine.chat(${JSON.stringify(options.model)}),`,
    ...(hasInstructions ? ["allowSystemInMessages: true,"] : []),
    `messages: ${toLiteral(messages.wire, "  ")},`,
    ...(hasTools ? [`tools: {\n${tools.join("\n")}\n  },`] : []),
    ...(hasTools && choice !== undefined ? [`toolChoice: ${toLiteral(choice)},`] : []),
    ...settingLines(request.sampling ?? {}),
    ...(output === undefined ? [] : [`output: ${output},`]),
    ...(providerOptions === undefined ? [] : [`providerOptions: ${toLiteral({ openai: providerOptions }, "  ")},`]),
  ];
  const names = ["generateText", ...(output === undefined ? [] : ["Output"])];
  if (hasTools || request.output?.type === "json-schema") names.push("jsonSchema");
  if (hasTools) names.push("tool");
  const text = `import { createOpenAI } from "@ai-sdk/openai";
import { ${names.join(", ")} } from "ai";

const koine = createOpenAI({ baseURL: ${JSON.stringify(`${options.origin}/v1`)}, apiKey: ${toTokenLiteral(options)} });
const answer = await generateText({
${fields.map((field) => `  ${field}`).join("\n")}
});
console.log(answer.text || answer.toolCalls);
`;
  const messageLosses = messages.losses.map((loss) => Object.assign({}, loss, { path: `/messages${loss.path}` }));
  return {
    text,
    losses: removeDuplicateLosses([
      ...dialect("openai-chat").encodeRequest(request).losses,
      ...messageLosses,
      ...listSdkLosses(request),
    ]),
  };
}

function isSupportedTool(tool: Tool): boolean {
  return tool.type === "function" && tool.format !== "text";
}

/**
 * Returns the code lines of a tool; empty if the AI SDK does not support the tool. It supports only function tools with
 * JSON arguments; provider tools are in separate packages of the SDK.
 */
function toolLines(tool: Tool): string[] {
  if (tool.type !== "function" || !isSupportedTool(tool)) return [];
  const { name, description, inputSchema = { type: "object" }, strict } = tool;
  const descriptionLine = description === undefined ? "" : `\n      description: ${JSON.stringify(description)},`;
  const strictLine = strict === undefined ? "" : `\n      strict: ${strict},`;
  const schema = toLiteral(inputSchema, "      ");
  return [
    `    ${toLiteral(name)}: tool({${descriptionLine}${strictLine}\n      inputSchema: jsonSchema(${schema}),\n    }),`,
  ];
}

function toToolChoice(choice: ToolChoice | undefined): unknown {
  if (typeof choice !== "object") return choice;
  return "toolName" in choice ? { type: "tool", toolName: choice.toolName } : choice.mode;
}

/** Returns the code of the sampling settings. Numbers that JavaScript rounds have a comment with the exact digits. */
function settingLines(sampling: Sampling): string[] {
  const digits = new Map(listExactNumbers(sampling).map(({ path, text }) => [path, text]));
  return Object.entries(SETTING_NAMES).flatMap(([field, name]) => {
    // The cast is safe, because `field` is a key of `SETTING_NAMES`.
    const value = sampling[field as keyof typeof SETTING_NAMES];
    if (value === undefined) return [];
    const exact = digits.get(`/${field}`);
    const comment = exact === undefined ? "" : ` // the request has ${exact}, which JavaScript rounds`;
    return [`${name}: ${JSON.stringify(value)},${comment}`];
  });
}

function outputCode(output: OutputFormat | undefined): string | undefined {
  if (output?.type === "json") return "Output.json()";
  if (output?.type !== "json-schema") return undefined;
  const { name, description, schema } = output;
  const fields = [
    ...(name === undefined ? [] : [`name: ${JSON.stringify(name)}, `]),
    ...(description === undefined ? [] : [`description: ${JSON.stringify(description)}, `]),
  ];
  return `Output.object({ ${fields.join("")}schema: jsonSchema(${toLiteral(schema, "  ")}) })`;
}

/**
 * Returns the options of the package @ai-sdk/openai for settings that the AI SDK has no option for; undefined if there
 * are none.
 */
function toProviderOptions({
  reasoning,
  parallelToolCalls,
  metadata,
  sampling,
  output,
}: ModelRequest): object | undefined {
  const strict = output?.type === "json-schema" ? output.strict : undefined;
  const options = {
    ...(reasoning?.effort !== undefined && { reasoningEffort: reasoning.effort }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    ...(metadata !== undefined && { metadata }),
    ...(sampling?.logprobs !== undefined && { logprobs: sampling.topLogprobs ?? sampling.logprobs }),
    ...(strict !== undefined && { strictJsonSchema: strict }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}

/** Returns the losses of fields that Chat Completions supports but the SDK does not. */
function listSdkLosses({ tools = [], toolChoice, sampling, extra }: ModelRequest): Loss[] {
  const paths = tools.flatMap((tool, at) => (isSupportedTool(tool) ? [] : [`/tools/${at}`]));
  if (typeof toolChoice === "object" && "toolNames" in toolChoice) paths.push("/toolChoice/toolNames");
  if (toolChoice !== undefined && !tools.some(isSupportedTool)) paths.push("/toolChoice");
  if (sampling?.n !== undefined) paths.push("/sampling/n");
  paths.push(
    ...Object.keys(extra?.["openai-chat"] ?? {})
      .filter(isWireField)
      .map((name) => `/extra/openai-chat/${name}`),
  );
  const rounded = listExactNumbers(sampling ?? {}).map(({ path }): Loss => {
    return {
      path: `/sampling${path}`,
      action: "approximated",
      level: "loss",
      code: "number-rounded",
      message: ROUNDED_MESSAGE,
    };
  });
  const dropped = paths.map((path): Loss => ({
    path,
    action: "dropped",
    level: "loss",
    code: "sdk-unsupported",
    message: UNSUPPORTED_MESSAGE,
  }));
  return [...dropped, ...rounded];
}

const ROUNDED_MESSAGE = "The AI SDK accepts only a JavaScript number here, which rounds the value.";
const UNSUPPORTED_MESSAGE = "The AI SDK has no option for this.";

/**
 * False for `stream_options`, because the code does not stream, and for names that start with `$`, because they
 * describe the form of wire data and are not fields of the request.
 */
function isWireField(name: string): boolean {
  return !name.startsWith("$") && name !== "stream_options";
}

/** Returns all losses of the level "note", and for each path the first loss of another level. */
function removeDuplicateLosses(losses: readonly Loss[]): Loss[] {
  const paths = new Set<string>();
  return losses.filter(({ path, level }) => {
    const isNew = level === "note" || !paths.has(path);
    paths.add(path);
    return isNew;
  });
}
