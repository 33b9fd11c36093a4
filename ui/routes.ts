// Defines the URL paths of the page's views. The server serves the same paths (src/server/page).

export const ROUTES = {
  home: "/",
  new: "/new",
  thread: "/t/:id",
  inspect: "/t/:id/inspect",
  translate: "/translate",
} as const;

/** Returns the path of a conversation. `at` is the id of a message: the view shows its branch and scrolls to it. */
export function threadPath(id: string, at?: string): string {
  return withMessage(`/t/${encodeURIComponent(id)}`, at);
}

/** Returns the path of the inspector. `at` is the id of the last message of the call or branch to show. */
export function inspectPath(id: string, at?: string): string {
  return withMessage(`/t/${encodeURIComponent(id)}/inspect`, at);
}

function withMessage(path: string, at: string | undefined): string {
  return at === undefined ? path : `${path}?at=${encodeURIComponent(at)}`;
}
