// The frame: conversations at the side, a view beside them. On phones the side is a drawer, and the beginning is the list
// itself.
import { useEffect, useState, type ReactNode } from "react";
import { useLocation, useRoute, useSearch } from "wouter";
import { useReader, useThreads } from "../data/hooks.ts";
import { hasThreads } from "../data/names.ts";
import { IconButton, ShortcutHelp, useShortcut } from "../kit/index.ts";
import { ROUTES } from "../routes.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import styles from "./frame.module.css";
import { Titled } from "./page-title.tsx";
import { Sidebar } from "./sidebar.tsx";
import { NARROW, useMedia } from "./use-media.ts";

export function Frame({ children }: { children: ReactNode }) {
  const [path, navigate] = useLocation();
  const query = useSearch();
  const [isInspected, inspected] = useRoute(ROUTES.inspect);
  const [isThread, thread] = useRoute(ROUTES.thread);
  const isNarrow = useMedia(NARROW);
  const [drawer, setDrawer] = useDrawer(`${path}?${query}`, isNarrow);
  const [help, setHelp] = useState(false);
  const list = useThreads();
  const reader = useReader();
  useShortcut("n", () => navigate(ROUTES.new), "New conversation");
  const isList = isNarrow && hasThreads(list) && path === ROUTES.home && query === "";
  const currentId = isInspected ? inspected.id : isThread ? thread.id : undefined;
  const shape = isList ? "main" : drawer ? "drawer" : "side";
  return (
    <div className={styles["frame"]}>
      <a href="#main" className={styles["skip"]}>
        Skip to the view
      </a>
      <ConnectionBanner connection={list.connection} />
      {/* What one reader was shown, typed or had open is nothing for the next. */}
      <div key={reader} className={styles["columns"]} data-side={shape}>
        <Sidebar
          {...{ currentId, shape }}
          closeDrawer={() => setDrawer(false)}
          showKeys={() => setHelp(true)}
          onDeleted={(id) => id === currentId && navigate(ROUTES.home)}
        />
        {drawer && <Scrim close={() => setDrawer(false)} />}
        {isList ? (
          <Titled>{null}</Titled>
        ) : (
          <View isBehind={drawer} showList={() => setDrawer(true)} begin={() => navigate(ROUTES.new)}>
            {children}
          </View>
        )}
      </div>
      <ShortcutHelp open={help} onOpenChange={setHelp} />
    </div>
  );
}

interface ViewProps {
  /** A drawer lies over it. */
  isBehind: boolean;
  showList: () => void;
  begin: () => void;
  children: ReactNode;
}

function View({ isBehind, showList, begin, children }: ViewProps) {
  return (
    <div className={styles["view"]} inert={isBehind}>
      <header className={styles["topbar"]}>
        <IconButton label="Show conversations" icon="menu" aria-expanded={isBehind} onClick={showList} />
        <span className={styles["wordmark"]}>Koine</span>
        <IconButton label="New conversation" icon="plus" onClick={begin} />
      </header>
      <main id="main" tabIndex={-1} className={styles["main"]}>
        {children}
      </main>
    </div>
  );
}

function Scrim({ close }: { close: () => void }) {
  return <button type="button" className={styles["scrim"]} aria-label="Close the list" tabIndex={-1} onClick={close} />;
}

/** Open until one goes somewhere, presses Escape, or has a screen that is wide enough. */
function useDrawer(place: string, isNarrow: boolean): [open: boolean, set: (open: boolean) => void] {
  const [openAt, setOpenAt] = useState<string>();
  const open = isNarrow && openAt === place;
  useEffect(() => {
    if (!open) return;
    const escape = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) setOpenAt(undefined);
    };
    window.addEventListener("keydown", escape);
    return () => window.removeEventListener("keydown", escape);
  }, [open]);
  return [open, (next) => setOpenAt(next ? place : undefined)];
}
