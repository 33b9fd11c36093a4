// The last recorded call of a chat: its model, and the tools, instructions and settings that the server repeats in the
// next call. Pure.
import type { AnswerSettings, ConversationState, ModelInfo, RunJson } from "../../data/types.ts";
import { chooseDefaultModel } from "./model-choice.ts";

/** The part of a recorded call that the next call repeats. */
export interface LastCall {
  model?: string;
  toolCount: number;
  hasInstructions: boolean;
  /** Names of its other settings. */
  settingNames: readonly string[];
}

/** Returns the run whose settings the server repeats: that of the last answer on the shown branch. */
export function findLastRunId({ path, nodes }: Pick<ConversationState, "path" | "nodes">): string | undefined {
  const id = path.findLast((each) => nodes.get(each)?.runId !== undefined);
  return id === undefined ? undefined : nodes.get(id)?.runId;
}

/** Metadata of a recorded run, as the server writes it. */
interface RunCallMetadata {
  dialect?: string;
  provider?: string;
  model?: string;
  request?: Record<string, unknown>;
  /** Fields whose value is stored in an earlier run or in the thread. */
  same?: Record<string, unknown>;
}

export function readLastCall({ metadata }: Pick<RunJson, "metadata">): LastCall {
  const { dialect, provider, model, request = {}, same = {} } = metadata as RunCallMetadata;
  const requestedModel = typeof request["model"] === "string" ? request["model"] : undefined;
  const isQualified =
    requestedModel === undefined || requestedModel.includes("/") || provider === undefined || model === undefined;
  const { tools, instructions: _, model: __, ...settings } = { ...same, ...request };
  // The page already shows the settings that it sent itself.
  const isFromPage = dialect === "canonical";
  return {
    ...(requestedModel !== undefined && { model: isQualified ? requestedModel : `${provider}/${model}` }),
    // Infinity: the tools are stored in an earlier run, so their number is unknown here.
    toolCount: Array.isArray(tools) ? tools.length : tools === undefined ? 0 : Infinity,
    hasInstructions: !isFromPage && ("instructions" in same || "instructions" in request),
    settingNames: isFromPage ? [] : Object.keys(settings).filter((name) => !IGNORED_FIELDS.has(name)),
  };
}

/** Fields of a request that are not settings. */
const IGNORED_FIELDS = new Set(["stream", "metadata", "extras"]);

/** Returns the chosen model, else the one of the last answer, else the default of new chats. */
export function chooseNextModel(
  answerSettings: AnswerSettings,
  last: LastCall | undefined,
  models: readonly ModelInfo[],
): string {
  return answerSettings.model ?? last?.model ?? chooseDefaultModel(models, "");
}

/** Returns a sentence that lists what the next call repeats; undefined if it repeats nothing. */
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
    // Settings that are set again here replace those of the last call.
    settingNames.some((name) => answerSettings.settings === undefined || !(name in answerSettings.settings)) &&
      "settings",
  ].filter((each) => typeof each === "string");
  if (inherited.length === 0) return omitsTools(answerSettings) ? "Sends none of the last call’s tools." : undefined;
  return `Sends the last call’s ${inherited.length === 1 ? inherited[0] : `${inherited.slice(0, -1).join(", ")} and ${inherited.at(-1)}`}.`;
}

export function omitsTools({ settings }: AnswerSettings): boolean {
  return settings?.tools?.length === 0;
}

/** Returns the settings with or without the tools of the last call. */
export function withTools(answerSettings: AnswerSettings, included: boolean): AnswerSettings {
  const { tools: _, toolChoice: __, ...settings } = answerSettings.settings ?? {};
  return { ...answerSettings, settings: included ? settings : { ...settings, tools: [], toolChoice: "auto" } };
}
