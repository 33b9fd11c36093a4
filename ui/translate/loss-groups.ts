// Combines equal losses at several paths into groups.
import type { Loss } from "koine";

export interface LossGroup {
  loss: Loss;
  paths: string[];
}

export function groupLosses(losses: readonly Loss[]): LossGroup[] {
  const groups = new Map<string, LossGroup>();
  for (const loss of losses) {
    const key = `${loss.level} ${loss.action} ${loss.code} ${loss.message}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { loss, paths: [loss.path] });
    else group.paths.push(loss.path);
  }
  return [...groups.values()];
}
