// Where one types what to look for. The server is asked when the typing rests.
import { useEffect, useEffectEvent, useState, type Ref } from "react";
import { Icon, IconButton } from "../kit/index.ts";
import styles from "./threads.module.css";

const REST = 180;

export interface SearchFieldProps {
  ref: Ref<HTMLInputElement>;
  onSearch: (text: string) => void;
  /** Moves on to what was found. */
  toList: () => void;
}

export function SearchField({ ref, onSearch, toList }: SearchFieldProps) {
  const [text, setText] = useState<string>();
  const search = useEffectEvent(onSearch);
  useEffect(() => {
    // Untouched: whatever the list shows is right.
    if (text === undefined) return;
    const timer = setTimeout(() => search(text.trim()), text === "" ? 0 : REST);
    return () => clearTimeout(timer);
  }, [text]);
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
        value={text ?? ""}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" || (event.key === "Enter" && !event.nativeEvent.isComposing)) toList();
          else if (event.key === "Escape" && text !== undefined && text !== "") setText("");
          else if (event.key === "Escape") event.currentTarget.blur();
          else return;
          event.preventDefault();
        }}
      />
      {text === undefined || text === "" ? (
        <kbd aria-hidden="true">/</kbd>
      ) : (
        <IconButton label="Clear the search" icon="close" size={14} onClick={() => setText("")} />
      )}
    </div>
  );
}
