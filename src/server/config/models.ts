// Rules for models: names and patterns, and the targets that they stand for.
import { pointer } from "../../model/pointer.ts";
import type { ConfigFile } from "./file.ts";
import type { Mistakes } from "./mistakes.ts";
import { similarTo } from "./similar.ts";
import type { ModelRule } from "./types.ts";

type Described = NonNullable<ConfigFile["models"]>;
type Providers = Readonly<Record<string, unknown>>;

/** In the order in which they count: exact names before patterns, longer patterns before shorter ones. */
export function rulesOf(described: Described, providers: Providers, mistakes: Mistakes): ModelRule[] {
  const rules: ModelRule[] = [];
  for (const [pattern, rule] of Object.entries(described)) {
    const path = pointer(["models", pattern]);
    if (pattern.trim() === "") mistakes.add(path, "has no name: name the model that clients ask for.");
    if (stars(pattern) > 1) mistakes.add(path, 'has more than one "*"; only one can be repeated in its targets.');
    // A wrong value was told when it was read.
    if (rule === undefined) continue;
    const { to, ...limits } = typeof rule === "object" && "to" in rule ? rule : { to: rule };
    const isOne = typeof to === "string";
    const within = path + (to === rule ? "" : "/to");
    const [first, ...others] = isOne ? [to] : (to ?? []);
    [first, ...others].forEach((target, index) => {
      if (target !== undefined)
        checkTarget(target, pattern, providers, isOne ? within : `${within}/${index}`, mistakes);
    });
    if (first !== undefined) rules.push({ pattern, targets: [first, ...others], ...limits });
  }
  return rules.toSorted((a, b) => weight(b) - weight(a));
}

function weight({ pattern }: ModelRule): number {
  return pattern.includes("*") ? pattern.length : Infinity;
}

function stars(text: string): number {
  return text.split("*").length - 1;
}

function checkTarget(target: string, pattern: string, providers: Providers, path: string, mistakes: Mistakes): void {
  const unknown = unknownProvider(target, providers);
  if (unknown !== undefined) mistakes.add(path, unknown);
  if (stars(target) > 1) mistakes.add(path, 'has more than one "*".');
  if (stars(target) === 1 && stars(pattern) === 0) {
    mistakes.add(path, 'has a "*", which repeats what a "*" in the name stands for; the name has none.');
  }
}

/** What is wrong with the provider of a `provider/model`. */
export function unknownProvider(target: string, providers: Providers): string | undefined {
  const [name = ""] = target.split("/", 1);
  if (Object.hasOwn(providers, name)) return undefined;
  const known = Object.keys(providers);
  const meant = similarTo(name, known);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return `names the provider "${name}", which is not there (is its key set?).${hint} Known are: ${known.join(", ")}.`;
}
