// Files that are dropped anywhere on the page: a browser would leave the page for them otherwise.
import { useEffect, useEffectEvent, useState } from "react";

/** Says whether files are being dragged over the page. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const take = useEffectEvent(onFiles);
  useEffect(() => {
    const drag = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      // Only of the window: between two elements of the page there is somewhere that it goes to.
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take(files);
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
  return over;
}
