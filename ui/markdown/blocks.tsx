// Blocks of Markdown as elements. A block that was drawn is drawn again only when its own text changes.
import type { Token, Tokens } from "marked";
import { memo, type ReactNode } from "react";
import styles from "./blocks.module.css";
import { CodeBlock } from "./code-block.tsx";
import type { ListPart } from "./grow.ts";
import { Inline } from "./inline.tsx";
import { CitationMark } from "./link.tsx";
import type { Marked } from "./marks.ts";

export interface BlocksProps {
  tokens: readonly Token[];
  /** The last block is still being written. */
  growing?: boolean;
}

export function Blocks({ tokens, growing = false }: BlocksProps): ReactNode {
  return tokens.map((token, index) => (
    // Blocks are only ever added, so that a place is an identity.
    <Block key={index} token={token as Tokens.Generic} growing={growing && index === tokens.length - 1} />
  ));
}

/** Settled blocks: the same tokens are the same elements. */
export const BlockGroup = memo(Blocks);

interface BlockProps {
  token: Tokens.Generic & Marked;
  growing: boolean;
}

const Block = memo(
  function Block(props: BlockProps): ReactNode {
    const { cites } = props.token;
    if (cites === undefined) return <BlockAlone {...props} />;
    return (
      <>
        <BlockAlone {...props} />
        <p className={styles["cites"]}>
          <Cites numbers={cites} />
        </p>
      </>
    );
  },
  (before, after) =>
    before.growing === after.growing &&
    (before.token === after.token ||
      (before.token.raw === after.token.raw && isCitedAlike(before.token, after.token) && !refers(after.token.raw))),
);

function isCitedAlike(one: Marked, other: Marked): boolean {
  return one.cited === other.cited;
}

function Cites({ numbers }: { numbers: readonly number[] }): ReactNode {
  return numbers.map((number, index) => <CitationMark key={index} number={number} />);
}

function BlockAlone({ token, growing }: BlockProps): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return <Heading token={token as Tokens.Heading} />;
    case "hr":
      return <hr className={styles["rule"]} />;
    case "code":
      return <CodeBlock text={String(token["text"])} language={languageOf(token)} growing={growing} />;
    case "blockquote":
      return (
        <blockquote className={styles["quote"]}>
          <Blocks tokens={token.tokens ?? []} growing={growing} />
        </blockquote>
      );
    case "list":
      return <List token={token as Tokens.List | ListPart} growing={growing} />;
    case "table":
      return <Table token={token as Tokens.Table} />;
    case "html":
      return <p className={styles["raw"]}>{token.raw.trimEnd()}</p>;
    case "text":
      return <Inline tokens={token.tokens ?? [token]} />;
    default:
      return <p className={styles["paragraph"]}>{<Inline tokens={token.tokens ?? [token]} />}</p>;
  }
}

/** The same text may mean another address when it refers to one that was defined since. */
function refers(raw: string): boolean {
  return raw.includes("[");
}

function languageOf(token: Tokens.Generic): string {
  return /^\S*/.exec(String(token["lang"] ?? ""))?.[0] ?? "";
}

/** The first heading of the page is its own. */
function Heading({ token: { depth, tokens } }: { token: Tokens.Heading }) {
  const Tag = `h${Math.min(6, depth + 1)}` as "h2" | "h3" | "h4" | "h5" | "h6";
  return <Tag className={`${styles["heading"]} ${styles[`level${depth}`]}`}>{<Inline tokens={tokens} />}</Tag>;
}

function List({ token, growing }: { token: Tokens.List | ListPart; growing: boolean }) {
  const classes = [styles["list"], "goesOn" in token && styles["goesOn"]].filter(Boolean).join(" ");
  const items = token.items.map((item, index) => (
    <Item key={index} item={item} growing={growing && index === token.items.length - 1} />
  ));
  if (!token.ordered) return <ul className={classes}>{items}</ul>;
  return (
    <ol className={classes} start={token.start === "" ? 1 : token.start}>
      {items}
    </ol>
  );
}

const Item = memo(
  function Item({ item, growing }: { item: Tokens.ListItem & Marked; growing: boolean }) {
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
        {item.cites !== undefined && <Cites numbers={item.cites} />}
      </li>
    );
  },
  (before, after) =>
    before.growing === after.growing &&
    (before.item === after.item ||
      (before.item.raw === after.item.raw &&
        before.item.loose === after.item.loose &&
        isCitedAlike(before.item, after.item) &&
        !refers(after.item.raw))),
);

/** More cells than a reader looks at, and more than a browser lays out at once. */
const MAX_CELLS = 6000;

function Table({ token }: { token: Tokens.Table }) {
  const { header, rows, raw } = token;
  if (header.length * (rows.length + 1) > MAX_CELLS) return <CodeBlock text={raw} language="" growing={false} />;
  return (
    // It scrolls by itself, also by keys.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles["tableBox"]} role="group" aria-label="Table" tabIndex={0}>
      <table className={styles["table"]}>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <Cell key={index} cell={cell} head />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <Cell key={place} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ cell, head = false }: { cell: Tokens.TableCell; head?: boolean }) {
  const Tag = head ? "th" : "td";
  return (
    <Tag style={cell.align === null ? undefined : { textAlign: cell.align }}>{<Inline tokens={cell.tokens} />}</Tag>
  );
}
