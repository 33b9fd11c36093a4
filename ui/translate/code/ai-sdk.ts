// A request as code for the AI SDK, whose settings and tools have names of their own; and what it has no name for. The SDK
// speaks Chat Completions to this server, so that what these cannot say does not arrive either.
import type { Loss, OutputFormat, ModelRequest, Sampling, Tool, ToolChoice } from "koine";
import { dialect, exactNumbers } from "koine";
import type { CodeWish } from "../types.ts";
import { keyLiteral } from "./key.ts";
import { literalOf } from "./literal.ts";
import type { Written } from "./written.ts";

/** What the SDK calls the settings. The others have no name there. */
const SETTINGS = {
  maxOutputTokens: "maxOutputTokens",
  temperature: "temperature",
  topP: "topP",
  presencePenalty: "presencePenalty",
  frequencyPenalty: "frequencyPenalty",
  stop: "stopSequences",
  seed: "seed",
} as const satisfies Partial<Record<keyof Sampling, string>>;

export function aiSdkCode(request: ModelRequest, wish: CodeWish): Written {
  const messages = dialect("ai-sdk-model").encodeMessages(request.messages);
  const tools = (request.tools ?? []).flatMap(toolLines);
  const choice = choiceOf(request.toolChoice);
  const isTooled = tools.length > 0;
  const output = outputCode(request.output);
  const options = optionsOf(request);
  const hasInstructions = request.messages.some(({ role }) => role === "system" || role === "developer");
  const fields = [
    `model: koine.chat(${JSON.stringify(wish.model)}),`,
    ...(hasInstructions ? ["allowSystemInMessages: true,"] : []),
    `messages: ${literalOf(messages.wire, "  ")},`,
    ...(isTooled ? [`tools: {\n${tools.join("\n")}\n  },`] : []),
    ...(isTooled && choice !== undefined ? [`toolChoice: ${literalOf(choice)},`] : []),
    ...settingLines(request.sampling ?? {}),
    ...(output === undefined ? [] : [`output: ${output},`]),
    ...(options === undefined ? [] : [`providerOptions: ${literalOf({ openai: options }, "  ")},`]),
  ];
  const names = ["generateText", ...(output === undefined ? [] : ["Output"])];
  if (isTooled || request.output?.type === "json-schema") names.push("jsonSchema");
  if (isTooled) names.push("tool");
  const text = `import { createOpenAI } from "@ai-sdk/openai";
import { ${names.join(", ")} } from "ai";

const koine = createOpenAI({ baseURL: ${JSON.stringify(`${wish.origin}/v1`)}, apiKey: ${keyLiteral(wish)} });
const answer = await generateText({
${fields.map((field) => `  ${field}`).join("\n")}
});
console.log(answer.text || answer.toolCalls);
`;
  const inMessages = messages.losses.map((loss) => Object.assign({}, loss, { path: `/messages${loss.path}` }));
  return {
    text,
    losses: distinct([...dialect("openai-chat").encodeRequest(request).losses, ...inMessages, ...unsaid(request)]),
  };
}

function isSayable(tool: Tool): boolean {
  return tool.type === "function" && tool.format !== "text";
}

/** The SDK knows tools that the caller describes; those of a provider are its own packages' to make. */
function toolLines(tool: Tool): string[] {
  if (tool.type !== "function" || !isSayable(tool)) return [];
  const { name, description, inputSchema = { type: "object" }, strict } = tool;
  const told = description === undefined ? "" : `\n      description: ${JSON.stringify(description)},`;
  const kept = strict === undefined ? "" : `\n      strict: ${strict},`;
  const schema = literalOf(inputSchema, "      ");
  return [`    ${literalOf(name)}: tool({${told}${kept}\n      inputSchema: jsonSchema(${schema}),\n    }),`];
}

function choiceOf(choice: ToolChoice | undefined): unknown {
  if (typeof choice !== "object") return choice;
  return "toolName" in choice ? { type: "tool", toolName: choice.toolName } : choice.mode;
}

/** The SDK checks that these are numbers, so that digits that a number cannot hold are told beside it. */
function settingLines(sampling: Sampling): string[] {
  const digits = new Map(exactNumbers(sampling).map(({ path, text }) => [path, text]));
  return Object.entries(SETTINGS).flatMap(([field, name]) => {
    // The keys of the table are fields of it.
    const value = sampling[field as keyof typeof SETTINGS];
    if (value === undefined) return [];
    const exact = digits.get(`/${field}`);
    const told = exact === undefined ? "" : ` // was asked as ${exact}, which JavaScript rounds`;
    return [`${name}: ${JSON.stringify(value)},${told}`];
  });
}

function outputCode(output: OutputFormat | undefined): string | undefined {
  if (output?.type === "json") return "Output.json()";
  if (output?.type !== "json-schema") return undefined;
  const { name, description, schema } = output;
  const told = [
    ...(name === undefined ? [] : [`name: ${JSON.stringify(name)}, `]),
    ...(description === undefined ? [] : [`description: ${JSON.stringify(description)}, `]),
  ];
  return `Output.object({ ${told.join("")}schema: jsonSchema(${literalOf(schema, "  ")}) })`;
}

/** What the package for Chat Completions takes beside the settings that all models have. */
function optionsOf({ reasoning, parallelToolCalls, metadata, sampling, output }: ModelRequest): object | undefined {
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

/** What Chat Completions could say, but the SDK has no word for. */
function unsaid({ tools = [], toolChoice, sampling, extra }: ModelRequest): Loss[] {
  const paths = tools.flatMap((tool, at) => (isSayable(tool) ? [] : [`/tools/${at}`]));
  if (typeof toolChoice === "object" && "toolNames" in toolChoice) paths.push("/toolChoice/toolNames");
  if (toolChoice !== undefined && !tools.some(isSayable)) paths.push("/toolChoice");
  if (sampling?.n !== undefined) paths.push("/sampling/n");
  paths.push(
    ...Object.keys(extra?.["openai-chat"] ?? {})
      .filter(isField)
      .map((name) => `/extra/openai-chat/${name}`),
  );
  const rounded = exactNumbers(sampling ?? {}).map(({ path }): Loss => {
    return {
      path: `/sampling${path}`,
      action: "approximated",
      level: "loss",
      code: "number-rounded",
      message: ROUNDED,
    };
  });
  const left = paths.map((path): Loss => ({
    path,
    action: "dropped",
    level: "loss",
    code: "sdk-unsaid",
    message: SDK_UNSAID,
  }));
  return [...left, ...rounded];
}

const ROUNDED = "The AI SDK takes it as a number, and JavaScript rounds it.";
const SDK_UNSAID = "The AI SDK has no word for this.";

/** Names with a sign are how something was written, not what was said. */
function isField(name: string): boolean {
  return !name.startsWith("$") && name !== "stream_options";
}

/** What is lost twice on the way is told once: as it was lost first. */
function distinct(losses: readonly Loss[]): Loss[] {
  const paths = new Set<string>();
  return losses.filter(({ path, level }) => {
    const isNew = level === "note" || !paths.has(path);
    paths.add(path);
    return isNew;
  });
}
