// Computes the props of a conversation's header: display name, models and commands.
import { useMemo } from "react";
import type { ConversationActions, ConversationState } from "../data/types.ts";
import { useCommands } from "./rows/row-commands.ts";
import type { ConversationDialog } from "./create-commands.ts";
import { ConversationHeader } from "./header.tsx";

export interface ConversationHeadProps {
  state: ConversationState;
  actions: ConversationActions;
  isTreeShown: boolean;
  toggleTree: () => void;
  setDialog: (dialog: ConversationDialog) => void;
}

export function ConversationHead({ state, actions, isTreeShown, toggleTree, setDialog }: ConversationHeadProps) {
  const { thread, nodes, path } = state;
  const { fork } = useCommands();
  const models = useMemo(() => listModels(nodes), [nodes]);
  if (thread === undefined) return null;
  const leaf = path.at(-1);
  const name = thread.title?.trim() || findFirstPreview(nodes) || "Untitled";
  return (
    <ConversationHeader
      {...{ thread, name, models, actions, isTreeShown }}
      onToggleTree={toggleTree}
      onDialog={setDialog}
      onFork={() => leaf !== undefined && fork(leaf)}
    />
  );
}

/** Returns the models of the stored answers, each once, most recently used first. */
function listModels(nodes: ConversationState["nodes"]): string[] {
  const models = new Set<string>();
  for (const { model } of [...nodes.values()].reverse()) if (model !== undefined) models.add(model);
  return [...models];
}

function findFirstPreview(nodes: ConversationState["nodes"]): string | undefined {
  for (const { role, preview } of nodes.values()) if (role === "user" && preview !== "") return preview;
  return undefined;
}
