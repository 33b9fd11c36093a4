// Splits plain text at fenced code, which users often paste. Text stays exactly as written; code becomes code segments.

export interface PlainSegment {
  kind: "text" | "code";
  text: string;
  language: string;
}

/** Matches a fence line: at least three backticks, an optional language and further text without backticks. */
const FENCE = /^(`{3,})[ \t]*([^\s`]*)([^`]*)$/;

export function splitCodeFences(text: string): PlainSegment[] {
  if (!text.includes("```")) return [{ kind: "text", text, language: "" }];
  const segments: PlainSegment[] = [];
  let lines: string[] = [];
  let open: { fence: string; language: string; line: string } | undefined;
  const close = (kind: PlainSegment["kind"], language = ""): void => {
    if (lines.length > 0) segments.push({ kind, text: lines.join("\n"), language });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const fence = FENCE.exec(line);
    if (open === undefined && fence !== null) {
      close("text");
      open = { fence: fence[1] ?? "", language: fence[2] ?? "", line };
    } else if (
      open !== undefined &&
      fence !== null &&
      fence[2] === "" &&
      fence[3]?.trim() === "" &&
      fence[1]?.startsWith(open.fence) === true
    ) {
      close("code", open.language);
      open = undefined;
    } else lines.push(line);
  }
  // The text after an unclosed fence stays plain text, with the fence.
  if (open !== undefined) lines.unshift(open.line);
  close("text");
  return segments;
}
