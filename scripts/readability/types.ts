// Metrics of type names: names with several declarations, and names that hide a type of the platform or of the model.
import type { Measurement, Metric } from "./metric.ts";
import type { SourceFile, TypeDeclaration } from "./sources.ts";
import { sourceFiles } from "./sources.ts";
import { CODE_FOLDERS, PLATFORM_TYPES } from "./word-lists.ts";

interface Declared {
  file: SourceFile;
  type: TypeDeclaration;
}

const SHOWN_NAMES = 6;

function declaredTypes(root: string): Declared[] {
  return sourceFiles(root, CODE_FOLDERS).flatMap((file) => file.facts.types.map((type) => ({ file, type })));
}

function measureTypes(declared: readonly Declared[], value: number): Measurement {
  const byName = Map.groupBy(declared, ({ type }) => type.name);
  const frequent = [...byName].sort(([, a], [, b]) => b.length - a.length).slice(0, SHOWN_NAMES);
  return {
    value,
    details: Object.fromEntries(frequent.map(([name, types]) => [name, types.length])),
    positions: [...byName].flatMap(([name, types]) => types.map(({ file, type }) => file.position(type.start, name))),
  };
}

/** Returns the type declarations whose name is declared in more than one file. */
function homonyms(declared: readonly Declared[]): Measurement {
  const groups = [...Map.groupBy(declared, ({ type }) => type.name).values()];
  const shared = groups.filter((types) => new Set(types.map(({ file }) => file.path)).size > 1);
  return measureTypes(shared.flat(), shared.length);
}

function modelNames(root: string): Set<string> {
  const files = sourceFiles(root, ["src/model"]);
  return new Set(files.flatMap(({ facts }) => facts.types.flatMap((type) => (type.isExported ? [type.name] : []))));
}

function countAll(declared: readonly Declared[]): Measurement {
  return measureTypes(declared, declared.length);
}

export const TYPE_METRICS: readonly Metric[] = [
  {
    id: "homonym-types",
    title: "Type names with declarations in more than one file of src and ui.",
    measure: (root) => homonyms(declaredTypes(root)),
  },
  {
    id: "homonym-exported-types",
    title: "Exported type names with exported declarations in more than one file of src and ui.",
    measure: (root) => homonyms(declaredTypes(root).filter(({ type }) => type.isExported)),
  },
  {
    id: "platform-types",
    title: "Declarations of types in src and ui that have the name of a platform type.",
    measure: (root) => countAll(declaredTypes(root).filter(({ type }) => PLATFORM_TYPES.has(type.name))),
  },
  {
    id: "model-types",
    title: "Declarations of types outside of src/model that have the name of an exported type of the model.",
    measure: (root) => {
      const names = modelNames(root);
      const isOutside = ({ file, type }: Declared): boolean =>
        names.has(type.name) && !file.path.startsWith("src/model/");
      return countAll(declaredTypes(root).filter(isOutside));
    },
  },
];
