// Accepts files that are dropped anywhere on the page. Without it, the browser would navigate to a dropped file.
import { useEffect, useEffectEvent, useState } from "react";

/** Calls `onFiles` with dropped files. Returns true while files are dragged over the page. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isDragging, setIsDragging] = useState(false);
  const handleFiles = useEffectEvent(onFiles);
  useEffect(() => {
    const drag = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      setIsDragging(true);
    };
    const leave = (event: DragEvent): void => {
      // `relatedTarget` is null only when the pointer leaves the window, not between two elements.
      if (event.relatedTarget === null) setIsDragging(false);
    };
    const drop = (event: DragEvent): void => {
      setIsDragging(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      handleFiles(files);
    };
    const events = { dragover: drag, dragleave: leave, drop } as const;
    window.addEventListener("dragover", events.dragover);
    window.addEventListener("dragleave", events.dragleave);
    window.addEventListener("drop", events.drop);
    return () => {
      window.removeEventListener("dragover", events.dragover);
      window.removeEventListener("dragleave", events.dragleave);
      window.removeEventListener("drop", events.drop);
    };
  }, []);
  return isDragging;
}
