// A tab storage in memory, with limited capacity.
import type { TabStorage } from "../../../ui/composer/draft/tab-storage.ts";

export class TestStorage implements TabStorage {
  readonly entries = new Map<string, string>();
  readonly maxLength: number;

  constructor(room = Infinity) {
    this.maxLength = room;
  }

  get(name: string): unknown {
    const text = this.entries.get(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  set(name: string, value: unknown): boolean {
    if (value === undefined) return this.entries.delete(name) || true;
    const text = JSON.stringify(value);
    if (text.length > this.maxLength) return false;
    this.entries.set(name, text);
    return true;
  }
}
