// Collects the mistakes in settings, so that all are reported at once, each with its path and remedy. Messages never
// contain a value of a setting, because it may be a key.
import { ServerError } from "../errors.ts";

/** One mistake in the settings. */
export interface Mistake {
  /** The place of the mistake: a JSON pointer into the settings, or the name of a variable or flag. */
  path: string;
  /** The predicate of a sentence whose subject is the path. */
  message: string;
}

/** The error for invalid settings; `mistakes` lists all mistakes. */
export class ConfigError extends ServerError {
  readonly mistakes: readonly Mistake[];
  /** The file with the mistakes, if they are in a file. */
  readonly file: string | undefined;

  constructor(mistakes: readonly [Mistake, ...Mistake[]], file?: string, options: ErrorOptions = {}) {
    const [first] = mistakes;
    const more = mistakes.length > 1 ? ` (and ${mistakes.length - 1} more in .mistakes)` : "";
    const where = file === undefined ? "" : `${file}: `;
    super("configuration", `${where}${formatMistake(first, file)}${more}`, { ...options, path: first.path });
    this.mistakes = mistakes;
    this.file = file;
  }
}

/** Formats a mistake as a sentence. Its subject is the path, or if that is empty the file or the configuration. */
export function formatMistake({ path, message }: Mistake, file?: string): string {
  const subject = file === undefined ? "The configuration" : "The file";
  return `${path === "" ? subject : path} ${message}`;
}

export class Mistakes {
  readonly #all: Mistake[] = [];

  add(path: string, message: string): void {
    // Only the first mistake of a path is reported, because later ones are usually consequences of the first.
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
