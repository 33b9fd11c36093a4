// A slow reference implementation of the standard's event stream grammar, with which the real parser is compared.
// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

import type { SseEvent } from "../../src/sse/index.ts";

/** All events of a whole stream, the unterminated last one included (B68). */
export function referenceEvents(bytes: Uint8Array): SseEvent[] {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).replace(/^\uFEFF/, "");
  const events: SseEvent[] = [];
  let block: Partial<SseEvent> = {};
  let retry: number | undefined;
  for (const line of [...text.split(/\r\n|\r|\n/), "", ""]) {
    if (line === "") {
      if (block.data !== undefined) {
        events.push({ ...block, data: block.data, ...(retry === undefined ? {} : { retry }) });
        retry = undefined;
      }
      block = {};
      continue;
    }
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    else if (name === "event" && value === "") delete block.event;
    else if (name === "event") block.event = value;
    else if (name === "id" && !value.includes("\0")) block.id = value;
    else if (name === "retry" && /^[0-9]+$/.test(value) && Number.isSafeInteger(Number(value))) retry = Number(value);
  }
  return events;
}
