// Converts the setting `models` to rules, each with a name or pattern and its targets.
import { pointer } from "../../model/json/pointer.ts";
import type { ConfigFile } from "./file-settings.ts";
import type { Mistakes } from "./mistakes.ts";
import { findSimilarName } from "./similar-name.ts";
import type { ModelRule } from "./types.ts";

type ModelSettings = NonNullable<ConfigFile["models"]>;
type KnownProviders = Readonly<Record<string, unknown>>;

/** Returns the rules in order of precedence: exact names before patterns, longer patterns first. */
export function toModelRules(settings: ModelSettings, providers: KnownProviders, mistakes: Mistakes): ModelRule[] {
  const rules: ModelRule[] = [];
  for (const [pattern, rule] of Object.entries(settings)) {
    const path = pointer(["models", pattern]);
    if (pattern.trim() === "") mistakes.add(path, "has an empty name: use the model name of clients.");
    if (countStars(pattern) > 1) mistakes.add(path, 'has more than one "*"; use only one.');
    // A rule is undefined if its setting was invalid. The mistake was already added when the setting was read.
    if (rule === undefined) continue;
    const { to, ...limits } = isRuleObject(rule) ? rule : { to: rule };
    const isOne = typeof to === "string";
    const within = path + (to === rule ? "" : "/to");
    const [first, ...others] = isOne ? [to] : (to ?? []);
    [first, ...others].forEach((target, index) => {
      if (target !== undefined)
        checkTarget(target, pattern, providers, isOne ? within : `${within}/${index}`, mistakes);
    });
    if (first !== undefined) rules.push({ pattern, targets: [first, ...others], ...limits });
  }
  return rules.toSorted((a, b) => rulePrecedence(b) - rulePrecedence(a));
}

type RuleObject = Exclude<ModelSettings[string], string | readonly string[]>;

/** True if the rule is an object. Its `to` may be missing; that mistake was added when the rule was read. */
function isRuleObject(rule: ModelSettings[string]): rule is RuleObject {
  return typeof rule === "object" && !Array.isArray(rule);
}

function rulePrecedence({ pattern }: ModelRule): number {
  return pattern.includes("*") ? pattern.length : Infinity;
}

function countStars(text: string): number {
  return text.split("*").length - 1;
}

function checkTarget(
  target: string,
  pattern: string,
  providers: KnownProviders,
  path: string,
  mistakes: Mistakes,
): void {
  const unknown = describeUnknownProvider(target, providers);
  if (unknown !== undefined) mistakes.add(path, unknown);
  if (countStars(target) > 1) mistakes.add(path, 'has more than one "*".');
  if (countStars(target) === 1 && countStars(pattern) === 0) {
    mistakes.add(path, 'has a "*", but the model name has none: use "*" in both or in neither.');
  }
}

/** Returns the message for an unknown provider in `provider/model`; undefined if the provider is known. */
export function describeUnknownProvider(target: string, providers: KnownProviders): string | undefined {
  const [name = ""] = target.split("/", 1);
  if (Object.hasOwn(providers, name)) return undefined;
  const known = Object.keys(providers);
  const similar = findSimilarName(name, known);
  const hint = similar === undefined ? "" : ` Did you mean "${similar}"?`;
  return `has the unknown provider "${name}" (is its key set?).${hint} Available: ${known.join(", ")}.`;
}
