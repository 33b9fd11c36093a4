// Reads the last recorded call of a chat with pure functions: its model, and the tools, instructions and settings that
// the server repeats in the next call.
import type { AnswerSettings, ConversationState, ModelInfo, RunJson } from "../../data/types.ts";
import { chooseDefaultModel } from "./model-choice.ts";

/** The model, tools, instructions and settings of a recorded call, which the next call repeats. */
export interface LastCall {
  model?: string;
  /** Number of tools; Infinity if the call has tools but their number is unknown. */
  toolCount: number;
  hasInstructions: boolean;
  /** Names of the settings other than model, tools and instructions. */
  settingNames: readonly string[];
}

/**
 * Returns the id of the run that produced the last answer on the shown branch; undefined if there is none. The server
 * repeats the settings of this run.
 */
export function findLastRunId({ path, nodes }: Pick<ConversationState, "path" | "nodes">): string | undefined {
  const id = path.findLast((each) => nodes.get(each)?.runId !== undefined);
  return id === undefined ? undefined : nodes.get(id)?.runId;
}

/** Metadata of a recorded run, as the server stores it. */
interface RunCallMetadata {
  dialect?: string;
  provider?: string;
  model?: string;
  request?: Record<string, unknown>;
  /**
   * Request fields that are not stored in this run, because an earlier run or the start of the thread has the same
   * value. The key is the name of the field; the value states where it is stored: its hash and, if a run has it, the
   * run's id.
   */
  same?: Record<string, unknown>;
}

export function readLastCall({ metadata }: Pick<RunJson, "metadata">): LastCall {
  const { dialect, provider, model, request = {}, same = {} } = metadata as RunCallMetadata;
  const requestedModel = typeof request["model"] === "string" ? request["model"] : undefined;
  const isQualified =
    requestedModel === undefined || requestedModel.includes("/") || provider === undefined || model === undefined;
  const { tools, instructions: _, model: __, ...settings } = { ...same, ...request };
  // Calls of the page have the canonical dialect. Their settings are not listed here, because the page shows them
  // elsewhere.
  const isFromPage = dialect === "canonical";
  return {
    ...(requestedModel !== undefined && { model: isQualified ? requestedModel : `${provider}/${model}` }),
    // If `tools` is not a list, it is an entry of `same`: the tools are stored in an earlier run, and their number is
    // not known here.
    toolCount: Array.isArray(tools) ? tools.length : tools === undefined ? 0 : Infinity,
    hasInstructions: !isFromPage && ("instructions" in same || "instructions" in request),
    settingNames: isFromPage ? [] : Object.keys(settings).filter((name) => !IGNORED_FIELDS.has(name)),
  };
}

/** Fields of a request that are not settings. */
const IGNORED_FIELDS = new Set(["stream", "metadata", "extra"]);

/**
 * Returns the model of the next answer: the chosen model, else the last answer's model, else the default of new chats.
 */
export function chooseNextModel(
  answerSettings: AnswerSettings,
  last: LastCall | undefined,
  models: readonly ModelInfo[],
): string {
  return answerSettings.model ?? last?.model ?? chooseDefaultModel(models, "");
}

/**
 * Returns a sentence that lists the tools and settings of the last call that the next call repeats; undefined if it
 * repeats none.
 */
export function describeInheritedSettings(
  last: LastCall | undefined,
  answerSettings: AnswerSettings,
): string | undefined {
  if (last === undefined) return undefined;
  const { toolCount, hasInstructions, settingNames } = last;
  const inherited = [
    !omitsTools(answerSettings) &&
      toolCount > 0 &&
      (toolCount === 1 ? "1 tool" : toolCount === Infinity ? "tools" : `${toolCount} tools`),
    hasInstructions && "system prompt",
    // The next call repeats a setting only if `answerSettings` has no setting of the same name.
    settingNames.some((name) => answerSettings.settings === undefined || !(name in answerSettings.settings)) &&
      "settings",
  ].filter((each) => typeof each === "string");
  if (inherited.length === 0) return omitsTools(answerSettings) ? "Sends none of the last call’s tools." : undefined;
  return `Sends the last call’s ${inherited.length === 1 ? inherited[0] : `${inherited.slice(0, -1).join(", ")} and ${inherited.at(-1)}`}.`;
}

export function omitsTools({ settings }: AnswerSettings): boolean {
  return settings?.tools?.length === 0;
}

/** Returns answer settings that send the tools of the last call again (`included`) or send no tools. */
export function withTools(answerSettings: AnswerSettings, included: boolean): AnswerSettings {
  const { tools: _, toolChoice: __, ...settings } = answerSettings.settings ?? {};
  return { ...answerSettings, settings: included ? settings : { ...settings, tools: [], toolChoice: "auto" } };
}
