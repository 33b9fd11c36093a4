// Renders Markdown blocks. A block is rendered again only if its text or its citations change, or if it may contain a
// reference link, whose definition can arrive later.
import type { Token, Tokens } from "marked";
import { memo, type ReactNode } from "react";
import styles from "./blocks.module.css";
import { CodeBlock } from "./code-block.tsx";
import type { ListPart } from "./incremental-parse.ts";
import { Inline } from "./inline.tsx";
import { CitationMark } from "./link.tsx";
import type { CitedToken } from "./place-citations.ts";

export interface BlocksProps {
  tokens: readonly Token[];
  /** True if the last block is still streaming. */
  growing?: boolean;
}

export function Blocks({ tokens, growing = false }: BlocksProps): ReactNode {
  return tokens.map((token, index) => (
    // The index is a safe key, because blocks are only appended and never reordered.
    <Block key={index} token={token as Tokens.Generic} growing={growing && index === tokens.length - 1} />
  ));
}

/** Renders settled blocks. React does not render them again while the list of tokens is the same object. */
export const BlockGroup = memo(Blocks);

interface BlockProps {
  token: Tokens.Generic & CitedToken;
  growing: boolean;
}

const Block = memo(
  function Block(props: BlockProps): ReactNode {
    const { trailingNumbers } = props.token;
    if (trailingNumbers === undefined) return <BlockContent {...props} />;
    return (
      <>
        <BlockContent {...props} />
        <p className={styles["cites"]}>
          <CitationMarks numbers={trailingNumbers} />
        </p>
      </>
    );
  },
  (before, after) =>
    before.growing === after.growing &&
    (before.token === after.token ||
      (before.token.raw === after.token.raw &&
        haveSameCitations(before.token, after.token) &&
        !hasReference(after.token.raw))),
);

function haveSameCitations(one: CitedToken, other: CitedToken): boolean {
  return one.citationKey === other.citationKey;
}

function CitationMarks({ numbers }: { numbers: readonly number[] }): ReactNode {
  return numbers.map((number, index) => <CitationMark key={index} sourceNumber={number} />);
}

function BlockContent({ token, growing }: BlockProps): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return <MarkdownHeading token={token as Tokens.Heading} />;
    case "hr":
      return <hr className={styles["rule"]} />;
    case "code":
      return <CodeBlock text={String(token["text"])} language={readLanguage(token)} growing={growing} />;
    case "blockquote":
      return (
        <blockquote className={styles["quote"]}>
          <Blocks tokens={token.tokens ?? []} growing={growing} />
        </blockquote>
      );
    case "list":
      return <MarkdownList token={token as Tokens.List | ListPart} growing={growing} />;
    case "table":
      return <MarkdownTable token={token as Tokens.Table} />;
    case "html":
      return <p className={styles["raw"]}>{token.raw.trimEnd()}</p>;
    case "text":
      return <Inline tokens={token.tokens ?? [token]} />;
    default:
      return <p className={styles["paragraph"]}>{<Inline tokens={token.tokens ?? [token]} />}</p>;
  }
}

/**
 * True if the block may contain a reference link such as `[name]`. A definition that arrives later changes the link
 * without changing the block's text, so such a block is always rendered again.
 */
function hasReference(raw: string): boolean {
  return raw.includes("[");
}

function readLanguage(token: Tokens.Generic): string {
  return /^\S*/.exec(String(token["lang"] ?? ""))?.[0] ?? "";
}

/** Renders a heading one level lower, because level 1 is reserved for the page's own heading. */
function MarkdownHeading({ token: { depth, tokens } }: { token: Tokens.Heading }) {
  const Tag = `h${Math.min(6, depth + 1)}` as "h2" | "h3" | "h4" | "h5" | "h6";
  return <Tag className={`${styles["heading"]} ${styles[`level${depth}`]}`}>{<Inline tokens={tokens} />}</Tag>;
}

function MarkdownList({ token, growing }: { token: Tokens.List | ListPart; growing: boolean }) {
  const classes = [styles["list"], "continues" in token && styles["goesOn"]].filter(Boolean).join(" ");
  const items = token.items.map((item, index) => (
    <MarkdownListItem key={index} item={item} growing={growing && index === token.items.length - 1} />
  ));
  if (!token.ordered) return <ul className={classes}>{items}</ul>;
  return (
    <ol className={classes} start={token.start === "" ? 1 : token.start}>
      {items}
    </ol>
  );
}

const MarkdownListItem = memo(
  function Item({ item, growing }: { item: Tokens.ListItem & CitedToken; growing: boolean }) {
    const tokens = item.tokens.filter(({ type }) => type !== "checkbox");
    return (
      <li className={item.task ? styles["task"] : undefined}>
        {item.task && (
          <input
            type="checkbox"
            checked={item.checked === true}
            readOnly
            disabled
            aria-label={item.checked ? "Done" : "To do"}
          />
        )}
        <Blocks tokens={tokens} growing={growing} />
        {item.trailingNumbers !== undefined && <CitationMarks numbers={item.trailingNumbers} />}
      </li>
    );
  },
  (before, after) =>
    before.growing === after.growing &&
    (before.item === after.item ||
      (before.item.raw === after.item.raw &&
        before.item.loose === after.item.loose &&
        haveSameCitations(before.item, after.item) &&
        !hasReference(after.item.raw))),
);

/** Maximum number of cells; larger tables are shown as text, because browsers lay them out too slowly. */
const MAX_CELLS = 6000;

function MarkdownTable({ token }: { token: Tokens.Table }) {
  const { header, rows, raw } = token;
  if (header.length * (rows.length + 1) > MAX_CELLS) return <CodeBlock text={raw} language="" growing={false} />;
  return (
    // The box is focusable, so that a wide table can be scrolled by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles["tableBox"]} role="group" aria-label="Table" tabIndex={0}>
      <table className={styles["table"]}>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <MarkdownCell key={index} cell={cell} head />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <MarkdownCell key={place} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function MarkdownCell({ cell, head = false }: { cell: Tokens.TableCell; head?: boolean }) {
  const Tag = head ? "th" : "td";
  return (
    <Tag style={cell.align === null ? undefined : { textAlign: cell.align }}>{<Inline tokens={cell.tokens} />}</Tag>
  );
}
