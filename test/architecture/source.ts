// The imports and clocks of a source file, read from its syntax tree: imports of every form, and uses of the clock or chance.
// The tree rather than the parser's module record, because that leaves out `import("…").Type` and `require`.

import { type Expression, parseSync, Visitor } from "oxc-parser";

export interface SourceFacts {
  /** Module specifiers: imports, re-exports, dynamic imports, type imports, require. */
  imports: string[];
  /** Descriptions of constructs that a pure or analyzable module must not have. */
  computedImports: string[];
  clocks: string[];
}

const CLOCKS = new Set([
  "Date.now",
  "Math.random",
  "crypto.randomUUID",
  "crypto.getRandomValues",
  "performance.now",
  "performance.timeOrigin",
]);

/** Throws if the file has a syntax error: a file that cannot be read cannot be judged. */
export function readSource(path: string, text: string): SourceFacts {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors.map((error) => error.message).join("; ")}`);
  const facts: SourceFacts = { imports: [], computedImports: [], clocks: [] };
  const addRequest = (source: Expression | undefined): void => {
    const specifier = source === undefined ? undefined : constantText(source);
    if (specifier === undefined) facts.computedImports.push("an import whose target is computed");
    else facts.imports.push(specifier);
  };
  new Visitor({
    ImportDeclaration: (node) => void facts.imports.push(node.source.value),
    ExportAllDeclaration: (node) => void facts.imports.push(node.source.value),
    ExportNamedDeclaration: (node) => void (node.source && facts.imports.push(node.source.value)),
    ImportExpression: (node) => addRequest(node.source),
    TSImportType: (node) => void facts.imports.push(node.source.value),
    TSExternalModuleReference: (node) => void facts.imports.push(node.expression.value),
    CallExpression: (node) => {
      if (node.callee.type !== "Identifier") return;
      if (node.callee.name === "Date") facts.clocks.push("Date()");
      const [target] = node.arguments;
      if (node.callee.name === "require") addRequest(target?.type === "SpreadElement" ? undefined : target);
    },
    NewExpression: (node) => {
      if (node.arguments.length === 0 && lastName(node.callee) === "Date") facts.clocks.push("new Date()");
    },
    MemberExpression: (node) => {
      const name = `${lastName(node.object) ?? ""}.${lastName(node) ?? ""}`;
      if (CLOCKS.has(name)) facts.clocks.push(name);
    },
  }).visit(program);
  return facts;
}

function constantText(node: Expression): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

// `Date` of `Date`, `globalThis.Date` and `globalThis["Date"]` alike.
function lastName(node: Expression): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression") return undefined;
  if (node.property.type === "PrivateIdentifier") return undefined;
  if (node.computed) return constantText(node.property);
  return node.property.type === "Identifier" ? node.property.name : undefined;
}
