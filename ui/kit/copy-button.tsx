// Copies a text, and says that it did.
import { useEffect, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { useToast } from "./toasts.tsx";

export interface CopyButtonProps {
  /** What is copied; a function is asked only when it is. */
  text: string | (() => string);
  /** What it copies: the accessible name. */
  label: string;
  /** Shown as words, too, instead of the sign alone. */
  words?: boolean;
  className?: string | undefined;
}

export function CopyButton({ text, label, words = false, className }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const toast = useToast();
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setCopied(true);
      toast("Copied");
    } catch {
      toast("The browser does not allow copying here. Select the text instead.", "error");
    }
  };
  const given = { icon: copied ? "check" : "copy", onClick: () => void copy(), className } as const;
  if (!words) return <IconButton {...given} label={label} />;
  return (
    <Button {...given} small>
      {label}
    </Button>
  );
}
