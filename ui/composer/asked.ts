// What the next question of a chat sends: which model is asked, and what of the last call goes along with it. Pure.
import type { AskSettings, ConversationState, ModelInfo, Run } from "../data/types.ts";
import { firstModel } from "./model-choice.ts";

/** What a recorded call has said beside its history, as far as the next one repeats it. */
export interface LastCall {
  model?: string;
  tools: number;
  hasInstructions: boolean;
  /** Other settings that it set, by their names. */
  settings: readonly string[];
}

/** The run whose settings the server repeats: that of the last answer of the shown branch. */
export function lastRunOf({ path, nodes }: Pick<ConversationState, "path" | "nodes">): string | undefined {
  const id = path.findLast((each) => nodes.get(each)?.runId !== undefined);
  return id === undefined ? undefined : nodes.get(id)?.runId;
}

/** As the server's record has it. */
interface Said {
  dialect?: string;
  provider?: string;
  model?: string;
  request?: Record<string, unknown>;
  /** Fields that are those of a run before, or of the thread. */
  same?: Record<string, unknown>;
}

export function lastCallOf({ metadata }: Pick<Run, "metadata">): LastCall {
  const { dialect, provider, model, request = {}, same = {} } = metadata as Said;
  const named = typeof request["model"] === "string" ? request["model"] : undefined;
  const isWhole = named === undefined || named.includes("/") || provider === undefined || model === undefined;
  const { tools, instructions: _, model: __, ...settings } = { ...same, ...request };
  // What was set on the page is known there.
  const isOwn = dialect === "canonical";
  return {
    ...(named !== undefined && { model: isWhole ? named : `${provider}/${model}` }),
    // Those of a run before are only referred to: there are some.
    tools: Array.isArray(tools) ? tools.length : tools === undefined ? 0 : Infinity,
    hasInstructions: !isOwn && ("instructions" in same || "instructions" in request),
    settings: isOwn ? [] : Object.keys(settings).filter((name) => !UNSAID.has(name)),
  };
}

/** No settings that anybody chose. */
const UNSAID = new Set(["stream", "metadata", "extras"]);

/** The model that is asked: the one that was chosen, else the one that answered last, else the one that a chat begins with. */
export function nextModel(ask: AskSettings, last: LastCall | undefined, models: readonly ModelInfo[]): string {
  return ask.model ?? last?.model ?? firstModel(models, "");
}

/** What of the last call goes along, in a sentence; undefined where nothing does. */
export function alongWords(last: LastCall | undefined, ask: AskSettings): string | undefined {
  if (last === undefined) return undefined;
  const { tools, hasInstructions, settings } = last;
  const sent = [
    !leavesTools(ask) && tools > 0 && (tools === 1 ? "1 tool" : tools === Infinity ? "tools" : `${tools} tools`),
    hasInstructions && "system prompt",
    // Those that are set anew here are not the last call's.
    settings.some((name) => ask.settings === undefined || !(name in ask.settings)) && "settings",
  ].filter((each) => typeof each === "string");
  if (sent.length === 0) return leavesTools(ask) ? "Sends none of the last call’s tools." : undefined;
  return `Sends the last call’s ${sent.length === 1 ? sent[0] : `${sent.slice(0, -1).join(", ")} and ${sent.at(-1)}`}.`;
}

export function leavesTools({ settings }: AskSettings): boolean {
  return settings?.tools?.length === 0;
}

/** The same question with, or without, the tools of the last call. */
export function withTools(ask: AskSettings, wanted: boolean): AskSettings {
  const { tools: _, toolChoice: __, ...settings } = ask.settings ?? {};
  return { ...ask, settings: wanted ? settings : { ...settings, tools: [], toolChoice: "auto" } };
}
