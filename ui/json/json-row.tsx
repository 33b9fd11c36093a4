// Shows one row of the JSON view: a line with its fold button, or a mark.
import { Fragment, memo, type ReactNode } from "react";
import { Icon } from "../kit/icons.tsx";
import type { IconName } from "../kit/icons.tsx";
import { readDepth, findClosingLine, clampIndent, isClosingLine, readLine } from "./json-document.ts";
import type { JsonDocument } from "./json-document.ts";
import { toSearchPattern } from "./find-lines.ts";
import styles from "./json-view.module.css";
import type { DocumentMark, MarkLevel } from "./document-marks.ts";
import { findWorstLevel, sliceMarks, countMarks, formatMarkCounts } from "./document-marks.ts";
import type { JsonRow } from "./json-rows.ts";
import { countChildren } from "./json-rows.ts";
import { clipToken, findNextLength, tokenizeLine } from "./line-tokens.ts";

export const LEVEL_LABELS: Record<MarkLevel, string> = { breaks: "Breaks", loss: "Loss", note: "Note" };
const LEVEL_ICONS: Record<MarkLevel, IconName> = { breaks: "error", loss: "warning", note: "info" };

/** Callbacks of the rows. The object never changes, so that only changed rows are rendered. */
export interface JsonRowActions {
  activate: (row: JsonRow) => void;
  toggle: (line: number) => void;
  /** Shows more characters of a long line. */
  expand: (line: number) => void;
  select: (mark: DocumentMark) => void;
}

interface JsonRowProps {
  id: string;
  isActive: boolean;
  actions: JsonRowActions;
}

interface LineRowProps extends JsonRowProps {
  document: JsonDocument;
  line: number;
  isFolded: boolean;
  /**
   * All marks of the document if the line is folded, to count those that the fold hides; an empty list if the line is
   * not folded.
   */
  marks: readonly DocumentMark[];
  query: string | undefined;
  /** Number of characters that are shown of a long token. */
  maxLength: number;
}

export const LineRow = memo(function LineRow(props: LineRowProps) {
  const { document, line, isFolded, marks, id, isActive, actions } = props;
  const text = readLine(document, line);
  const opens = findClosingLine(document, line) > 0;
  const depth = readDepth(document, line);
  const isTree = line === 0 || !isClosingLine(document, line);
  const item = isTree
    ? ({
        role: "treeitem",
        "aria-level": depth + 1,
        "aria-selected": isActive,
        ...(opens && { "aria-expanded": !isFolded }),
      } as const)
    : ({ role: "presentation" } as const);
  return (
    // A row needs no key handler and no focus: the tree element has the keyboard focus and names the active row in
    // `aria-activedescendant`.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div {...item} id={id} className={styles["line"]} data-active={isActive} onClick={() => actions.activate({ line })}>
      <span className={styles["gutter"]} aria-hidden="true">
        {opens && line > 0 && (
          <button type="button" tabIndex={-1} className={styles["fold"]} onClick={() => actions.toggle(line)}>
            <Icon name={isFolded ? "chevron-right" : "chevron-down"} size={12} />
          </button>
        )}
      </span>
      <span className={styles["code"]} style={{ paddingInlineStart: `${clampIndent(depth) * 1.1 + 1}em` }}>
        <LineText
          text={text.trimStart()}
          query={props.query}
          maxLength={props.maxLength}
          onMore={() => actions.expand(line)}
        />
        {isFolded && <FoldedContent document={document} line={line} marks={marks} />}
      </span>
    </div>
  );
});

function FoldedContent({
  document,
  line,
  marks,
}: {
  document: JsonDocument;
  line: number;
  marks: readonly DocumentMark[];
}) {
  const closing = readLine(document, findClosingLine(document, line)).trim();
  const hidden = countMarks(sliceMarks(marks, line + 1, findClosingLine(document, line)));
  const level = findWorstLevel(hidden);
  const size = countChildren(document, line);
  return (
    <>
      <span className={styles["count"]}>
        {size} {closing.startsWith("]") ? (size === 1 ? "item" : "items") : size === 1 ? "key" : "keys"}
      </span>
      {closing}
      {level !== undefined && (
        <span className={styles["hidden"]} data-level={level}>
          <Icon name={LEVEL_ICONS[level]} size={12} />
          {formatMarkCounts(hidden)}
        </span>
      )}
    </>
  );
}

interface LineTextProps {
  text: string;
  query: string | undefined;
  maxLength: number;
  onMore: () => void;
}

function LineText({ text, query, maxLength, onMore }: LineTextProps) {
  const canGrow = findNextLength(text, maxLength) !== undefined;
  let at = 0;
  return tokenizeLine(text).map(({ kind, text: tokenText }) => {
    const key = at;
    at += tokenText.length;
    const { head, hiddenLength, tail } = clipToken(tokenText, maxLength);
    const shown = (
      <>
        {highlightMatches(head, query)}
        {hiddenLength > 0 && <ShowMore left={hiddenLength} canGrow={canGrow} onMore={onMore} />}
        {tail !== "" && highlightMatches(tail, query)}
      </>
    );
    // Punctuation has the color of the line, so it needs no element. This saves half of the elements in a large view.
    if (kind === "sign" || kind === "text") return <Fragment key={key}>{shown}</Fragment>;
    return (
      <span key={key} className={styles[kind]}>
        {shown}
      </span>
    );
  });
}

/**
 * Shows the number of hidden characters as a button that shows more. It is not in the tab order, because Enter in the
 * tree does the same.
 */
function ShowMore({ left: hiddenLength, canGrow, onMore }: { left: number; canGrow: boolean; onMore: () => void }) {
  const label = `… ${hiddenLength.toLocaleString("en")} more characters …`;
  if (!canGrow) return <span className={styles["more"]}>{label}</span>;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles["more"]}
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => {
        event.stopPropagation();
        onMore();
      }}
    >
      {label}
    </button>
  );
}

function highlightMatches(text: string, query: string | undefined): ReactNode {
  if (query === undefined || query === "") return text;
  const nodes: ReactNode[] = [];
  let from = 0;
  for (const { index, 0: match } of text.matchAll(toSearchPattern(query))) {
    nodes.push(text.slice(from, index), <mark key={index}>{match}</mark>);
    from = index + match.length;
  }
  return from === 0 ? text : [...nodes, text.slice(from)];
}

interface MarkRowProps extends JsonRowProps {
  mark: DocumentMark;
  depth: number;
  isSelected: boolean;
}

export const MarkRow = memo(function MarkRow({ id, mark, depth, isActive, isSelected, actions }: MarkRowProps) {
  const { level, code, message, context, labels } = mark;
  return (
    // As for lines, a mark needs no key handler and no focus: the tree element has the keyboard focus and names the
    // active row.
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
      onClick={() => {
        actions.activate({ line: mark.line, mark });
        actions.select(mark);
      }}
    >
      <span className={styles["level"]}>
        <Icon name={LEVEL_ICONS[level]} size={14} />
        {LEVEL_LABELS[level]}
      </span>{" "}
      <code>{code}</code> {labels !== undefined && <span className={styles["labels"]}>{labels.join(", ")}</span>}
      <span className={styles["says"]}>
        {context} {message}
      </span>
    </div>
  );
});
