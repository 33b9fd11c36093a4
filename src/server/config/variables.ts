// Expands environment variables in the texts of settings: `$NAME` and `${NAME}`. `$$` becomes one dollar sign; any
// other dollar sign is not changed.
import type { Mistakes } from "./mistakes.ts";

export type ConfigEnv = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$(?:\$|\{([^}]*)\}|([A-Za-z_]\w*))/g;
const NAME = /^[A-Za-z_]\w*$/;

/** True if the text contains a variable. A text with a variable is also allowed where a number or flag is expected. */
export function hasVariables(text: string): boolean {
  return text.match(VARIABLE)?.some((reference) => reference !== "$$") ?? false;
}

/** Returns the text with its variables expanded. If a variable is not set, adds a mistake and returns undefined. */
export function readVariables(text: string, path: string, env: ConfigEnv, mistakes: Mistakes): string | undefined {
  if (!text.includes("$")) return text;
  let isComplete = true;
  const read = text.replaceAll(VARIABLE, (reference, braced: string | undefined, bare: string | undefined) => {
    if (reference === "$$") return "$";
    const name = braced ?? bare ?? "";
    const value = NAME.test(name) ? env[name] : undefined;
    if (value !== undefined && value !== "") return value;
    isComplete = false;
    mistakes.add(path, describeVariableFault(name, value));
    return "";
  });
  return isComplete ? read : undefined;
}

function describeVariableFault(name: string, value: string | undefined): string {
  const literal = 'or write "$$" for a dollar sign.';
  if (!NAME.test(name)) return `has "\${…}" without a variable name: write "\${NAME}", ${literal}`;
  const what = value === "" ? "which is empty" : "which is not set";
  return `reads the variable ${name}, ${what}: set it, ${literal}`;
}
