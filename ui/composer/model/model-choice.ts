// The model of the next answer, and the models that match typed text. Pure, except for the last model in localStorage.
import { DEMO_MODEL } from "../../data/model-store.ts";
import type { ModelInfo } from "../../data/types.ts";
// Not from the kit's index: this module also runs without a browser.
import { writeStored, readStored } from "../../kit/local-storage.ts";

export function storeLastModel(model: string): void {
  writeStored("model", model);
}

/** Returns the last used model, if the server still offers its provider; else the demo model or the first one. */
export function chooseDefaultModel(models: readonly ModelInfo[], last = readStored("model") ?? ""): string {
  if (last !== "" && (models.length === 0 || isOffered(models, last))) return last;
  return models.find(({ id }) => id === DEMO_MODEL)?.id ?? models[0]?.id ?? DEMO_MODEL;
}

/** True if the server may accept the model: it lists it, or other models of the same provider. */
function isOffered(models: readonly ModelInfo[], model: string): boolean {
  return models.some(({ id, provider }) => id === model || model.startsWith(`${provider}/`));
}

/** Returns the models whose name contains every typed term; all models if nothing or a complete name was typed. */
export function filterModels(models: readonly ModelInfo[], typed: string): readonly ModelInfo[] {
  const terms = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (terms.length === 0 || models.some(({ id }) => id === typed)) return models;
  return models.filter(({ id }) => terms.every((term) => id.toLowerCase().includes(term)));
}

/**
 * Returns the model that the typed text stands for: an exact name, the only match, or any name with a provider prefix.
 * undefined: ambiguous.
 */
export function resolveTypedModel(models: readonly ModelInfo[], typed: string): string | undefined {
  const name = typed.trim();
  if (name === "" || models.some(({ id }) => id === name)) return name;
  const [match, ...others] = filterModels(models, name);
  if (match !== undefined && others.length === 0) return match.id;
  return name.includes("/") ? name : undefined;
}
