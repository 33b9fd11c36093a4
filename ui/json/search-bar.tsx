// Shows the search field of the JSON view, with the number of matches and buttons for the next and the previous match.
import type { KeyboardEvent, Ref } from "react";
import { IconButton } from "../kit/button.tsx";
import styles from "./json-view.module.css";
import type { JsonViewState } from "./use-json-view.ts";

interface SearchBarProps {
  ref: Ref<HTMLInputElement>;
  view: JsonViewState;
  query: string;
  onClose: () => void;
}

export function SearchBar({ ref, view, query, onClose }: SearchBarProps) {
  const { lines, more } = view.matches;
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter") view.goToMatch(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles["search"]} role="search">
      <input
        ref={ref}
        type="search"
        aria-label="Search in this column"
        placeholder="Search"
        value={query}
        onChange={(event) => view.search(event.target.value)}
        onKeyDown={press}
      />
      <span role="status" className={styles["hits"]}>
        {query === ""
          ? ""
          : `${lines.length.toLocaleString("en")}${more ? "+" : ""} ${lines.length === 1 ? "line" : "lines"}`}
      </span>
      <IconButton label="Previous match" icon="chevron-up" size={16} onClick={() => view.goToMatch(-1)} />
      <IconButton label="Next match" icon="chevron-down" size={16} onClick={() => view.goToMatch(1)} />
      <IconButton label="Close the search" icon="close" size={16} onClick={onClose} />
    </div>
  );
}
