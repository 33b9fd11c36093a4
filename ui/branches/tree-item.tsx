// One row of the drawn tree: its lines, who speaks, the first words, and in words what became of it.
import { memo } from "react";
import type { OutlineNode } from "../data/types.ts";
import { Icon } from "../kit/index.ts";
import type { TreeRow } from "./layout.ts";
import styles from "./tree-panel.module.css";

export const ROW_HEIGHT = 40;
const LANE = 16;
const DOT = 4;

export interface TreeItemProps {
  row: TreeRow;
  index: number;
  /** In pixels from the top. */
  start: number;
  node: OutlineNode | undefined;
  /** How many messages stand in its place. */
  versions: number;
  lanes: number;
  isLeaf: boolean;
  /** The active path goes on below this row. */
  isActiveBelow: boolean;
  current: boolean;
  onActivate: () => void;
}

export const TreeItem = memo(function TreeItem(props: TreeItemProps) {
  const { row, index, start, node, isLeaf, current, onActivate } = props;
  const state = stateOf(row, node, isLeaf);
  return (
    <div
      role="treeitem"
      aria-level={row.lane + 1}
      aria-posinset={row.position}
      aria-setsize={row.of}
      aria-selected={row.active}
      aria-current={isLeaf ? "true" : undefined}
      aria-expanded={row.kind === "gap" ? false : undefined}
      tabIndex={current ? 0 : -1}
      data-index={index}
      data-active={row.active}
      className={styles["item"]}
      style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
      onClick={onActivate}
    >
      <Lines {...props} />
      <Words {...props} state={state} />
    </div>
  );
}, isSame);

interface State {
  word: string;
  tone: "good" | "warn" | "soft";
}

function stateOf(row: TreeRow, node: OutlineNode | undefined, isLeaf: boolean): State | undefined {
  if (isLeaf) return { word: "shown", tone: "good" };
  if (node?.interrupted === true) return { word: "interrupted", tone: "warn" };
  // What was restored is on the active path, and replaced no more.
  if (node?.superseded === true && !row.active) return { word: "replaced", tone: "soft" };
  return undefined;
}

function titleOf(row: TreeRow): string {
  return row.kind === "gap" ? `${row.count} messages` : "Beginning";
}

function speaker({ role, model }: OutlineNode): string {
  if (role === "user") return "You";
  return role === "assistant" ? (model ?? "Assistant") : role === "tool" ? "Tool" : "System";
}

/** Signs of Markdown that mean nothing on one line. */
const MARKUP = /\*\*|__|`+|^#+ |^> /g;

function wordsOf({ preview, toolCalls, toolResults }: OutlineNode): string {
  if (preview !== "") return preview.replace(MARKUP, "");
  if (toolCalls !== undefined) return `calls ${toolCalls.join(", ")}`;
  return toolResults === undefined ? "no words" : toolResults === 1 ? "a result" : `${toolResults} results`;
}

function Words({ row, node, versions, state }: TreeItemProps & { state: State | undefined }) {
  if (row.kind !== "message" || node === undefined) {
    return (
      <span className={styles["gap"]}>
        {titleOf(row)}
        {row.kind === "gap" && <Icon name="chevron-down" size={14} />}
      </span>
    );
  }
  const isReplaced = state?.word === "replaced";
  return (
    <span className={styles["words"]}>
      <span className={styles["line"]}>
        <span className={styles["speaker"]}>{speaker(node)}</span>
        {versions > 1 && row.turns && <span className={styles["versions"]}>one of {versions}</span>}
        {state !== undefined && <span data-tone={state.tone}>{state.word}</span>}
      </span>
      <span className={styles["preview"]}>{wordsOf(node)}</span>
      {isReplaced && row.turns && (
        // For pointers; the Enter key does the same for the row.
        <button
          type="button"
          tabIndex={-1}
          className={styles["restore"]}
          title="Makes this branch the active one again"
        >
          Restore
        </button>
      )}
    </span>
  );
}

function Lines({ row, lanes, isActiveBelow, isLeaf }: TreeItemProps) {
  const { lane, turns, goesOn, active } = row;
  const middle = ROW_HEIGHT / 2;
  const x = (at: number): number => LANE / 2 + at * LANE;
  const isFirst = row.position === 1 && lane === 0 && !turns;
  const above = turns
    ? `M${x(lane - 1)} 0C${x(lane - 1)} ${middle} ${x(lane)} 0 ${x(lane)} ${middle}`
    : `M${x(lane)} 0V${middle}`;
  return (
    <svg
      className={styles["lines"]}
      width={Math.min(lanes, 12) * LANE}
      height={ROW_HEIGHT}
      aria-hidden="true"
      focusable="false"
    >
      {Array.from({ length: lane }, (_, at) => (
        // Every lane left of a branch goes on below it.
        <path key={at} d={`M${x(at)} 0V${ROW_HEIGHT}`} data-active={at === 0 && isActiveBelow} />
      ))}
      {!isFirst && <path d={above} data-active={active} />}
      {goesOn && <path d={`M${x(lane)} ${middle}V${ROW_HEIGHT}`} data-active={active && isActiveBelow} />}
      {row.kind === "gap" ? (
        <path d={`M${x(lane)} 12V28`} className={styles["skipped"]} />
      ) : (
        <circle cx={x(lane)} cy={middle} r={isLeaf ? DOT + 1 : DOT} data-active={active} />
      )}
    </svg>
  );
}

/** What a row does depends on what it is; the function that does it may be another one. */
function isSame(a: TreeItemProps, b: TreeItemProps): boolean {
  const { onActivate: _, row: rowA, ...restA } = a;
  const { onActivate: __, row: rowB, ...restB } = b;
  return hasSame(restA, restB) && hasSame(rowA, rowB);
}

function hasSame(one: object, other: object): boolean {
  const rest = new Map(Object.entries(other));
  return Object.entries(one).every(([name, value]) => Object.is(value, rest.get(name)));
}
