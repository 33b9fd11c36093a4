// Shows the search field of the thread list. The store of the thread list queries the server when the user pauses
// typing.
import { useState, type Ref } from "react";
import { Icon, IconButton } from "../kit/index.ts";
import styles from "./threads.module.css";

export interface SearchFieldProps {
  ref: Ref<HTMLInputElement>;
  onSearch: (text: string) => void;
  /** Moves the focus to the results. */
  toList: () => void;
}

export function SearchField({ ref, onSearch, toList }: SearchFieldProps) {
  const [text, setText] = useState("");
  const type = (next: string): void => {
    setText(next);
    onSearch(next.trim());
  };
  return (
    <div className={styles["search"]} role="search">
      <Icon name="search" size={16} />
      <input
        ref={ref}
        type="search"
        aria-label="Search conversations"
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" || (event.key === "Enter" && !event.nativeEvent.isComposing)) toList();
          else if (event.key === "Escape" && text !== "") type("");
          else if (event.key === "Escape") event.currentTarget.blur();
          else return;
          event.preventDefault();
        }}
      />
      {text === "" ? (
        <kbd aria-hidden="true">/</kbd>
      ) : (
        <IconButton label="Clear the search" icon="close" size={14} onClick={() => type("")} />
      )}
    </div>
  );
}
