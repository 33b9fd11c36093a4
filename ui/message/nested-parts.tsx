// Parts inside parts: content of tool results and documents. The nesting depth is limited, because it comes from
// untrusted messages.
import type { Part } from "koine";
import { type ComponentType, createContext, type ReactNode, use } from "react";
import { JsonBlock, toJsonText } from "./json-block.tsx";

const MAX_DEPTH = 4;
const DepthContext = createContext(0);

/** The component that renders a part; a context, because importing it would be circular. */
export const PartComponentContext = createContext<ComponentType<{ part: Part; plain: boolean }>>(() => null);

export function NestedParts({ parts }: { parts: readonly Part[] }): ReactNode {
  const depth = use(DepthContext);
  const PartComponent = use(PartComponentContext);
  if (depth >= MAX_DEPTH) return <JsonBlock label="Parts" text={toJsonText(parts)} />;
  // Keyed by index: parts have no id.
  return (
    <DepthContext value={depth + 1}>
      {parts.map((part, index) => (
        <PartComponent key={index} part={part} plain />
      ))}
    </DepthContext>
  );
}
