// Shows the sidebar: logo, conversations, navigation and settings.
import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { Icon, IconButton, type IconName } from "../kit/index.ts";
import kit from "../kit/kit.module.css";
import { ROUTES } from "../routes.ts";
import { ThreadsPanel } from "../threads/threads-panel.tsx";
import styles from "./frame.module.css";
import { Logo } from "./logo.tsx";
import { SettingsMenu } from "./settings-menu.tsx";

export interface SidebarProps {
  currentId: string | undefined;
  /** Position: beside the view, over the view, or in place of the view (on the home page of narrow screens). */
  shape: "side" | "drawer" | "main";
  closeDrawer: () => void;
  showKeys: () => void;
  onDeleted: (id: string) => void;
}

/**
 * URL that shows the code snippets of the home view. On narrow screens, the plain URL of the home view shows the
 * conversations instead.
 */
const CONNECT_PATH = `${ROUTES.home}?connect`;

export function Sidebar({ currentId, shape, closeDrawer, showKeys, onDeleted }: SidebarProps) {
  const side = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shape === "drawer") side.current?.focus();
  }, [shape]);
  const isMain = shape === "main";
  const [path] = useLocation();
  return (
    <div
      ref={side}
      role={isMain ? "main" : "complementary"}
      id={isMain ? "main" : undefined}
      className={styles["sidebar"]}
      tabIndex={-1}
      aria-label="Conversations and navigation"
    >
      <div className={styles["brand"]}>
        <Link href={ROUTES.home} className={styles["home"]}>
          <Logo />
          <span>Koine</span>
        </Link>
        <Link
          href={ROUTES.new}
          className={`${kit["button"]} ${kit["primary"]} ${kit["small"]}`}
          title="New conversation (n)"
        >
          <Icon name="plus" size={16} />
          New
        </Link>
        <span className={styles["closer"]}>
          <IconButton label="Close the list" icon="close" onClick={closeDrawer} />
        </span>
      </div>
      {isMain && <h1 className={kit["hidden"]}>Conversations</h1>}
      <ThreadsPanel currentId={currentId} onDeleted={onDeleted} />
      <nav className={styles["places"]} aria-label="Navigation">
        <NavLink href={CONNECT_PATH} current={path === ROUTES.home && !isMain} icon="plug" label="Connect an SDK" />
        <NavLink href={ROUTES.translate} current={path === ROUTES.translate} icon="translate" label="Translate" />
        <SettingsMenu showKeys={showKeys} />
      </nav>
    </div>
  );
}

interface NavLinkProps {
  href: string;
  current: boolean;
  icon: IconName;
  label: string;
}

function NavLink({ href, current, icon, label }: NavLinkProps) {
  return (
    <Link href={href} className={styles["place"]} aria-current={current ? "page" : undefined}>
      <Icon name={icon} size={17} />
      {label}
    </Link>
  );
}
