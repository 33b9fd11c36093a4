// Shows a collapsible section whose content is rendered only while the section is open, because the content is often
// long.
import { type ReactNode, useState } from "react";
import { Disclosure } from "../kit/index.ts";

export interface LazyFoldProps {
  summary: ReactNode;
  children: () => ReactNode;
  open?: boolean;
  className?: string | undefined;
}

export function LazyFold({ summary, children, open: initiallyOpen = false, className }: LazyFoldProps) {
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <Disclosure summary={summary} open={open} onToggle={setOpen} className={className}>
      {open && children()}
    </Disclosure>
  );
}
