// Where in an encoded value a canonical place went: found by comparing it with the encoding of a marked copy. Where the two
// have the same shape a token stands exactly at the place of what it marks; where they have not, the outermost difference
// is all that is said, so that no wrong place is ever named.
import { isObject } from "koine";
import { pointerOf, stepsOf } from "../../json/pointers.ts";
import type { Standing } from "../types.ts";
import type { Marker } from "./marking.ts";

export interface Place {
  pointer: string;
  standing: Standing;
}

export const HEAD: Place = { pointer: "", standing: "head" };

export class Trace {
  /** Pointers into the wire, by every canonical pointer at or above what stands there. */
  readonly #wires = new Map<string, string[]>();
  /** How many tokens stand at or below a pointer into the wire. */
  readonly #counts = new Map<string, number>();

  readonly #places: readonly string[];
  readonly #pattern: RegExp | undefined;

  /** `marked`: the encoding of the copy that the marker made. */
  constructor(wire: unknown, marked: unknown, { places, pattern }: Marker) {
    this.#places = places;
    this.#pattern = pattern;
    this.#compare(wire, marked, "");
  }

  #compare(wire: unknown, marked: unknown, path: string): void {
    if (typeof marked === "string") return this.#note(marked, path);
    if (Array.isArray(marked) && Array.isArray(wire) && marked.length === wire.length) {
      marked.forEach((each, at) => this.#compare(wire[at], each, `${path}/${at}`));
    } else if (isObject(marked) && isObject(wire) && !Array.isArray(marked) && hasSameKeys(marked, wire)) {
      for (const key in marked) this.#compare(wire[key], marked[key], path + pointerOf([key]));
    } else if (typeof marked === "object" && marked !== null) this.#gather(marked, path);
  }

  /** Everything in a value counts as standing at one place. */
  #gather(marked: unknown, path: string): void {
    if (typeof marked === "string") this.#note(marked, path);
    else if (typeof marked === "object" && marked !== null) {
      for (const each of Object.values(marked)) this.#gather(each, path);
    }
  }

  #note(text: string, path: string): void {
    for (const [, number] of this.#pattern === undefined ? [] : text.matchAll(this.#pattern)) {
      const place = this.#places[Number(number)];
      if (place === undefined) continue;
      for (const above of ancestors(place)) {
        const known = this.#wires.get(above);
        if (known === undefined) this.#wires.set(above, [path]);
        else if (known.at(-1) !== path) known.push(path);
      }
      for (const above of ancestors(path)) this.#counts.set(above, (this.#counts.get(above) ?? 0) + 1);
    }
  }

  /** What became of a canonical place, else what became of the part or the message that it belongs to. */
  find(path: string): Place {
    const own = this.#wires.get(path);
    if (own !== undefined && !isWhole(path)) return { pointer: common(own), standing: "at" };
    for (const owner of ownersOf(path)) {
      const found = this.#wires.get(owner);
      if (found !== undefined) return { pointer: this.#widest(found), standing: owner === path ? "at" : "near" };
    }
    return HEAD;
  }

  /** The largest thing that holds these places and nothing else that is known. */
  #widest(found: readonly string[]): string {
    let pointer = common(found);
    const inside = this.#counts.get(pointer) ?? 0;
    for (;;) {
      const steps = stepsOf(pointer);
      const above = pointerOf(steps.slice(0, -1));
      if (above === "" || this.#counts.get(above) !== inside) return pointer;
      pointer = above;
    }
  }
}

function hasSameKeys(one: object, other: object): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key));
}

/** A pointer and all that are above it, but for the root. */
function ancestors(pointer: string): string[] {
  const found: string[] = [];
  for (let at = pointer.length; at > 0; at = pointer.lastIndexOf("/", at - 1)) found.push(pointer.slice(0, at));
  return found;
}

/** The whole list of messages, or of tools: what is said of it has no place within it. */
function isWhole(path: string): boolean {
  return /^(|\/messages|\/tools|\/alternatives)$/.test(path);
}

/** The part, the message and the tool that a path leads through, the innermost first. */
function ownersOf(path: string): string[] {
  const part = /^(?:\/messages)?\/\d+\/parts\/\d+|^(?:\/alternatives\/\d+)?\/message\/parts\/\d+/.exec(path)?.[0];
  const message = /^(?:\/messages)?\/\d+|^(?:\/alternatives\/\d+)?\/message/.exec(path)?.[0];
  const tool = /^\/tools\/\d+/.exec(path)?.[0];
  return [part, message, tool].filter((each) => each !== undefined);
}

/** The deepest pointer that is at or above all of them. */
export function common(pointers: readonly string[]): string {
  const [first = "", ...others] = pointers;
  let steps = stepsOf(first);
  for (const other of others) {
    const theirs = stepsOf(other);
    const until = steps.findIndex((step, at) => theirs[at] !== step);
    if (until >= 0) steps = steps.slice(0, until);
  }
  return pointerOf(steps);
}
