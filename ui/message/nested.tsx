// Parts within parts: what a tool gave back, and what a document is made of. How deep they nest is for a sender to say, so
// that it is bounded here.
import type { Part } from "koine";
import { type ComponentType, createContext, type ReactNode, use } from "react";
import { JsonBlock, jsonText } from "./json-block.tsx";

const MAX_DEPTH = 4;
const Depth = createContext(0);

/** Draws a part; given from above, since every kind of part may hold all others. */
export const DrawPart = createContext<ComponentType<{ part: Part; plain: boolean }>>(() => null);

export function NestedParts({ parts }: { parts: readonly Part[] }): ReactNode {
  const depth = use(Depth);
  const Draw = use(DrawPart);
  if (depth >= MAX_DEPTH) return <JsonBlock label="Parts" text={jsonText(parts)} />;
  // Parts have no name of their own; their order is part of what they say.
  return (
    <Depth value={depth + 1}>
      {parts.map((part, index) => (
        <Draw key={index} part={part} plain />
      ))}
    </Depth>
  );
}
