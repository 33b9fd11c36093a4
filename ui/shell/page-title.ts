// What the tab is called.
import { useEffect } from "react";

export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined || title === "" ? "Koine" : `${title} · Koine`;
  }, [title]);
}
