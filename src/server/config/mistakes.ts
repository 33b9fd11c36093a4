// Mistakes in settings: all of them are told at once, each with its path and with what to write instead. Values are never
// repeated, because they may be keys.
import { ServerError } from "../errors.ts";

export interface Mistake {
  /** A JSON pointer into the file, or the name of a variable or flag. */
  path: string;
  /** Completes a sentence that begins with the path. */
  message: string;
}

/** Settings that cannot be used: `mistakes` has all of them. */
export class ConfigError extends ServerError {
  readonly mistakes: readonly Mistake[];
  /** The file that they are in, where they are in one. */
  readonly file: string | undefined;

  constructor(mistakes: readonly [Mistake, ...Mistake[]], file?: string, options: ErrorOptions = {}) {
    const [first] = mistakes;
    const more = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more in .mistakes)` : "";
    const where = file === undefined ? "" : `${file}: `;
    super("configuration", `${where}${sentenceOf(first)}${more}`, { ...options, path: first.path });
    this.mistakes = mistakes;
    this.file = file;
  }
}

export function sentenceOf({ path, message }: Mistake): string {
  return path === "" ? `The file ${message}` : `${path} ${message}`;
}

export class Mistakes {
  readonly #all: Mistake[] = [];

  add(path: string, message: string): void {
    // A value that is wrong in itself may be wrong in what it means, too: the first one is enough.
    if (!this.#has(path)) this.#all.push({ path, message });
  }

  #has(path: string): boolean {
    return this.#all.some((each) => each.path === path);
  }

  get any(): boolean {
    return this.#all.length > 0;
  }

  throwAny(file?: string): void {
    const [first, ...others] = this.#all;
    if (first !== undefined) throw new ConfigError([first, ...others], file);
  }
}
