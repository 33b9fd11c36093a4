// Collects the mistakes in settings, so that all are reported at once, each with its path and remedy. A message never
// contains the value of a setting, because the value may be an API key.
import { ServerError } from "../errors.ts";

/** One mistake in the settings. */
export interface Mistake {
  /** The place of the mistake: a JSON pointer into the settings, or the name of a variable or flag. */
  path: string;
  /** The rest of a sentence that starts with the path, for example "must be a list.". */
  message: string;
}

/** The error for invalid settings; `mistakes` lists all mistakes. */
export class ConfigError extends ServerError {
  readonly mistakes: readonly Mistake[];
  /** The path of the configuration file; undefined if no file was read. */
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

/**
 * Formats a mistake as a sentence that starts with its path or, if the path is empty, "The file" or "The
 * configuration".
 */
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
