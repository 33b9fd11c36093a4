// Chooses the model of the next answer, and finds the models that match typed text. The functions are pure, except that
// the last used model is stored in localStorage.
import { DEMO_MODEL } from "../../data/model-store.ts";
import type { ModelInfo } from "../../data/types.ts";
// This import does not use the index of the folder kit: this module also runs without a browser, and the index needs
// one.
import { writeStored, readStored } from "../../kit/local-storage.ts";

export function storeLastModel(model: string): void {
  writeStored("model", model);
}

/**
 * Returns the last used model if the server still offers it or its provider. Otherwise returns the demo model, or the
 * first listed model if the server does not offer the demo.
 */
export function chooseDefaultModel(models: readonly ModelInfo[], last = readStored("model") ?? ""): string {
  if (last !== "" && (models.length === 0 || isOffered(models, last))) return last;
  return models.find(({ id }) => id === DEMO_MODEL)?.id ?? models[0]?.id ?? DEMO_MODEL;
}

/** True if the server may accept the model, because it lists the model or another model of the same provider. */
function isOffered(models: readonly ModelInfo[], model: string): boolean {
  return models.some(({ id, provider }) => id === model || model.startsWith(`${provider}/`));
}

/** Returns the models whose id contains every typed term. An empty text or a complete model id returns all models. */
export function filterModels(models: readonly ModelInfo[], typed: string): readonly ModelInfo[] {
  const terms = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (terms.length === 0 || models.some(({ id }) => id === typed)) return models;
  return models.filter(({ id }) => terms.every((term) => id.toLowerCase().includes(term)));
}

/**
 * Returns the model id for a typed text: the text itself if it is empty, a listed id or has a provider prefix, or the
 * id of the only match. Returns undefined if the text is ambiguous or matches nothing.
 */
export function resolveTypedModel(models: readonly ModelInfo[], typed: string): string | undefined {
  const name = typed.trim();
  if (name === "" || models.some(({ id }) => id === name)) return name;
  const [match, ...others] = filterModels(models, name);
  if (match !== undefined && others.length === 0) return match.id;
  return name.includes("/") ? name : undefined;
}
