// Shows buttons: `Button` with text, and `IconButton` with only an icon and an accessible label.
import type { ButtonHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "./icons.tsx";
import styles from "./kit.module.css";
import { Spinner } from "./spinner.tsx";

type NativeButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "aria-pressed" | "title">;

export interface ButtonProps extends NativeButtonProps {
  variant?: "primary" | "plain" | "danger";
  icon?: IconName;
  /** True while the button's action is under way; then the button shows a spinner and ignores clicks. */
  busy?: boolean;
  small?: boolean;
  title?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ variant = "plain", icon, busy = false, small = false, children, ...rest }: ButtonProps) {
  const { className, type = "button", onClick, ...native } = rest;
  const classes = [styles["button"], styles[variant], small && styles["small"], className];
  const press: typeof onClick = (event) => {
    if (busy) event.preventDefault();
    else onClick?.(event);
  };
  return (
    // While busy, the button uses `aria-disabled`, because a `disabled` button would lose the keyboard focus.
    <button
      {...native}
      type={type}
      aria-disabled={busy || undefined}
      aria-busy={busy}
      className={joinClassNames(classes)}
      onClick={press}
    >
      {busy ? <Spinner /> : icon !== undefined && <Icon name={icon} size={small ? 16 : 18} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends NativeButtonProps {
  /** Accessible name and tooltip. */
  label: string;
  icon: IconName;
  /** State of a toggle button; undefined for other buttons. */
  pressed?: boolean | undefined;
  /** Size of the icon in pixels. */
  size?: number;
  /** Keyboard shortcut with the same effect, which the tooltip shows. */
  shortcut?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ label, icon, pressed, size = 18, shortcut, className, ...native }: IconButtonProps) {
  return (
    <button
      type="button"
      {...native}
      aria-label={label}
      aria-pressed={pressed}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      className={joinClassNames([styles["iconButton"], className])}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}

function joinClassNames(classes: readonly (string | false | undefined)[]): string {
  return classes.filter(Boolean).join(" ");
}
