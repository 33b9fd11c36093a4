// Metrics of folders: the number of files directly in a folder, for all folders and for the folders of src/dialects.
import { globSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Measurement, Metric } from "./metric.ts";
import { countBy } from "./metric.ts";
import { ALL_FOLDERS, MAX_FILES_PER_DIALECT_FOLDER, MAX_FILES_PER_FOLDER } from "./word-lists.ts";

function largeFolders(root: string, patterns: readonly string[], limit: number): Measurement {
  const entries = globSync(patterns, { cwd: root, withFileTypes: true, exclude: ["**/node_modules", "**/dist"] });
  const files = entries.filter((entry) => entry.isFile());
  const groups = Map.groupBy(files, ({ parentPath }) => parentPath);
  const folders = [...groups].filter(([, group]) => group.length > limit);
  const sizes = folders.map(([path, group]) => [relative(root, resolve(root, path)), group.length] as const);
  const sorted = sizes.sort(([, a], [, b]) => b - a);
  return {
    value: sorted.length,
    details: { ...countBy(sorted, ([path]) => path.slice(0, path.indexOf("/"))), ...Object.fromEntries(sorted) },
    positions: sorted.map(([path, size]) => ({ file: path, line: 1, name: `${size} files` })),
  };
}

export const FOLDER_METRICS: readonly Metric[] = [
  {
    id: "large-folders",
    title: `Folders of src, ui, test, bench and scripts with more than ${MAX_FILES_PER_FOLDER} files directly inside.`,
    measure: (root) =>
      largeFolders(
        root,
        ALL_FOLDERS.map((folder) => `${folder}/**/*`),
        MAX_FILES_PER_FOLDER,
      ),
  },
  {
    id: "large-dialect-folders",
    title: `Folders of src/dialects with more than ${MAX_FILES_PER_DIALECT_FOLDER} files directly inside.`,
    measure: (root) => largeFolders(root, ["src/dialects/**/*"], MAX_FILES_PER_DIALECT_FOLDER),
  },
];
