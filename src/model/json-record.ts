// Finds the numbers of a JSON text that a double does not hold, and records them beside the value read from it.
// The text is known to be valid and the value to be what JSON.parse made of it; this only walks the two in step.

import { forget, hasRecords, ownValue, record } from "./json-exact.ts";
import { isExponentMark, survives } from "./json-number.ts";

const NEAR = 24;

interface Level {
  /** The value's container, or undefined in a part of the text that a later duplicate key replaced. */
  readonly container: object | undefined;
  readonly array: boolean;
  index: number;
  /** Where the literal of the current key stands; keys are only read when they are needed. */
  keyStart: number;
  keyEnd: number;
  expectsKey: boolean;
}

/** Records every number of `text` whose value was lost when `root` was read from it. Linear in the text. */
export function recordNumbers(text: string, root: object): void {
  const levels: Level[] = [];
  let level: Level | undefined;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      const end = stringEnd(text, at);
      if (level?.expectsKey) {
        level.keyStart = at;
        level.keyEnd = end;
        level.expectsKey = false;
      }
      at = end;
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      const end = numberEnd(text, at);
      if (level !== undefined) settle(text, level, at, end);
      at = end;
    } else {
      if (code === 44 && level !== undefined) {
        level.index++;
        level.expectsKey = !level.array;
      } else if (code === 91 || code === 123) {
        const child = level === undefined ? root : childOf(text, level);
        level = enter(child, code === 91);
        levels.push(level);
      } else if (code === 93 || code === 125) {
        levels.pop();
        level = levels.at(-1);
      }
      at++;
    }
  }
}

function enter(child: unknown, array: boolean): Level {
  const fits = typeof child === "object" && child !== null && Array.isArray(child) === array;
  return { container: fits ? child : undefined, array, index: 0, keyStart: 0, keyEnd: 0, expectsKey: !array };
}

function childOf(text: string, level: Level): unknown {
  return level.container && ownValue(level.container, keyOf(text, level));
}

function keyOf(text: string, level: Level): string {
  if (level.array) return String(level.index);
  const literal = text.slice(level.keyStart, level.keyEnd);
  return literal.includes("\\") ? String(JSON.parse(literal)) : literal.slice(1, -1);
}

/** Of duplicate keys the last wins, in the value and here: what does not stand in the value is not kept. */
function settle(text: string, level: Level, start: number, end: number): void {
  const { container } = level;
  if (container === undefined) return;
  const lost = end - start > 15 || hasExponent(text, start, end) ? !survives(text.slice(start, end)) : false;
  if (!lost && !hasRecords(container)) return;
  const number = text.slice(start, end);
  const key = keyOf(text, level);
  if (lost && ownValue(container, key) === Number(number)) record(container, key, number);
  else forget(container, key);
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) if (isExponentMark(text.charCodeAt(at))) return true;
  return false;
}

/** Where the string literal ends: character by character while it may be short, then in leaps. */
function stringEnd(text: string, open: number): number {
  let at = open + 1;
  for (const near = at + NEAR; at < near; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return at + 1;
    if (code === 92) at++;
  }
  // A leap may start at the second half of an escape; a quote there is known by the backslash before it.
  let close = text.indexOf('"', at);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote;
  while (text.charCodeAt(at - 1) === 92) at--;
  return (quote - at) % 2 === 1;
}

function numberEnd(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const inside = (code >= 48 && code <= 57) || code === 46 || code === 43 || code === 45 || isExponentMark(code);
    if (!inside) break;
  }
  return at;
}
