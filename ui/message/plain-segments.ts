// A text that is no Markdown but may hold code between fences, as people paste it: the words stay exactly as they were
// written, and the code is shown as code.

export interface PlainSegment {
  kind: "words" | "code";
  text: string;
  language: string;
}

/** Ticks, a language, and whatever else is said about the code; without a tick, or it is code within words. */
const FENCE = /^(`{3,})[ \t]*([^\s`]*)([^`]*)$/;

export function plainSegments(text: string): PlainSegment[] {
  if (!text.includes("```")) return [{ kind: "words", text, language: "" }];
  const segments: PlainSegment[] = [];
  let lines: string[] = [];
  let open: { sign: string; language: string; line: string } | undefined;
  const close = (kind: PlainSegment["kind"], language = ""): void => {
    if (lines.length > 0) segments.push({ kind, text: lines.join("\n"), language });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const fence = FENCE.exec(line);
    if (open === undefined && fence !== null) {
      close("words");
      open = { sign: fence[1] ?? "", language: fence[2] ?? "", line };
    } else if (
      open !== undefined &&
      fence !== null &&
      fence[2] === "" &&
      fence[3]?.trim() === "" &&
      fence[1]?.startsWith(open.sign) === true
    ) {
      close("code", open.language);
      open = undefined;
    } else lines.push(line);
  }
  // Code that nobody closed is none.
  if (open !== undefined) lines.unshift(open.line);
  close("words");
  return segments;
}
