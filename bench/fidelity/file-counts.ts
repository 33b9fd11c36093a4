// Counts the results of all files for one table row, and lists the files with losses.

export class FileCounts {
  readonly #counts = new Map<string, number>();
  readonly #shortfalls: string[] = [];

  add(name: string, amount = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + amount);
  }

  count(name: string): string {
    return String(this.#counts.get(name) ?? 0);
  }

  remember(path: string, what: string): void {
    this.#shortfalls.push(`${path}: ${what}`);
  }

  /** Returns the result of the step. If the step throws, counts the error under `name` and returns undefined. */
  attempt<T>(name: string, path: string, step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      const known = this.#shortfalls.some((line) => line.startsWith(`${path}: ${name}`));
      if (!known) this.add(name);
      this.remember(path, `${name} ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  list(): void {
    for (const line of this.#shortfalls) console.log(line);
  }
}
