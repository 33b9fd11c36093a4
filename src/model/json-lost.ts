// Whether a JSON text holds a number that a double does not. It looks at UTF-8 bytes, four at a time, because that is
// several times faster than charCodeAt, and leaps over long strings.

import { isExponentMark, survives } from "./json-number.ts";

// Fifteen significant digits always survive. So, in the range of normal doubles, a lost number has a row of at least
// sixteen digits and points, which covers three whole aligned words: one word in three is enough to look at.
const ROW = 16;
const STRIDE = 3;

const BLOCK = 512;
const LARGEST_BLOCK = 32 * BLOCK;
const LEAP = 2 * BLOCK;
// Blocks overlap, so that a number on an edge stands whole in the next block, unless it is longer than this.
const OVERLAP = 64;

const IN_MANTISSA = Uint8Array.from({ length: 256 }, (_, code) => ((code >= 48 && code <= 57) || code === 46 ? 1 : 0));
const BEFORE = new Set(codesOf(" \t\r\n:,["));
const AFTER = new Set(codesOf(" \t\r\n,]}"));
const OUTSIDE_STRINGS = new Set(codesOf(" \t\r\n,:[]{}+-.0123456789Eaeflnrstu"));

const encoder = new TextEncoder();
const bytes = new Uint8Array(3 * LARGEST_BLOCK + 4);
const words = new Int32Array(bytes.buffer);

/** The stretch of text that `bytes` holds. */
interface Block {
  text: string;
  size: number;
  first: boolean;
  last: boolean;
}

function codesOf(chars: string): number[] {
  return Array.from(chars, (char) => char.charCodeAt(0));
}

/**
 * Whether a number of `text` may have lost its value: true for every valid JSON text that holds one, and now and then
 * for one with such a number inside a string. Infinities and subnormals show in the value read; numbers too small show
 * there as zeros, and are looked for only if `zeros` says so.
 */
export function mayHoldLostNumber(text: string, zeros: boolean): boolean {
  let length = BLOCK;
  for (let from = 0; ; from += length - OVERLAP) {
    const start = leap(text, from);
    // Where there is nothing to leap over, larger blocks cost less.
    length = start > from ? BLOCK : Math.min(2 * length, LARGEST_BLOCK);
    from = start;
    const part = from === 0 && text.length <= length ? text : text.substring(from, from + length);
    const { written } = encoder.encodeInto(part, bytes);
    const block = { text: part, size: written, first: from === 0, last: from + length >= text.length };
    if (zeros ? findAny(block) : findLong(block)) return true;
    if (block.last) return false;
  }
}

/**
 * The place from which to look on. A long stretch without a quote that holds a character which JSON only has in strings
 * lies in a string as a whole, and so does whatever precedes it up to `from`.
 */
function leap(text: string, from: number): number {
  let at = from;
  for (;;) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    if (end - at < LEAP || !isInString(text, at)) return at;
    at = end;
  }
}

function isInString(text: string, from: number): boolean {
  for (let at = from; at < from + ROW; at++) if (!OUTSIDE_STRINGS.has(text.charCodeAt(at))) return true;
  return false;
}

/** Looks for rows of sixteen or more digits and points. */
function findLong(block: Block): boolean {
  const count = block.size >> 2;
  for (let i = nextRow(STRIDE - 1, count); i < count;) {
    const end = judge(block, i * 4);
    if (end < 0) return true;
    i = nextRow(Math.max(i + STRIDE, (end >> 2) + 1), count);
  }
  return false;
}

// The loops that touch most of the text stand alone: without a call inside, engines compile them to few instructions.
function nextRow(from: number, count: number): number {
  let i = from;
  for (; i < count; i += STRIDE) {
    const word = words[i] ?? 0;
    // All four bytes from 0x20 to 0x3f, and at most one of them below the digits: it may be a point.
    if ((word & 0xe0e0e0e0) !== 0x20202020) continue;
    const below = ~word & 0x10101010;
    if ((below & (below - 1)) === 0) break;
  }
  return i;
}

/** Looks for those, and for exponents of three or more digits: three digits in a row cover an aligned pair. */
function findAny(block: Block): boolean {
  bytes.fill(0, block.size, block.size + 4);
  const count = (block.size + 3) >> 2;
  for (let i = nextPair(0, count); i < count;) {
    const left = judge(block, i * 4);
    const right = left < 0 ? left : judge(block, Math.max(left, i * 4 + 2));
    if (right < 0) return true;
    i = nextPair(Math.max(i + 1, right >> 2), count);
  }
  return false;
}

function nextPair(from: number, count: number): number {
  let i = from;
  for (; i < count; i++) {
    const word = words[i] ?? 0;
    if ((word & 0xf0f0) === 0x3030 || (word & 0xf0f00000) === 0x30300000) break;
  }
  return i;
}

/** Judges the number around the byte `at`: -1 if its value may be lost, else where its row of digits ends. */
function judge(block: Block, at: number): number {
  const end = rowEnd(block, at);
  if (end === at) return at;
  const start = rowStart(at);
  return (end - start >= ROW || isNegativeExponent(start)) && isLost(block, start, end) ? -1 : end;
}

function rowStart(from: number): number {
  let at = from;
  while (at > 0 && IN_MANTISSA[bytes[at - 1] ?? 0] === 1) at--;
  return at;
}

function rowEnd(block: Block, from: number): number {
  let at = from;
  while (at < block.size && IN_MANTISSA[bytes[at] ?? 0] === 1) at++;
  return at;
}

function isNegativeExponent(start: number): boolean {
  return bytes[start - 1] === 45 && isExponentMark(bytes[start - 2] ?? 0);
}

/** Whether the number that the row of digits from `row` to `end` belongs to is lost. */
function isLost(block: Block, row: number, end: number): boolean {
  let start = row;
  let stop = end;
  if (isNegativeExponent(row)) {
    start = rowStart(row - 2);
  } else if (stop < block.size && isExponentMark(bytes[stop] ?? 0)) {
    stop++;
    if (bytes[stop] === 45 || bytes[stop] === 43) stop++;
    stop = rowEnd(block, stop);
  }
  if (bytes[start - 1] === 45) start--;
  // On the left edge, the block before has seen it whole; on the right edge the next one will.
  if (start === 0 && !block.first) return false;
  if (stop >= block.size && !block.last) return stop - start >= OVERLAP - 2;
  return BEFORE.has(bytes[start - 1] ?? 0) && AFTER.has(bytes[stop] ?? 0) && !survives(tokenText(block, start, stop));
}

function tokenText(block: Block, start: number, end: number): string {
  if (block.size === block.text.length) return block.text.slice(start, end);
  return String.fromCharCode(...bytes.subarray(start, end));
}
