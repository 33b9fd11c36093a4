// Renders one part of a message according to its type. Here a tool call has no result; message-body.tsx pairs calls
// with results.
import type { Part } from "koine";
import { memo, type ReactNode } from "react";
import { Icon } from "../kit/index.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { JsonBlock, toJsonText } from "./json-block.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import { Logprobs } from "./logprobs.tsx";
import { Media } from "./media.tsx";
import styles from "./message.module.css";
import { PlainText } from "./plain-text.tsx";
import { Reasoning } from "./reasoning.tsx";
import { SourceList } from "./source-list.tsx";
import { ToolCall } from "./tool-call.tsx";
import { UnpairedResult } from "./tool-result.tsx";
import { describeOpaquePart } from "./message-labels.ts";

export interface PartViewProps {
  part: Part;
  /** True if the part is still streaming. */
  streaming?: boolean | undefined;
  /** True if the text is not Markdown. */
  plain?: boolean | undefined;
}

/** Renders a part. It is memoized, so that unchanged parts are not rendered again (B100). */
export const PartView = memo(function PartView({ part, streaming = false, plain = false }: PartViewProps): ReactNode {
  switch (part.type) {
    case "text":
      return (
        <>
          {plain ? (
            <PlainText text={part.text} streaming={streaming} />
          ) : (
            <Markdown text={part.text} streaming={streaming} annotations={part.annotations} />
          )}
          <SourceList annotations={part.annotations} text={part.text} />
          <Logprobs logprobs={part.logprobs} />
        </>
      );
    case "reasoning":
      return <Reasoning part={part} streaming={streaming} />;
    case "refusal":
      return (
        <div className={styles["refusal"]}>
          <Icon name="warning" size={18} />
          <div>
            <p className={styles["refusalTitle"]}>The model refused</p>
            <PlainText text={part.text} streaming={streaming} />
            <Logprobs logprobs={part.logprobs} />
          </div>
        </div>
      );
    case "tool-call":
      return (
        <ToolCall
          call={part}
          result={undefined}
          reason={undefined}
          streaming={streaming}
          pending={false}
          footer={null}
        />
      );
    case "tool-result":
      return <UnpairedResult result={part} />;
    case "opaque":
      return (
        <LazyFold summary={describeOpaquePart(part)} className={styles["opaque"]}>
          {() => <JsonBlock label="Block" text={toJsonText(part.value)} />}
        </LazyFold>
      );
    default:
      return <Media part={part} />;
  }
});
