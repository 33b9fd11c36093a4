// Returns the JSON pointer of the value that starts or ends on a line.
import { listChildLines, isClosingLine, findParentLine, readQuotedKey } from "../../../ui/json/json-document.ts";
import type { JsonDocument } from "../../../ui/json/json-document.ts";
import { joinPointer } from "../../../ui/json/json-pointers.ts";

export function pointerAt(document: JsonDocument, line: number): string {
  const steps: (string | number)[] = [];
  let at = line;
  for (;;) {
    const parent = findParentLine(document, at);
    if (isClosingLine(document, at)) {
      const siblings = parent === undefined ? [0] : listChildLines(document, parent);
      at = siblings.findLast((each) => each < at) ?? 0;
    }
    if (parent === undefined) return joinPointer(steps);
    const key = readQuotedKey(document, at);
    steps.unshift(key === undefined ? listChildLines(document, parent).indexOf(at) : (JSON.parse(key) as string));
    at = parent;
  }
}
