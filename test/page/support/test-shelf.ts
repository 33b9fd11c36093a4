// A shelf as a tab has one, with so much room.
import type { Shelf } from "../../../ui/composer/shelf.ts";

/** What a browser's storage would keep, and how much of it. */
export class TestShelf implements Shelf {
  readonly kept = new Map<string, string>();
  readonly room: number;

  constructor(room = Infinity) {
    this.room = room;
  }

  get(name: string): unknown {
    const text = this.kept.get(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  set(name: string, value: unknown): boolean {
    if (value === undefined) return this.kept.delete(name) || true;
    const text = JSON.stringify(value);
    if (text.length > this.room) return false;
    this.kept.set(name, text);
    return true;
  }
}
