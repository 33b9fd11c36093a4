// Reads the examples in JSDoc comments: blocks of TypeScript after the tag `@example`.
import type { SourceFile } from "./sources.ts";

/** One code block of an example. `runs` is false for a block marked `compile`, which needs a key or a server. */
export interface JsDocExample {
  code: string;
  runs: boolean;
}

/** Returns the example blocks of a JSDoc comment, whose lines may start with an asterisk. */
export function readExamples(comment: string): JsDocExample[] {
  const text = comment.replaceAll(/^[ \t]*\* ?/gm, "");
  const [, ...sections] = text.split(/^@example\b/m);
  // A section ends at the next line with a tag. Only a decorator could be such a line of code, and Koine uses none.
  const examples = sections.map((section) => section.split(/^@\w/m, 1)[0] ?? "");
  return examples.flatMap((example) =>
    [...example.matchAll(/^```ts( compile)?\n(.*?)^```/gms)].map(([, mark, code = ""]) => ({
      code,
      runs: mark === undefined,
    })),
  );
}

/** Returns the example blocks of all JSDoc comments of a file, each with the line of its comment. */
export function listExamples(file: SourceFile): (JsDocExample & { line: number })[] {
  return file.comments.flatMap((comment) => {
    if (comment.type !== "Block" || !comment.value.startsWith("*")) return [];
    const { line } = file.position(comment.start, "");
    return readExamples(comment.value).map((example) => ({ ...example, line }));
  });
}
