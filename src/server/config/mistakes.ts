// Mistakes in settings: all are reported at once, each with its path and remedy. Values are never repeated, because
// they may be keys.
import { ServerError } from "../errors.ts";

/** One mistake in the settings. */
export interface Mistake {
  /** A JSON pointer into the file, or the name of a variable or flag. */
  path: string;
  /** The predicate of a sentence whose subject is the path. */
  message: string;
}

/** Invalid settings; `mistakes` lists all of them. */
export class ConfigError extends ServerError {
  readonly mistakes: readonly Mistake[];
  /** The file with the mistakes, if they are in a file. */
  readonly file: string | undefined;

  constructor(mistakes: readonly [Mistake, ...Mistake[]], file?: string, options: ErrorOptions = {}) {
    const [first] = mistakes;
    const more = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more in .mistakes)` : "";
    const where = file === undefined ? "" : `${file}: `;
    super("configuration", `${where}${formatMistake(first)}${more}`, { ...options, path: first.path });
    this.mistakes = mistakes;
    this.file = file;
  }
}

export function formatMistake({ path, message }: Mistake): string {
  return path === "" ? `The file ${message}` : `${path} ${message}`;
}

export class Mistakes {
  readonly #all: Mistake[] = [];

  add(path: string, message: string): void {
    // Only the first mistake of a path is reported; later ones are usually its consequences.
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
