// The page in the browser: one document for all of its views, its files under names that change with their contents, and a
// frame for media that lie elsewhere. Files need no token; what they ask for does.
import { ServerError } from "../errors.ts";
import type { Operation, ServerModule, Reply, Route, ServerRequest } from "../types.ts";
import type { PageFile, PageFiles } from "./files.ts";
import { chooseForm, readPageFiles } from "./files.ts";
import { remoteFrame, REMOTE_KINDS } from "./remote.ts";
import { PAGE_HEADERS } from "./safety.ts";

/** The addresses of its views. Which one is shown is the page's own to say. */
const VIEWS = ["/", "/new", "/t/:id", "/t/:id/inspect", "/translate"] as const;

/** A name with a hash in it never means anything else. */
const FOREVER = "public, max-age=31536000, immutable";

/** `folder`: where the built page lies, if not in the package. */
export function pagePart(folder?: URL): ServerModule {
  let read: Promise<PageFiles> | undefined;
  const file = async (path: string): Promise<PageFile> => {
    const reading = (read ??= readPageFiles(folder));
    const forget = (): void => void (read === reading && (read = undefined));
    const files = await reading.catch((error: unknown) => {
      forget();
      throw error;
    });
    const found = files.get(path);
    // It may be built while the server runs, and is read again until it has its document.
    const isBuilt = files.has("index.html");
    if (!isBuilt) forget();
    if (found !== undefined) return found;
    throw isBuilt ? new ServerError("not-found", `The page has no file "${path}".`) : NOT_BUILT;
  };
  return {
    routes: [
      open(VIEWS, PAGE, async (request) => fileReply(request, await file("index.html"), "no-cache")),
      open(["/assets/:name"], ASSET, async (request) =>
        fileReply(request, await file(`assets/${request.params["name"] ?? ""}`), FOREVER),
      ),
      open(["/remote"], REMOTE, remoteFrame),
    ],
  };
}

/** A route that answers without a token. */
function open(paths: Route["paths"], operation: Operation, run: Route["run"]): Route {
  return { method: "GET", paths, operation, run, public: true };
}

const NOT_BUILT = new ServerError(
  "not-found",
  "The page was not built: `npm run build:page`. Everything else of this server is there; see /openapi.json.",
);

function fileReply({ headers }: ServerRequest, file: PageFile, caching: string): Reply {
  const shared = { ...PAGE_HEADERS, "cache-control": caching, etag: file.etag, vary: "accept-encoding" };
  if (headers["if-none-match"]?.includes(file.etag) === true) return { status: 304, headers: shared };
  const { encoding, bytes } = chooseForm(file, headers["accept-encoding"]);
  const described = { ...shared, "content-type": file.type, "content-length": String(bytes.byteLength) };
  return { status: 200, headers: encoding ? { ...described, "content-encoding": encoding } : described, body: bytes };
}

const PAGE: Operation = {
  id: "getPage",
  tag: "operations",
  summary: "The page: conversations, their branches, and every dialect side by side.",
  replies: { 200: { description: "The document; it is the same for every view.", type: "text/html" } },
};
const ASSET: Operation = {
  id: "getPageFile",
  tag: "operations",
  summary: "A file of the page. Its name holds a hash of its contents.",
  replies: {
    200: { description: "The file.", type: "text/javascript" },
    404: { description: "There is none of that name.", schema: "Error" },
  },
};
const REMOTE: Operation = {
  id: "getRemoteFrame",
  tag: "operations",
  summary:
    "A document that shows one medium of another server, without scripts. The server itself does not ask for it.",
  query: {
    kind: { type: "string", enum: [...REMOTE_KINDS], description: "What it is; default image." },
    url: { type: "string", description: "Its http: or https: address. Required." },
  },
  replies: { 200: { description: "The document.", type: "text/html" } },
};
