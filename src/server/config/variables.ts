// Variables in the texts of a file: `$NAME` and `${NAME}` are what the environment has under that name, `$$` is a dollar.
// A dollar before anything else is itself.
import type { Mistakes } from "./mistakes.ts";

export type Env = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$(?:\$|\{([^}]*)\}|([A-Za-z_]\w*))/g;
const NAME = /^[A-Za-z_]\w*$/;

/** Whether a text is made of variables, and so may stand for a number or a flag. */
export function hasVariables(text: string): boolean {
  return text.match(VARIABLE)?.some((found) => found !== "$$") ?? false;
}

/** The text with its variables read; undefined where one is missing, which is a mistake. */
export function readVariables(text: string, path: string, env: Env, mistakes: Mistakes): string | undefined {
  if (!text.includes("$")) return text;
  let isWhole = true;
  const read = text.replaceAll(VARIABLE, (found, braced: string | undefined, bare: string | undefined) => {
    if (found === "$$") return "$";
    const name = braced ?? bare ?? "";
    const value = NAME.test(name) ? env[name] : undefined;
    if (value !== undefined && value !== "") return value;
    isWhole = false;
    mistakes.add(path, problemOf(name, value));
    return "";
  });
  return isWhole ? read : undefined;
}

function problemOf(name: string, value: string | undefined): string {
  const literal = 'or write "$$" for a dollar that is only a dollar.';
  if (!NAME.test(name)) return `has "\${…}" without the name of a variable in it; write "\${NAME}", ${literal}`;
  const what = value === "" ? "which is empty" : "which is not set";
  return `reads the variable ${name}, ${what}: set it, ${literal}`;
}
