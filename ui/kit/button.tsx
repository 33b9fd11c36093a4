// Buttons, with text or with an icon and an accessible label.
import type { ButtonHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "./icons.tsx";
import styles from "./kit.module.css";
import { Spinner } from "./spinner.tsx";

type NativeButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "aria-pressed" | "title">;

export interface ButtonProps extends NativeButtonProps {
  variant?: "primary" | "plain" | "danger";
  icon?: IconName;
  /** The action is under way: the button cannot be pressed again. */
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
    // Not disabled while busy: a disabled button would lose the focus.
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
  /** State of a toggle button. */
  pressed?: boolean | undefined;
  /** Size of the icon in pixels. */
  size?: number;
  /** Key with the same effect, shown in the tooltip. */
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
