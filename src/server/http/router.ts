// Paths → routes, compiled once: a map for those that are literal, a tree of segments for the others.
import { ServerError } from "../errors.ts";
import type { Route } from "../types.ts";
import { nearestOf } from "./nearest.ts";

type Params = Readonly<Record<string, string>>;

export interface Match {
  route: Route;
  /** What the path names, decoded. Throws a `ServerError` "invalid-request" where that cannot be. */
  params(): Params;
}

export interface Router {
  /** undefined where nothing answers. HEAD finds what GET does. */
  find(method: string, path: string): Match | undefined;
  /** Why nothing was found: "not-found", or "method-not-allowed" with `allow`. */
  missing(method: string, path: string): ServerError;
  /** The methods of a path, for OPTIONS; none where there is no such path. */
  methods(path: string): string[];
}

/** What stands at one path: a route for each method. */
type Leaf = Map<string, Route>;

interface Node {
  literal: Map<string, Node>;
  /** `:name`, which takes any segment. */
  param: { name: string; node: Node } | undefined;
  /** `*name` and what must follow it, the longest first. */
  rests: { name: string; suffix: string; leaf: Leaf }[];
  leaf: Leaf | undefined;
}

const NONE: Params = {};
const noParams = (): Params => NONE;
interface Found {
  leaf: Leaf;
  params: Record<string, string> | undefined;
}

export function compileRoutes(routes: readonly Route[]): Router {
  const literals = new Map<string, Leaf>();
  const root = newNode();
  for (const route of routes) {
    for (const path of route.paths) addRoute(leafFor(path, literals, root), path, route);
  }
  const find = (path: string): Found | undefined => {
    const leaf = literals.get(path);
    if (leaf !== undefined) return { leaf, params: undefined };
    return walk(root, path.split("/"), 1, {});
  };
  /** Base URLs with a slash too many are common: "//v1/models/" is "/v1/models". */
  const findAnyway = (path: string): Found | undefined => {
    const found = find(path);
    if (found !== undefined) return found;
    const plain = path.replace(/\/{2,}/g, "/").replace(/(?<=.)\/$/, "");
    return plain === path ? undefined : find(plain);
  };
  // Strangers may ask for anything: what it is compared with is made once.
  const near = nearestOf(routes.map(({ method, paths }) => `${method} ${paths[0]}`));
  return {
    find(method, path) {
      const found = findAnyway(path);
      const route = found?.leaf.get(method) ?? (method === "HEAD" ? found?.leaf.get("GET") : undefined);
      if (route === undefined) return undefined;
      const named = found?.params;
      return { route, params: named === undefined ? noParams : () => decoded(named) };
    },
    missing(method, path) {
      const found = findAnyway(path);
      if (found !== undefined) return notAllowed(method, path, methodsOf(found.leaf));
      return notFound(method, path, near(`${method} ${path}`));
    },
    methods: (path) => methodsOf(findAnyway(path)?.leaf ?? new Map()),
  };
}

function newNode(): Node {
  return { literal: new Map(), param: undefined, rests: [], leaf: undefined };
}

/** Two routes at one place are a mistake of whoever wrote them. */
function addRoute(leaf: Leaf, path: string, route: Route): void {
  const other = leaf.get(route.method);
  if (other !== undefined) {
    throw new TypeError(`Two routes answer ${route.method} ${path}: ${other.operation.id}, ${route.operation.id}.`);
  }
  leaf.set(route.method, route);
}

function leafFor(path: string, literals: Map<string, Leaf>, root: Node): Leaf {
  if (!/[:*]/.test(path)) return entry(literals, path, () => new Map());
  let node = root;
  const segments = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    if (segment.startsWith("*")) return restLeaf(node, segments.slice(index).join("/"));
    if (segment.startsWith(":")) {
      const name = segment.slice(1);
      node.param ??= { name, node: newNode() };
      if (node.param.name !== name) throw new TypeError(`${path}: ":${node.param.name}" has that place already.`);
      node = node.param.node;
    } else node = entry(node.literal, segment, newNode);
  }
  return (node.leaf ??= new Map());
}

function restLeaf(node: Node, text: string): Leaf {
  const name = /^\*(\w+)/.exec(text)?.[1] ?? "";
  const suffix = text.slice(name.length + 1);
  const same = node.rests.find((each) => each.suffix === suffix);
  if (same !== undefined) return same.leaf;
  const leaf: Leaf = new Map();
  node.rests.push({ name, suffix, leaf });
  node.rests.sort((a, b) => b.suffix.length - a.suffix.length);
  return leaf;
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** The literal way first, then the named segment, then the rest of the path. */
function walk(node: Node, segments: string[], at: number, params: Record<string, string>): Found | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.leaf === undefined ? undefined : { leaf: node.leaf, params };
  const next = node.literal.get(segment);
  const found = next && walk(next, segments, at + 1, params);
  if (found !== undefined) return found;
  if (node.param !== undefined && segment !== "") {
    const taken = walk(node.param.node, segments, at + 1, { ...params, [node.param.name]: segment });
    if (taken !== undefined) return taken;
  }
  if (node.rests.length === 0) return undefined;
  const rest = segments.slice(at).join("/");
  const fits = node.rests.find(({ suffix }) => rest.length > suffix.length && rest.endsWith(suffix));
  return (
    fits && { leaf: fits.leaf, params: { ...params, [fits.name]: rest.slice(0, rest.length - fits.suffix.length) } }
  );
}

function decoded(params: Record<string, string>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, text] of Object.entries(params)) {
    try {
      result[name] = decodeURIComponent(text);
    } catch (cause) {
      const message = `"${name}" in the path has a percent sign that begins no escape; write "%25" for the sign itself.`;
      throw new ServerError("invalid-request", message, { path: name, cause });
    }
  }
  return result;
}

function methodsOf(leaf: Leaf): string[] {
  const methods = [...leaf.keys()];
  if (leaf.has("GET")) methods.push("HEAD");
  return methods.length === 0 ? [] : [...methods, "OPTIONS"];
}

function notAllowed(method: string, path: string, methods: string[]): ServerError {
  const allow = methods.join(", ");
  return new ServerError("method-not-allowed", `${path} does not take ${method}; it takes ${allow}.`, {
    headers: { allow },
  });
}

function notFound(method: string, path: string, near: readonly string[]): ServerError {
  const what = near.length === 0 ? "" : ` The nearest that there are: ${near.join(", ")}.`;
  return new ServerError(
    "not-found",
    `There is no ${method} ${path.slice(0, 200)}.${what} GET /openapi.json lists them all.`,
  );
}
