// The frame: conversations at the side, a view beside them. On phones the side is a drawer, and the beginning is the list
// itself.
import { useEffect, useState, type ReactNode } from "react";
import { useLocation, useRoute, useSearch } from "wouter";
import { useThreads } from "../data/hooks.ts";
import { IconButton, useShortcut } from "../kit/index.ts";
import { ShortcutHelp } from "../kit/shortcut-help.tsx";
import { ROUTES } from "../routes.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import styles from "./frame.module.css";
import { Sidebar } from "./sidebar.tsx";

export function Frame({ children }: { children: ReactNode }) {
  const [path, navigate] = useLocation();
  const query = useSearch();
  const [isInspected, inspected] = useRoute(ROUTES.inspect);
  const [isThread, thread] = useRoute(ROUTES.thread);
  const [drawer, setDrawer] = useDrawer(`${path}?${query}`);
  const [help, setHelp] = useState(false);
  const { threads, search, connection, error } = useThreads();
  useShortcut("n", () => navigate(ROUTES.new), "New conversation");
  const listFirst = path === ROUTES.home && query === "" && (threads.length > 0 || search !== "");
  const currentId = isInspected ? inspected.id : isThread ? thread.id : undefined;
  return (
    <div className={styles["frame"]} data-drawer={drawer} data-list-first={listFirst}>
      <a href="#main" className={styles["skip"]}>
        Skip to the view
      </a>
      <ConnectionBanner connection={connection} error={error} />
      <div className={styles["columns"]}>
        <Sidebar
          currentId={currentId}
          drawer={drawer}
          closeDrawer={() => setDrawer(false)}
          showKeys={() => setHelp(true)}
          onDeleted={(id) => id === currentId && navigate(ROUTES.home)}
        />
        {drawer && (
          <button
            type="button"
            className={styles["scrim"]}
            aria-label="Close the list"
            onClick={() => setDrawer(false)}
          />
        )}
        <div className={styles["view"]} inert={drawer}>
          <header className={styles["topbar"]}>
            <IconButton label="Show conversations" icon="menu" aria-expanded={drawer} onClick={() => setDrawer(true)} />
            <span className={styles["wordmark"]}>Koine</span>
            <IconButton label="New conversation" icon="plus" onClick={() => navigate(ROUTES.new)} />
          </header>
          <main id="main" tabIndex={-1} className={styles["main"]}>
            {children}
          </main>
        </div>
      </div>
      <ShortcutHelp open={help} onOpenChange={setHelp} />
    </div>
  );
}

/** Open until one goes somewhere, presses Escape, or has a screen that is wide enough. */
function useDrawer(place: string): [open: boolean, set: (open: boolean) => void] {
  const [openAt, setOpenAt] = useState<string>();
  const open = openAt === place;
  useEffect(() => {
    if (!open) return;
    const close = (): void => setOpenAt(undefined);
    const wide = matchMedia("(width > 48rem)");
    const escape = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) close();
    };
    wide.addEventListener("change", close);
    window.addEventListener("keydown", escape);
    return () => {
      wide.removeEventListener("change", close);
      window.removeEventListener("keydown", escape);
    };
  }, [open]);
  return [open, (next) => setOpenAt(next ? place : undefined)];
}
