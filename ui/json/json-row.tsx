// One row of a JSON view: a line with its fold, or a mark.
import { Fragment, memo, type ReactNode } from "react";
import { Icon } from "../kit/icons.tsx";
import type { IconName } from "../kit/icons.tsx";
import { depthOf, endOf, indentOf, isCloser, lineText } from "./document.ts";
import type { JsonDocument } from "./document.ts";
import { patternOf } from "./find.ts";
import styles from "./json-view.module.css";
import type { Mark, MarkLevel } from "./marks.ts";
import { gravest, marksBetween, tallyOf, tallyWords } from "./marks.ts";
import type { Row } from "./rows.ts";
import { sizeOf } from "./rows.ts";
import { clipToken, nextStep, tokensOf } from "./tokens.ts";

export const LEVEL_WORDS: Record<MarkLevel, string> = { breaks: "Breaks", loss: "Loss", note: "Note" };
const LEVEL_ICONS: Record<MarkLevel, IconName> = { breaks: "error", loss: "warning", note: "info" };

/** What can be done with rows: the same object all the time, so that a row is drawn again only where it changes. */
export interface RowActions {
  activate: (row: Row) => void;
  toggle: (line: number) => void;
  /** Shows more of a long line. */
  expand: (line: number) => void;
  select: (mark: Mark) => void;
}

interface RowProps {
  id: string;
  isActive: boolean;
  actions: RowActions;
}

interface LineRowProps extends RowProps {
  document: JsonDocument;
  line: number;
  isFolded: boolean;
  /** All marks, where the fold may hide some; else none. */
  marks: readonly Mark[];
  words: string | undefined;
  /** How much of a long piece is shown. */
  most: number;
}

export const LineRow = memo(function LineRow(props: LineRowProps) {
  const { document, line, isFolded, marks, id, isActive, actions } = props;
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
    <div {...item} id={id} className={styles["line"]} data-active={isActive} onClick={() => actions.activate({ line })}>
      <span className={styles["gutter"]} aria-hidden="true">
        {opens && line > 0 && (
          <button type="button" tabIndex={-1} className={styles["fold"]} onClick={() => actions.toggle(line)}>
            <Icon name={isFolded ? "chevron-right" : "chevron-down"} size={12} />
          </button>
        )}
      </span>
      <span className={styles["code"]} style={{ paddingInlineStart: `${indentOf(depth) * 1.1 + 1}em` }}>
        <LineText text={text.trimStart()} words={props.words} most={props.most} onMore={() => actions.expand(line)} />
        {isFolded && <Folded document={document} line={line} marks={marks} />}
      </span>
    </div>
  );
});

function Folded({ document, line, marks }: { document: JsonDocument; line: number; marks: readonly Mark[] }) {
  const closing = lineText(document, endOf(document, line)).trim();
  const hidden = tallyOf(marksBetween(marks, line + 1, endOf(document, line)));
  const level = gravest(hidden);
  const size = sizeOf(document, line);
  return (
    <>
      <span className={styles["count"]}>
        {size} {closing.startsWith("]") ? (size === 1 ? "item" : "items") : size === 1 ? "key" : "keys"}
      </span>
      {closing}
      {level !== undefined && (
        <span className={styles["hidden"]} data-level={level}>
          <Icon name={LEVEL_ICONS[level]} size={12} />
          {tallyWords(hidden)}
        </span>
      )}
    </>
  );
}

interface LineTextProps {
  text: string;
  words: string | undefined;
  most: number;
  onMore: () => void;
}

function LineText({ text, words, most, onMore }: LineTextProps) {
  const canGrow = nextStep(text, most) !== undefined;
  let at = 0;
  return tokensOf(text).map(({ kind, text: piece }) => {
    const key = at;
    at += piece.length;
    const { head, left, tail } = clipToken(piece, most);
    const shown = (
      <>
        {emphasised(head, words)}
        {left > 0 && <More left={left} canGrow={canGrow} onMore={onMore} />}
        {tail !== "" && emphasised(tail, words)}
      </>
    );
    // Signs have the colour of the line itself: half of the elements of a large view.
    if (kind === "sign" || kind === "text") return <Fragment key={key}>{shown}</Fragment>;
    return (
      <span key={key} className={styles[kind]}>
        {shown}
      </span>
    );
  });
}

/** The tree keeps the focus: its Enter does the same. */
function More({ left, canGrow, onMore }: { left: number; canGrow: boolean; onMore: () => void }) {
  const words = `… ${left.toLocaleString("en")} more characters …`;
  if (!canGrow) return <span className={styles["more"]}>{words}</span>;
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
      {words}
    </button>
  );
}

function emphasised(text: string, words: string | undefined): ReactNode {
  if (words === undefined || words === "") return text;
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

export const MarkRow = memo(function MarkRow({ id, mark, depth, isActive, isSelected, actions }: MarkRowProps) {
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
      onClick={() => {
        actions.activate({ line: mark.line, mark });
        actions.select(mark);
      }}
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
