// The plan that a process of a campaign receives, and the messages that it writes to its pipe.
import type { Target } from "../../ledger/crash/campaign/target.ts";
import type { StoryName } from "./scripted-story.ts";

export interface KillPoint {
  /** "phase/point", as the survey names it. */
  point: string;
  occurrence: number;
}

export interface WorkerPlan {
  target: Target;
  story: StoryName;
  threadId: string;
  /** The path of the effect log. */
  record: string;
  /** The number of the agent's process; 0 is the first. */
  life: number;
  /** The number of parallel calls; with few, a kill leaves partly started rounds. */
  maxParallel: number;
  /** The MCP servers, if the story uses them. */
  servers?: { program: string; url: string };
  kill?: KillPoint;
}

export type Line =
  | { at: "ready" }
  /** The agent reported the result of a call as recorded. */
  | { at: "acknowledged"; toolCallId: string }
  /** A violation. */
  | { at: "fault"; what: string }
  /** The process kills itself here. */
  | { at: "kill"; point: string }
  /** The story ended, after these points. */
  | { at: "end"; reason: string; text: string; points: string[] };
