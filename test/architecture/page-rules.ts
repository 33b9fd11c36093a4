// Import rules of the page: which folders of ui may import which, the allowed packages, and no HTML from text. Pure.
import { posix } from "node:path";
import { readSource } from "./source.ts";

/** Every folder of ui, with the folders that it may import besides itself; subfolders belong to their folder. */
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
/** Files that any folder may import. */
const SHARED = new Set(["ui/routes.ts"]);
const PACKAGES = new Set([
  "koine",
  // Format of the task routes; the root entry would bundle every dialect.
  "koine/dialects/openai-chat",
  "react",
  "react-dom",
  "react-dom/client",
  "wouter",
  "@tanstack/react-virtual",
  "marked",
  "lowlight",
]);
/** Functions that turn text into HTML or code, which would allow script injection. */
const SINKS =
  /dangerouslySetInnerHTML|\.(inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(|srcDoc/;

/** Returns one sentence per breach of the rules, for a map of path → text. */
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
