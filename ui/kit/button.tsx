// Buttons. What a button does is its words or its label; a sign only helps to find it.
import type { ButtonHTMLAttributes, Ref } from "react";
import { Icon, type IconName } from "./icons.tsx";
import styles from "./kit.module.css";
import { Spinner } from "./spinner.tsx";

type Native = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "aria-label" | "aria-pressed" | "title">;

export interface ButtonProps extends Native {
  variant?: "primary" | "plain" | "danger";
  icon?: IconName;
  /** Under way: it cannot be pressed again. */
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
    // Not disabled while it is busy: the focus would be lost.
    <button
      {...native}
      type={type}
      aria-disabled={busy || undefined}
      aria-busy={busy}
      className={join(classes)}
      onClick={press}
    >
      {busy ? <Spinner /> : icon !== undefined && <Icon name={icon} size={small ? 16 : 18} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Native {
  /** The accessible name, and what is shown when one points at it. */
  label: string;
  icon: IconName;
  /** Of a switch: whether it is on. */
  pressed?: boolean | undefined;
  /** In pixels, of the sign. */
  size?: number;
  /** A key that does the same, told with the label. */
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
      className={join([styles["iconButton"], className])}
    >
      <Icon name={icon} size={size} />
    </button>
  );
}

function join(classes: readonly (string | false | undefined)[]): string {
  return classes.filter(Boolean).join(" ");
}
