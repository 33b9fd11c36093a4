// The examples in JSDoc comments: blocks of TypeScript after the tag `@example`.
import type { SourceFile } from "./sources.ts";

/** One block of an example. A block that is marked with `compile` needs a key or a server, so it is not run. */
export interface JsDocExample {
  code: string;
  runs: boolean;
}

/** Returns the blocks of a JSDoc comment, whose lines may start with an asterisk. */
export function readExamples(comment: string): JsDocExample[] {
  const text = comment.replaceAll(/^[ \t]*\* ?/gm, "");
  const [, ...sections] = text.split(/^@example\b/m);
  // A section ends at the next tag. A line of code can start with an at sign only as a decorator, which Koine does not use.
  const examples = sections.map((section) => section.split(/^@\w/m, 1)[0] ?? "");
  return examples.flatMap((example) =>
    [...example.matchAll(/^```ts( compile)?\n(.*?)^```/gms)].map(([, mark, code = ""]) => ({
      code,
      runs: mark === undefined,
    })),
  );
}

/** Returns the blocks of all JSDoc comments of a file, each with the line of its comment. */
export function listExamples(file: SourceFile): (JsDocExample & { line: number })[] {
  return file.comments.flatMap((comment) => {
    if (comment.type !== "Block" || !comment.value.startsWith("*")) return [];
    const { line } = file.position(comment.start, "");
    return readExamples(comment.value).map((example) => ({ ...example, line }));
  });
}
