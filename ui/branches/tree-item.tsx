// Shows one row of the branch tree: lines, author, text preview and state.
import { memo } from "react";
import type { OutlineNode } from "../data/types.ts";
import { Icon } from "../kit/index.ts";
import type { TreeRow } from "./tree-layout.ts";
import styles from "./tree-panel.module.css";

export const ROW_HEIGHT = 40;
const LANE_WIDTH = 16;
const DOT_RADIUS = 4;

export interface TreeItemProps {
  row: TreeRow;
  index: number;
  /** Distance from the top of the list, in pixels. */
  start: number;
  node: OutlineNode | undefined;
  /** Number of messages with the same parent, including this message. */
  versions: number;
  lanes: number;
  isLeaf: boolean;
  /** True if the active path continues below this row. */
  isActiveBelow: boolean;
  current: boolean;
  onActivate: () => void;
}

export const TreeItem = memo(function TreeItem(props: TreeItemProps) {
  const { row, index, start, node, isLeaf, current, onActivate } = props;
  const state = computeItemState(row, node, isLeaf);
  return (
    <div
      role="treeitem"
      aria-level={row.lane + 1}
      aria-posinset={row.position}
      aria-setsize={row.setSize}
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
      <ItemLines {...props} />
      <ItemText {...props} state={state} />
    </div>
  );
}, areItemPropsEqual);

interface TreeItemState {
  label: string;
  tone: "good" | "warn" | "soft";
}

function computeItemState(row: TreeRow, node: OutlineNode | undefined, isLeaf: boolean): TreeItemState | undefined {
  if (isLeaf) return { label: "shown", tone: "good" };
  if (node?.interrupted === true) return { label: "interrupted", tone: "warn" };
  // A superseded message is not labeled "replaced" if it is on the active path, because the user has restored it.
  if (node?.superseded === true && !row.active) return { label: "replaced", tone: "soft" };
  return undefined;
}

function formatGapTitle(row: TreeRow): string {
  return row.kind === "gap" ? `${row.count} messages` : "Start";
}

function formatNodeAuthor({ role, model }: OutlineNode): string {
  if (role === "user") return "You";
  return role === "assistant" ? (model ?? "Assistant") : role === "tool" ? "Tool" : "System";
}

/** Matches Markdown syntax that is removed from the one-line preview. */
const MARKUP = /\*\*|__|`+|^#+ |^> /g;

function formatNodeText({ preview, toolCalls, toolResults }: OutlineNode): string {
  if (preview !== "") return preview.replace(MARKUP, "");
  if (toolCalls !== undefined) return `calls ${toolCalls.join(", ")}`;
  return toolResults === undefined ? "no text" : toolResults === 1 ? "1 result" : `${toolResults} results`;
}

function ItemText({ row, node, versions, state }: TreeItemProps & { state: TreeItemState | undefined }) {
  if (row.kind !== "message" || node === undefined) {
    return (
      <span className={styles["gap"]}>
        {formatGapTitle(row)}
        {row.kind === "gap" && <Icon name="chevron-down" size={14} />}
      </span>
    );
  }
  const isReplaced = state?.label === "replaced";
  return (
    <span className={styles["words"]}>
      <span className={styles["line"]}>
        <span className={styles["speaker"]}>{formatNodeAuthor(node)}</span>
        {versions > 1 && row.startsLane && <span className={styles["versions"]}>one of {versions}</span>}
        {state !== undefined && <span data-tone={state.tone}>{state.label}</span>}
      </span>
      <span className={styles["preview"]}>{formatNodeText(node)}</span>
      {isReplaced && row.startsLane && (
        // The button has no handler: a click reaches the row's `onClick`. For the keyboard, Enter on the row is enough.
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

function ItemLines({ row, lanes, isActiveBelow, isLeaf }: TreeItemProps) {
  const { lane, startsLane, hasRowBelow, active } = row;
  const middle = ROW_HEIGHT / 2;
  const x = (at: number): number => LANE_WIDTH / 2 + at * LANE_WIDTH;
  const isFirst = row.position === 1 && lane === 0 && !startsLane;
  const above = startsLane
    ? `M${x(lane - 1)} 0C${x(lane - 1)} ${middle} ${x(lane)} 0 ${x(lane)} ${middle}`
    : `M${x(lane)} 0V${middle}`;
  return (
    <svg
      className={styles["lines"]}
      width={Math.min(lanes, 12) * LANE_WIDTH}
      height={ROW_HEIGHT}
      aria-hidden="true"
      focusable="false"
    >
      {Array.from({ length: lane }, (_, at) => (
        // Each lane to the left continues below this row, because a branch is laid out before the rest of the lane from
        // which it branches off.
        <path key={at} d={`M${x(at)} 0V${ROW_HEIGHT}`} data-active={at === 0 && isActiveBelow} />
      ))}
      {!isFirst && <path d={above} data-active={active} />}
      {hasRowBelow && <path d={`M${x(lane)} ${middle}V${ROW_HEIGHT}`} data-active={active && isActiveBelow} />}
      {row.kind === "gap" ? (
        <path d={`M${x(lane)} 12V28`} className={styles["skipped"]} />
      ) : (
        <circle cx={x(lane)} cy={middle} r={isLeaf ? DOT_RADIUS + 1 : DOT_RADIUS} data-active={active} />
      )}
    </svg>
  );
}

/**
 * Compares all props except `onActivate`, which is a new function in each render but depends only on the other props.
 */
function areItemPropsEqual(a: TreeItemProps, b: TreeItemProps): boolean {
  const { onActivate: _, row: rowA, ...restA } = a;
  const { onActivate: __, row: rowB, ...restB } = b;
  return areShallowEqual(restA, restB) && areShallowEqual(rowA, rowB);
}

function areShallowEqual(one: object, other: object): boolean {
  const rest = new Map(Object.entries(other));
  return Object.entries(one).every(([name, value]) => Object.is(value, rest.get(name)));
}
