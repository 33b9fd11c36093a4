// A fold whose inside is made only when it is opened: what is folded is often long.
import { type ReactNode, useState } from "react";
import { Disclosure } from "../kit/index.ts";

export interface LazyFoldProps {
  summary: ReactNode;
  children: () => ReactNode;
  /** Whether it is open at first. */
  open?: boolean;
  className?: string | undefined;
}

export function LazyFold({ summary, children, open: first = false, className }: LazyFoldProps) {
  const [open, setOpen] = useState(first);
  return (
    <Disclosure summary={summary} open={open} onToggle={setOpen} className={className}>
      {open && children()}
    </Disclosure>
  );
}
