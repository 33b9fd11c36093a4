// Which model a conversation asks next, and which ones are offered. Pure, but for remembering the last one.
import { DEMO } from "../data/models.ts";
import type { ModelInfo } from "../data/types.ts";
// Not by the kit's index: this runs without a browser, too.
import { keep, readKept } from "../kit/kept.ts";

export function rememberModel(model: string): void {
  keep("model", model);
}

/** The one that was used last, as long as its provider is there. */
export function firstModel(models: readonly ModelInfo[], last = readKept("model") ?? ""): string {
  if (last !== "" && (models.length === 0 || isOffered(models, last))) return last;
  return models.find(({ id }) => id === DEMO)?.id ?? models[0]?.id ?? DEMO;
}

/** Whether the server may know it: it lists it, or others of the same provider. */
function isOffered(models: readonly ModelInfo[], model: string): boolean {
  return models.some(({ id, provider }) => id === model || model.startsWith(`${provider}/`));
}

/** Those that hold every word that was typed; all of them where nothing was typed, or exactly one of them. */
export function matchingModels(models: readonly ModelInfo[], typed: string): readonly ModelInfo[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 || models.some(({ id }) => id === typed)) return models;
  return models.filter(({ id }) => words.every((word) => id.toLowerCase().includes(word)));
}

/**
 * What somebody means who leaves the field: the model of this name, the only one that fits, or whatever has a provider's name
 * before it. undefined: nobody can tell.
 */
export function meantModel(models: readonly ModelInfo[], typed: string): string | undefined {
  const name = typed.trim();
  if (name === "" || models.some(({ id }) => id === name)) return name;
  const [found, ...others] = matchingModels(models, name);
  if (found !== undefined && others.length === 0) return found.id;
  return name.includes("/") ? name : undefined;
}
