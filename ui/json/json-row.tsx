// One row of a JSON view: a line with its fold, or a mark.
import { Fragment, memo, useState, type ReactNode } from "react";
import { Icon } from "../kit/icons.tsx";
import type { IconName } from "../kit/icons.tsx";
import { depthOf, endOf, isCloser, lineText } from "./document.ts";
import type { JsonDocument } from "./document.ts";
import { patternOf } from "./find.ts";
import styles from "./json-view.module.css";
import type { Mark, MarkLevel, Tally } from "./marks.ts";
import { gravest, tallyWords } from "./marks.ts";
import { sizeOf } from "./rows.ts";
import { clipLine, SHOWN_AT_FIRST, SHOWN_AT_MOST, tokensOf } from "./tokens.ts";

export const LEVEL_WORDS: Record<MarkLevel, string> = { breaks: "Breaks", loss: "Loss", note: "Note" };
const LEVEL_ICONS: Record<MarkLevel, IconName> = { breaks: "error", loss: "warning", note: "info" };

interface RowProps {
  id: string;
  isActive: boolean;
  onActivate: () => void;
}

interface LineRowProps extends RowProps {
  document: JsonDocument;
  line: number;
  isFolded: boolean;
  /** Of the marks that the fold hides. */
  hidden: Tally | undefined;
  words: string | undefined;
  onToggle: () => void;
}

export const LineRow = memo(function LineRow(props: LineRowProps) {
  const { document, line, isFolded, hidden, id, isActive } = props;
  const text = lineText(document, line);
  const opens = endOf(document, line) > 0;
  const depth = depthOf(document, line);
  const isTree = line === 0 || !isCloser(document, line);
  const item = isTree
    ? ({
        role: "treeitem",
        "aria-level": depth + 1,
        "aria-selected": isActive,
        ...(opens && { "aria-expanded": !isFolded }),
      } as const)
    : ({ role: "presentation" } as const);
  return (
    // Keys are the tree's: it has the focus, and names this row as the active one.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div {...item} id={id} className={styles["line"]} data-active={isActive} onClick={props.onActivate}>
      <span className={styles["gutter"]} aria-hidden="true">
        {opens && line > 0 && (
          <button type="button" tabIndex={-1} className={styles["fold"]} onClick={props.onToggle}>
            <Icon name={isFolded ? "chevron-right" : "chevron-down"} size={12} />
          </button>
        )}
      </span>
      <span className={styles["code"]} style={{ paddingInlineStart: `${depth * 1.1 + 1}em` }}>
        <LineText text={text.trimStart()} words={props.words} />
        {isFolded && <Folded document={document} line={line} hidden={hidden} />}
      </span>
    </div>
  );
});

function Folded({ document, line, hidden }: { document: JsonDocument; line: number; hidden: Tally | undefined }) {
  const closing = lineText(document, endOf(document, line)).trim();
  const level = hidden && gravest(hidden);
  const size = sizeOf(document, line);
  return (
    <>
      <span className={styles["count"]}>
        {size} {closing.startsWith("]") ? (size === 1 ? "item" : "items") : size === 1 ? "key" : "keys"}
      </span>
      {closing}
      {level !== undefined && hidden !== undefined && (
        <span className={styles["hidden"]} data-level={level}>
          <Icon name={LEVEL_ICONS[level]} size={12} />
          {tallyWords(hidden)}
        </span>
      )}
    </>
  );
}

function LineText({ text, words }: { text: string; words: string | undefined }) {
  const [isWhole, setWhole] = useState(false);
  const { shown, left } = clipLine(text, isWhole ? SHOWN_AT_MOST : SHOWN_AT_FIRST);
  let at = 0;
  return (
    <>
      {tokensOf(shown).map(({ kind, text: piece }) => {
        const key = at;
        at += piece.length;
        const shownPiece = words === undefined || words === "" ? piece : emphasised(piece, words);
        // Signs have the colour of the line itself: half of the elements of a large view.
        if (kind === "sign" || kind === "text") return <Fragment key={key}>{shownPiece}</Fragment>;
        return (
          <span key={key} className={styles[kind]}>
            {shownPiece}
          </span>
        );
      })}
      {left > 0 && (
        <button
          type="button"
          tabIndex={-1}
          className={styles["more"]}
          disabled={isWhole}
          onClick={(event) => {
            event.stopPropagation();
            setWhole(true);
          }}
        >
          … {left.toLocaleString("en")} more characters
        </button>
      )}
    </>
  );
}

function emphasised(text: string, words: string): ReactNode {
  const pieces: ReactNode[] = [];
  let from = 0;
  for (const { index, 0: match } of text.matchAll(patternOf(words))) {
    pieces.push(text.slice(from, index), <mark key={index}>{match}</mark>);
    from = index + match.length;
  }
  return from === 0 ? text : [...pieces, text.slice(from)];
}

interface MarkRowProps extends RowProps {
  mark: Mark;
  depth: number;
  isSelected: boolean;
}

export const MarkRow = memo(function MarkRow({ id, mark, depth, isActive, isSelected, onActivate }: MarkRowProps) {
  const { level, code, says, about, labels } = mark;
  return (
    // As above.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 2}
      aria-selected={isActive}
      className={styles["mark"]}
      data-level={level}
      data-active={isActive}
      data-selected={isSelected}
      onClick={onActivate}
    >
      <span className={styles["level"]}>
        <Icon name={LEVEL_ICONS[level]} size={14} />
        {LEVEL_WORDS[level]}
      </span>{" "}
      <code>{code}</code> {labels !== undefined && <span className={styles["labels"]}>{labels.join(", ")}</span>}
      <span className={styles["says"]}>
        {about} {says}
      </span>
    </div>
  );
});
