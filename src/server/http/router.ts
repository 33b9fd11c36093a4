// Finds the route of a method and path. Literal paths are looked up in a map, and paths with parameters in a tree of
// segments.
import { ServerError } from "../errors.ts";
import type { Route } from "../types.ts";
import { createSimilarFinder } from "./similar-paths.ts";

type PathParams = Readonly<Record<string, string>>;

export interface RouteMatch {
  route: Route;
  /** Returns the decoded parameters. Throws a `ServerError` "invalid-request" for an invalid percent-encoding. */
  params(): PathParams;
}

export interface HttpRouter {
  /** Returns the route of a method and path; undefined if there is none. HEAD uses the routes of GET. */
  find(method: string, path: string): RouteMatch | undefined;
  /** Creates the error for a request without a route: "method-not-allowed" if the path exists, else "not-found". */
  createMissingError(method: string, path: string): ServerError;
  /** Lists the methods of a path for the reply to OPTIONS; the list is empty if the path is unknown. */
  methods(path: string): string[];
}

/** The routes of one path, by method. */
type RoutesByMethod = Map<string, Route>;

interface PathNode {
  literal: Map<string, PathNode>;
  /** The parameter `:name`, which matches any segment that is not empty. */
  param: { name: string; node: PathNode } | undefined;
  /** The parameters `*name`, each with the literal text that follows it (`suffix`), longest suffix first. */
  rests: { name: string; suffix: string; leaf: RoutesByMethod }[];
  leaf: RoutesByMethod | undefined;
}

const NO_PARAMS: PathParams = {};
const noParams = (): PathParams => NO_PARAMS;
interface PathMatchResult {
  leaf: RoutesByMethod;
  params: Record<string, string> | undefined;
}

export function compileRoutes(routes: readonly Route[]): HttpRouter {
  const literals = new Map<string, RoutesByMethod>();
  const root = newNode();
  for (const route of routes) {
    for (const path of route.paths) addRoute(findOrCreateLeaf(path, literals, root), path, route);
  }
  const find = (path: string): PathMatchResult | undefined => {
    const leaf = literals.get(path);
    if (leaf !== undefined) return { leaf, params: undefined };
    return findInTree(root, path.split("/"), 1, {});
  };
  /** Finds a path as it is or without extra slashes, which base URLs often add: "//v1/models/" is "/v1/models". */
  const findNormalized = (path: string): PathMatchResult | undefined => {
    const match = find(path);
    if (match !== undefined) return match;
    const plain = path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
    return plain === path ? undefined : find(plain);
  };
  // The index of similar paths is built once, because unknown paths may be requested often.
  const findSimilar = createSimilarFinder(routes.map(({ method, paths }) => `${method} ${paths[0]}`));
  return {
    find(method, path) {
      const match = findNormalized(path);
      const route = match?.leaf.get(method) ?? (method === "HEAD" ? match?.leaf.get("GET") : undefined);
      if (route === undefined) return undefined;
      const rawParams = match?.params;
      return { route, params: rawParams === undefined ? noParams : () => decodeParams(rawParams) };
    },
    createMissingError(method, path) {
      const match = findNormalized(path);
      if (match !== undefined) return createNotAllowedError(method, path, listMethods(match.leaf));
      return createNotFoundError(method, path, findSimilar(`${method} ${path}`));
    },
    methods: (path) => listMethods(findNormalized(path)?.leaf ?? new Map()),
  };
}

function newNode(): PathNode {
  return { literal: new Map(), param: undefined, rests: [], leaf: undefined };
}

/** Adds a route to the routes of its path. Throws if two routes have the same method and path, which is a bug. */
function addRoute(leaf: RoutesByMethod, path: string, route: Route): void {
  const other = leaf.get(route.method);
  if (other !== undefined) {
    throw new TypeError(`Two routes have ${route.method} ${path}: ${other.operation.id}, ${route.operation.id}.`);
  }
  leaf.set(route.method, route);
}

function findOrCreateLeaf(path: string, literals: Map<string, RoutesByMethod>, root: PathNode): RoutesByMethod {
  if (!/[:*]/.test(path)) return getOrCreate(literals, path, () => new Map());
  let node = root;
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    if (segment.startsWith("*")) return findOrCreateRestLeaf(node, segments.slice(index).join("/"));
    if (segment.startsWith(":")) {
      const name = segment.slice(1);
      node.param ??= { name, node: newNode() };
      if (node.param.name !== name) throw new TypeError(`${path}: ":${node.param.name}" is already at this segment.`);
      node = node.param.node;
    } else node = getOrCreate(node.literal, segment, newNode);
  }
  return (node.leaf ??= new Map());
}

function findOrCreateRestLeaf(node: PathNode, text: string): RoutesByMethod {
  const name = /^\*(\w+)/.exec(text)?.[1] ?? "";
  const suffix = text.slice(name.length + 1);
  const same = node.rests.find((each) => each.suffix === suffix);
  if (same !== undefined) return same.leaf;
  const leaf: RoutesByMethod = new Map();
  node.rests.push({ name, suffix, leaf });
  node.rests.sort((a, b) => b.suffix.length - a.suffix.length);
  return leaf;
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** Finds the routes of a path in the tree. Literal segments have priority over `:name`, and `:name` over `*name`. */
function findInTree(
  node: PathNode,
  segments: string[],
  at: number,
  params: Record<string, string>,
): PathMatchResult | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.leaf === undefined ? undefined : { leaf: node.leaf, params };
  const next = node.literal.get(segment);
  const match = next && findInTree(next, segments, at + 1, params);
  if (match !== undefined) return match;
  if (node.param !== undefined && segment !== "") {
    const paramMatch = findInTree(node.param.node, segments, at + 1, { ...params, [node.param.name]: segment });
    if (paramMatch !== undefined) return paramMatch;
  }
  if (node.rests.length === 0) return undefined;
  const rest = segments.slice(at).join("/");
  const fits = node.rests.find(({ suffix }) => rest.length > suffix.length && rest.endsWith(suffix));
  return (
    fits && { leaf: fits.leaf, params: { ...params, [fits.name]: rest.slice(0, rest.length - fits.suffix.length) } }
  );
}

function decodeParams(params: Record<string, string>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, text] of Object.entries(params)) {
    try {
      result[name] = decodeURIComponent(text);
    } catch (cause) {
      const message = `"${name}" in the path has an invalid percent escape: write "%25" for a percent sign.`;
      throw new ServerError("invalid-request", message, { path: name, cause });
    }
  }
  return result;
}

function listMethods(leaf: RoutesByMethod): string[] {
  const methods = [...leaf.keys()];
  if (leaf.has("GET")) methods.push("HEAD");
  return methods.length === 0 ? [] : [...methods, "OPTIONS"];
}

function createNotAllowedError(method: string, path: string, methods: string[]): ServerError {
  const allow = methods.join(", ");
  return new ServerError("method-not-allowed", `${path} does not support ${method}; use ${allow}.`, {
    headers: { allow },
  });
}

function createNotFoundError(method: string, path: string, similar: readonly string[]): ServerError {
  const what = similar.length === 0 ? "" : ` Similar paths: ${similar.join(", ")}.`;
  return new ServerError(
    "not-found",
    `There is no ${method} ${path.slice(0, 200)}.${what} GET /openapi.json lists all paths.`,
  );
}
