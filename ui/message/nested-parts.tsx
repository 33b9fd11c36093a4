// Renders parts inside parts: the content of tool results and documents. The nesting depth is limited, because messages
// are untrusted.
import type { Part } from "koine";
import { type ComponentType, createContext, type ReactNode, use } from "react";
import { JsonBlock, toJsonText } from "./json-block.tsx";

const MAX_DEPTH = 4;
const DepthContext = createContext(0);

/**
 * Provides the component that renders a part. This file cannot import that component, because the component imports
 * this file.
 */
export const PartComponentContext = createContext<ComponentType<{ part: Part; plain: boolean }>>(() => null);

export function NestedParts({ parts }: { parts: readonly Part[] }): ReactNode {
  const depth = use(DepthContext);
  const PartComponent = use(PartComponentContext);
  if (depth >= MAX_DEPTH) return <JsonBlock label="Parts" text={toJsonText(parts)} />;
  // The index is a safe key, because the parts of a stored result never change.
  return (
    <DepthContext value={depth + 1}>
      {parts.map((part, index) => (
        <PartComponent key={index} part={part} plain />
      ))}
    </DepthContext>
  );
}
