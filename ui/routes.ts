// URL paths of the page's views. The server serves the same paths (src/server/page).

export const ROUTES = {
  home: "/",
  new: "/new",
  thread: "/t/:id",
  inspect: "/t/:id/inspect",
  translate: "/translate",
} as const;

/** Path of a conversation; `at`: the id of a message to scroll to, on its branch. */
export function threadPath(id: string, at?: string): string {
  return withMessage(`/t/${encodeURIComponent(id)}`, at);
}

/** Path of the inspector; `at`: the id of the last message of the turn to show. */
export function inspectPath(id: string, at?: string): string {
  return withMessage(`/t/${encodeURIComponent(id)}/inspect`, at);
}

function withMessage(path: string, at: string | undefined): string {
  return at === undefined ? path : `${path}?at=${encodeURIComponent(at)}`;
}
