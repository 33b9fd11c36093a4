// Renders the page layout: the sidebar with the conversations, and the view. On narrow screens the sidebar is a drawer,
// and the home view shows the list of conversations, if there are any.
import { useEffect, useState, type ReactNode } from "react";
import { useLocation, useRoute, useSearch } from "wouter";
import { useTokenEpoch, useThreads } from "../data/hooks.ts";
import { mayHaveThreads } from "../data/thread-names.ts";
import { IconButton, ShortcutHelp, useShortcut } from "../kit/index.ts";
import { ROUTES } from "../routes.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import styles from "./frame.module.css";
import { Titled } from "./page-title.tsx";
import { Sidebar } from "./sidebar.tsx";
import { NARROW_SCREEN, useMedia } from "./use-media.ts";

export function PageFrame({ children }: { children: ReactNode }) {
  const [path, navigate] = useLocation();
  const query = useSearch();
  const [isInspectRoute, inspectParams] = useRoute(ROUTES.inspect);
  const [isThreadRoute, threadParams] = useRoute(ROUTES.thread);
  const isNarrow = useMedia(NARROW_SCREEN);
  const [drawer, setDrawer] = useDrawer(`${path}?${query}`, isNarrow);
  const [help, setHelp] = useState(false);
  const list = useThreads();
  const tokenEpoch = useTokenEpoch();
  useShortcut("n", () => navigate(ROUTES.new), "New conversation");
  const isList = isNarrow && mayHaveThreads(list) && path === ROUTES.home && query === "";
  const currentId = isInspectRoute ? inspectParams.id : isThreadRoute ? threadParams.id : undefined;
  const shape = isList ? "main" : drawer ? "drawer" : "side";
  return (
    <div className={styles["frame"]}>
      <a href="#main" className={styles["skip"]}>
        Skip to the content
      </a>
      <ConnectionBanner connection={list.connection} />
      {/* The key discards all view state when the token changes, because the state may belong to another user. */}
      <div key={tokenEpoch} className={styles["columns"]} data-side={shape}>
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
          <MainView isBehind={drawer} showList={() => setDrawer(true)} onNew={() => navigate(ROUTES.new)}>
            {children}
          </MainView>
        )}
      </div>
      <ShortcutHelp open={help} onOpenChange={setHelp} />
    </div>
  );
}

interface MainViewProps {
  /** True if the drawer is open and covers the view. */
  isBehind: boolean;
  showList: () => void;
  onNew: () => void;
  children: ReactNode;
}

function MainView({ isBehind, showList, onNew, children }: MainViewProps) {
  return (
    <div className={styles["view"]} inert={isBehind}>
      <header className={styles["topbar"]}>
        <IconButton label="Show conversations" icon="menu" aria-expanded={isBehind} onClick={showList} />
        <span className={styles["wordmark"]}>Koine</span>
        <IconButton label="New conversation" icon="plus" onClick={onNew} />
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

/** Returns the state of the drawer and its setter. The drawer closes on navigation, on Escape, and on wide screens. */
function useDrawer(url: string, isNarrow: boolean): [open: boolean, set: (open: boolean) => void] {
  const [openAt, setOpenAt] = useState<string>();
  const open = isNarrow && openAt === url;
  useEffect(() => {
    if (!open) return;
    const escape = (event: KeyboardEvent): void => {
      if (event.key === "Escape" && !event.defaultPrevented) setOpenAt(undefined);
    };
    window.addEventListener("keydown", escape);
    return () => window.removeEventListener("keydown", escape);
  }, [open]);
  return [open, (next) => setOpenAt(next ? url : undefined)];
}
