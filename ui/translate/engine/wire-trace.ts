// Finds the position of a canonical value in its encoding, by comparing the encoding with the encoding of a copy that
// has tokens (position-tokens.ts). Where both have the same shape, a token is exactly at the position of its value.
// Where the shapes differ, the outermost difference is the position, so that no wrong position is reported.
import { isObject } from "koine";
import { joinPointer, splitPointer } from "../../json/json-pointers.ts";
import type { LossPrecision } from "../types.ts";
import type { PositionTokens } from "./position-tokens.ts";

export interface WirePosition {
  pointer: string;
  precision: LossPrecision;
}

export const DOCUMENT_HEAD: WirePosition = { pointer: "", precision: "head" };

export class WireTrace {
  /**
   * Wire pointers at which the tokens of a canonical value occur, by the JSON pointer of that value. A container in the
   * canonical value has the wire pointers of all values with a token inside it.
   */
  readonly #wirePointers = new Map<string, string[]>();
  /** Number of tokens at or below each wire pointer. */
  readonly #tokenCounts = new Map<string, number>();

  readonly #pointers: readonly string[];
  readonly #pattern: RegExp | undefined;

  /** `wire` is the encoding of the canonical value; `marked` is the encoding of the copy with tokens. */
  constructor(wire: unknown, marked: unknown, { pointers, pattern }: PositionTokens) {
    this.#pointers = pointers;
    this.#pattern = pattern;
    this.#compare(wire, marked, "");
  }

  #compare(wire: unknown, marked: unknown, path: string): void {
    if (typeof marked === "string") return this.#addTokens(marked, path);
    if (Array.isArray(marked) && Array.isArray(wire) && marked.length === wire.length) {
      marked.forEach((each, at) => this.#compare(wire[at], each, `${path}/${at}`));
    } else if (isObject(marked) && isObject(wire) && !Array.isArray(marked) && hasSameKeys(marked, wire)) {
      for (const key in marked) this.#compare(wire[key], marked[key], path + joinPointer([key]));
    } else if (typeof marked === "object" && marked !== null) this.#collectTokens(marked, path);
  }

  /**
   * Assigns all tokens inside `marked` to the one position `path`: at `path`, the shapes of both encodings differ, so
   * that the positions inside it are not those of the shown document.
   */
  #collectTokens(marked: unknown, path: string): void {
    if (typeof marked === "string") this.#addTokens(marked, path);
    else if (typeof marked === "object" && marked !== null) {
      for (const each of Object.values(marked)) this.#collectTokens(each, path);
    }
  }

  #addTokens(text: string, path: string): void {
    for (const [, number] of this.#pattern === undefined ? [] : text.matchAll(this.#pattern)) {
      const pointer = this.#pointers[Number(number)];
      if (pointer === undefined) continue;
      for (const above of listAncestors(pointer)) {
        const wirePointers = this.#wirePointers.get(above);
        if (wirePointers === undefined) this.#wirePointers.set(above, [path]);
        else if (wirePointers.at(-1) !== path) wirePointers.push(path);
      }
      for (const above of listAncestors(path)) this.#tokenCounts.set(above, (this.#tokenCounts.get(above) ?? 0) + 1);
    }
  }

  /**
   * Returns the position of a canonical value. If it is unknown, returns the position of the part, message or tool that
   * contains the value, or the head of the document.
   */
  find(path: string): WirePosition {
    const exact = this.#wirePointers.get(path);
    if (exact !== undefined && !isTopLevelList(path)) return { pointer: findCommonPointer(exact), precision: "at" };
    for (const owner of listOwners(path)) {
      const wirePointers = this.#wirePointers.get(owner);
      if (wirePointers !== undefined)
        return { pointer: this.#findWidest(wirePointers), precision: owner === path ? "at" : "near" };
    }
    return DOCUMENT_HEAD;
  }

  /**
   * Returns the pointer of the largest wire value that contains the given positions and no token at another position:
   * the whole wire value that represents the part, message or tool.
   */
  #findWidest(wirePointers: readonly string[]): string {
    let pointer = findCommonPointer(wirePointers);
    const inside = this.#tokenCounts.get(pointer) ?? 0;
    for (;;) {
      const steps = splitPointer(pointer);
      const above = joinPointer(steps.slice(0, -1));
      if (above === "" || this.#tokenCounts.get(above) !== inside) return pointer;
      pointer = above;
    }
  }
}

function hasSameKeys(one: object, other: object): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key));
}

/** Returns a pointer and its ancestors, except the root. */
function listAncestors(pointer: string): string[] {
  const pointers: string[] = [];
  for (let at = pointer.length; at > 0; at = pointer.lastIndexOf("/", at - 1)) pointers.push(pointer.slice(0, at));
  return pointers;
}

/**
 * True if the path is the root or a complete list of messages, tools or alternatives. The loss of a whole list has no
 * position inside the list.
 */
function isTopLevelList(path: string): boolean {
  return /^(|\/messages|\/tools|\/alternatives)$/.test(path);
}

/** Returns the paths of the part, the message and the tool that contain the value at `path`, in this order. */
function listOwners(path: string): string[] {
  const part = /^(?:\/messages)?\/\d+\/parts\/\d+|^(?:\/alternatives\/\d+)?\/message\/parts\/\d+/.exec(path)?.[0];
  const message = /^(?:\/messages)?\/\d+|^(?:\/alternatives\/\d+)?\/message/.exec(path)?.[0];
  const tool = /^\/tools\/\d+/.exec(path)?.[0];
  return [part, message, tool].filter((each) => each !== undefined);
}

/** Returns the deepest common ancestor of the pointers. */
export function findCommonPointer(pointers: readonly string[]): string {
  const [first = "", ...others] = pointers;
  let steps = splitPointer(first);
  for (const other of others) {
    const otherSteps = splitPointer(other);
    const until = steps.findIndex((step, at) => otherSteps[at] !== step);
    if (until >= 0) steps = steps.slice(0, until);
  }
  return joinPointer(steps);
}
