// Creates the page module, which serves the document of the browser UI, its assets, and a document that shows remote
// media. These routes need no token, but the API calls of the page do.
import { ServerError } from "../errors.ts";
import type { Operation, ServerModule, ServerReply, Route, ServerRequest } from "../types.ts";
import type { PageFile, PageFiles } from "./page-files.ts";
import { chooseEncoding, readPageFiles } from "./page-files.ts";
import { remoteFrame, REMOTE_KINDS } from "./remote-frame.ts";
import { PAGE_HEADERS } from "./security-headers.ts";

/** The URL paths of the page's views. All paths return the same document; the page selects the view by its URL. */
const VIEWS = ["/", "/new", "/t/:id", "/t/:id/inspect", "/translate"] as const;

/**
 * The `cache-control` header of assets. The name of an asset contains a hash of its content, so an asset never changes.
 */
const CACHE_FOREVER = "public, max-age=31536000, immutable";

/**
 * Returns the module that serves the page. `folder` contains the built page; the default is a folder of the package.
 */
export function pageModule(folder?: URL): ServerModule {
  let read: Promise<PageFiles> | undefined;
  const file = async (path: string): Promise<PageFile> => {
    const reading = (read ??= readPageFiles(folder));
    const forget = (): void => void (read === reading && (read = undefined));
    const files = await reading.catch((error: unknown) => {
      forget();
      throw error;
    });
    const pageFile = files.get(path);
    // The files are read again until the document exists, because the page may be built while the server runs.
    const isBuilt = files.has("index.html");
    if (!isBuilt) forget();
    if (pageFile !== undefined) return pageFile;
    throw isBuilt ? new ServerError("not-found", `The page has no file "${path}".`) : NOT_BUILT;
  };
  return {
    routes: [
      publicRoute(VIEWS, PAGE, async (request) => fileReply(request, await file("index.html"), "no-cache")),
      publicRoute(["/assets/:name"], ASSET, async (request) =>
        fileReply(request, await file(`assets/${request.params["name"] ?? ""}`), CACHE_FOREVER),
      ),
      publicRoute(["/remote"], REMOTE, remoteFrame),
    ],
  };
}

/** Defines a GET route that needs no token. */
function publicRoute(paths: Route["paths"], operation: Operation, run: Route["run"]): Route {
  return { method: "GET", paths, operation, run, public: true };
}

const NOT_BUILT = new ServerError(
  "not-found",
  "The page was not built: run `npm run build:page`. All other routes are available; see /openapi.json.",
);

function fileReply({ headers }: ServerRequest, file: PageFile, caching: string): ServerReply {
  const shared = { ...PAGE_HEADERS, "cache-control": caching, etag: file.etag, vary: "accept-encoding" };
  if (headers["if-none-match"]?.includes(file.etag) === true) return { status: 304, headers: shared };
  const { encoding, bytes } = chooseEncoding(file, headers["accept-encoding"]);
  const described = { ...shared, "content-type": file.type, "content-length": String(bytes.byteLength) };
  return { status: 200, headers: encoding ? { ...described, "content-encoding": encoding } : described, body: bytes };
}

const PAGE: Operation = {
  id: "getPage",
  tag: "operations",
  summary: "The web page: conversations, their branches, and all dialects side by side.",
  replies: { 200: { description: "The document, the same for every view.", type: "text/html" } },
};
const ASSET: Operation = {
  id: "getPageFile",
  tag: "operations",
  summary: "A file of the page. Its name contains a hash of its content.",
  replies: {
    200: { description: "The file.", type: "text/javascript" },
    404: { description: "The file does not exist.", schema: "Error" },
  },
};
const REMOTE: Operation = {
  id: "getRemoteFrame",
  tag: "operations",
  summary:
    "A document without scripts that shows one medium of another server. The browser loads the medium, not this server.",
  query: {
    kind: { type: "string", enum: [...REMOTE_KINDS], description: "The kind of the medium; default image." },
    url: { type: "string", description: "The http: or https: URL of the medium. Required." },
  },
  replies: { 200: { description: "The document.", type: "text/html" } },
};
