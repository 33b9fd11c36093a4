// The addresses of the views, one way to write each. The server answers the same paths (src/server/page).

export const ROUTES = {
  home: "/",
  new: "/new",
  thread: "/t/:id",
  inspect: "/t/:id/inspect",
  translate: "/translate",
} as const;

/** A conversation; `at`: scrolled to this message, on its branch. */
export function threadPath(id: string, at?: string): string {
  return withPlace(`/t/${encodeURIComponent(id)}`, at);
}

/** A conversation in every dialect; `at`: the turn that ends with this message. */
export function inspectPath(id: string, at?: string): string {
  return withPlace(`/t/${encodeURIComponent(id)}/inspect`, at);
}

function withPlace(path: string, at: string | undefined): string {
  return at === undefined ? path : `${path}?at=${encodeURIComponent(at)}`;
}
