// The pointer to the value that begins, or ends, on a line of a document.
import { childrenOf, isCloser, parentOf, quotedKeyOf } from "../../../ui/json/document.ts";
import type { JsonDocument } from "../../../ui/json/document.ts";
import { pointerOf } from "../../../ui/json/pointers.ts";

export function pointerAt(document: JsonDocument, line: number): string {
  const steps: (string | number)[] = [];
  let at = line;
  for (;;) {
    const parent = parentOf(document, at);
    if (isCloser(document, at)) {
      const siblings = parent === undefined ? [0] : childrenOf(document, parent);
      at = siblings.findLast((each) => each < at) ?? 0;
    }
    if (parent === undefined) return pointerOf(steps);
    const key = quotedKeyOf(document, at);
    steps.unshift(key === undefined ? childrenOf(document, parent).indexOf(at) : (JSON.parse(key) as string));
    at = parent;
  }
}
