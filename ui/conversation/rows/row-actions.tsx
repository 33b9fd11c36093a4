// Shows the actions of a stored message: buttons for the frequent actions, and a menu with all actions.
import { memo } from "react";
import { IconButton, Menu, type MenuItem } from "../../kit/index.ts";
import { useCommands, type RowCommands } from "./row-commands.ts";
import styles from "./message-row.module.css";
import type { StoredMessageRow } from "./build-rows.ts";

interface RowActionsProps {
  row: StoredMessageRow;
  /** True if the complete message is loaded; copying and editing need it. */
  loaded: boolean;
}

export const RowActions = memo(function RowActions({ row, loaded }: RowActionsProps) {
  const commands = useCommands();
  const [id] = row.ids;
  return (
    <div className={styles["actions"]} role="toolbar" aria-label="Message actions">
      <span className={styles["usual"]}>
        <IconButton label="Copy" icon="copy" size={15} disabled={!loaded} onClick={() => commands.copy(id)} />
        {row.role === "user" && (
          <IconButton label="Edit" icon="edit" size={15} disabled={!loaded} onClick={() => commands.edit(id)} />
        )}
        {row.role === "assistant" && (
          <IconButton label="Regenerate" icon="refresh" size={15} onClick={() => commands.regenerate(id)} />
        )}
      </span>
      <Menu label="More actions" items={buildMenuItems(row, loaded, commands)} />
    </div>
  );
});

function buildMenuItems({ role, ids, node }: StoredMessageRow, loaded: boolean, commands: RowCommands): MenuItem[] {
  const [id] = ids;
  const { runId } = node;
  const end = ids.at(-1) ?? id;
  const isAnswer = role === "assistant";
  const items: (MenuItem | false)[] = [
    { label: "Copy as Markdown", icon: "copy", disabled: !loaded, onSelect: () => commands.copy(id) },
    role === "user" && { label: "Edit", icon: "edit", disabled: !loaded, onSelect: () => commands.edit(id) },
    {
      label: isAnswer ? "Regenerate" : "Request another answer",
      icon: "refresh",
      onSelect: () => commands.regenerate(isAnswer ? id : end),
    },
    {
      label: isAnswer ? "Regenerate with another model…" : "Answer with another model…",
      icon: "spark",
      onSelect: () => commands.openModelDialog(isAnswer ? id : end),
    },
    { label: "Fork from here", icon: "fork", separated: true, onSelect: () => commands.fork(end) },
    { label: "Inspect this turn", icon: "inspect", onSelect: () => commands.inspect(end) },
    { label: "Copy link", icon: "link", onSelect: () => commands.copyLink(id) },
    runId !== undefined && { label: "Show run", icon: "play", onSelect: () => commands.showRun(runId) },
  ];
  return items.filter((item) => item !== false);
}
