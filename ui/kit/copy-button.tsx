// Shows a button that copies a text and confirms the copy.
import { useEffect, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { useToast } from "./toasts.tsx";

export interface CopyButtonProps {
  /** Text to copy, or a function that returns it and is called when the button is pressed. */
  text: string | (() => string);
  /** Accessible name. */
  label: string;
  /** True to show the label beside the icon. */
  showLabel?: boolean;
  className?: string | undefined;
}

export function CopyButton({ text, label, showLabel = false, className }: CopyButtonProps) {
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
  const buttonProps = { icon: copied ? "check" : "copy", onClick: () => void copy(), className } as const;
  if (!showLabel) return <IconButton {...buttonProps} label={label} />;
  return (
    <Button {...buttonProps} small>
      {label}
    </Button>
  );
}
