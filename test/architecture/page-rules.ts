// The map of the page: which of its folders may know which, what it may import, and that it never makes HTML out of text.
// Pure, as the rules of the package are.
import { posix } from "node:path";
import { readSource } from "./source.ts";

/** Every folder of ui, and those that it may import besides itself. "." is the files directly in it. */
const FOLDERS: Record<string, readonly string[]> = {
  kit: [],
  data: [],
  json: ["kit"],
  markdown: ["kit"],
  message: ["kit", "data", "markdown", "json"],
  tasks: ["kit", "data", "message"],
  composer: ["kit", "data", "tasks"],
  branches: ["kit", "data"],
  conversation: ["kit", "data", "message", "tasks", "composer", "branches", "threads"],
  threads: ["kit", "data"],
  home: ["kit", "data"],
  translate: ["kit", "json"],
  inspect: ["kit", "data", "json", "translate", "message"],
  shell: ["kit", "data", "threads"],
};
/** Plain files that any folder may use. */
const SHARED = new Set(["ui/routes.ts"]);
const PACKAGES = new Set([
  "koine",
  // What tasks are told in; the root would bring every dialect along.
  "koine/dialects/openai-chat",
  "react",
  "react-dom",
  "react-dom/client",
  "wouter",
  "@tanstack/react-virtual",
  "marked",
  "lowlight",
]);
/** A body of text that becomes HTML, or code, is how pages are broken into. */
const SINKS =
  /dangerouslySetInnerHTML|\.(inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(|srcDoc/;

/** Breaches of the rules in a tree of path → text, one sentence each. */
export function findPageBreaches(tree: ReadonlyMap<string, string>): string[] {
  return [...tree].flatMap(([path, text]) => {
    const { imports, computedImports } = readSource(path, text);
    const sink = SINKS.exec(text)?.[0];
    return [
      ...computedImports.map((what) => `${path} has ${what}`),
      ...imports.flatMap((specifier) => importBreach(path, specifier) ?? []),
      ...(sink === undefined ? [] : [`${path} uses ${sink}`]),
    ];
  });
}

function importBreach(path: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) {
    return PACKAGES.has(specifier) ? undefined : `${path} imports ${specifier}, which the page must not`;
  }
  const target = posix.join(posix.dirname(path), specifier);
  const own = folderOf(path);
  const other = folderOf(target);
  if (other === undefined) return `${path} imports ${target}, outside ui`;
  if (own === other || own === "." || SHARED.has(target)) return undefined;
  if (own === undefined || FOLDERS[own] === undefined) return `${path} is in a folder that the map does not know`;
  return FOLDERS[own].includes(other) ? undefined : `${path} imports ${target}, but ${own} must not know ${other}`;
}

function folderOf(path: string): string | undefined {
  const [root, folder, ...rest] = path.split("/");
  if (root !== "ui" || folder === undefined) return undefined;
  return rest.length === 0 ? "." : folder;
}
