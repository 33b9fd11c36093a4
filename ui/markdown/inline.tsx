// Words within a block: emphasis, code, links, pictures and marks of citations. Raw HTML is shown as it is written.
import type { Token, Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { readDataPicture, visible } from "./address.ts";
import { decodeEntities } from "./entities.ts";
import styles from "./inline.module.css";
import { CitationMark, SafeLink } from "./link.tsx";
import { RemoteMedia } from "./remote.tsx";

/** How deep they nest is bounded where they are read. */
export function Inline({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  // Tokens of one block have no identity of their own; a block that changes is drawn anew.
  return tokens?.map((token, index) => <Fragment key={index}>{inlineOf(token)}</Fragment>);
}

/** A line break is the one tag that is more than its text: tables cannot be written without it. */
const BREAK = /^<br\s*\/?>$/i;

function inlineOf(token: Tokens.Generic): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong>{<Inline tokens={token.tokens} />}</strong>;
    case "em":
      return <em>{<Inline tokens={token.tokens} />}</em>;
    case "del":
      return <del>{<Inline tokens={token.tokens} />}</del>;
    case "codespan":
      return <code className={styles["code"]}>{String(token["text"])}</code>;
    case "br":
      return <br />;
    case "link":
      return linkOf(token as Tokens.Link);
    case "image":
      return <InlinePicture href={addressOf(token)} alt={wordsOf(token)} />;
    case "html":
      return BREAK.test(token.raw) ? <br /> : <span className={styles["raw"]}>{token.raw}</span>;
    case "escape":
      return String(token["text"]);
    case "plain":
      return token.raw;
    case "cite":
      return <CitationMark number={Number(token["number"])} />;
    default:
      if (token.tokens !== undefined) return <Inline tokens={token.tokens} />;
      return decodeEntities(token.raw);
  }
}

function linkOf(token: Tokens.Link): ReactNode {
  const href = addressOf(token);
  if (holdsPicture(token.tokens)) {
    // A picture has a link of its own: the one around it stands behind it.
    return (
      <>
        <Inline tokens={token.tokens} />
        <SafeLink href={href} words={href}>
          {visible(href)}
        </SafeLink>
      </>
    );
  }
  return (
    <SafeLink href={href} words={wordsOf(token)}>
      {token.autolink === true ? token.text : <Inline tokens={token.tokens} />}
    </SafeLink>
  );
}

function holdsPicture(tokens: readonly Tokens.Generic[]): boolean {
  return tokens.some(({ type, tokens: inner }) => type === "image" || (inner !== undefined && holdsPicture(inner)));
}

/** Of addresses that stand alone, references are part of the address. */
function addressOf(token: Tokens.Generic | Tokens.Link): string {
  const href = String(token["href"] ?? "");
  return token["autolink"] === true ? href : decodeEntities(href);
}

function wordsOf(token: Tokens.Generic | Tokens.Link): string {
  return decodeEntities(String(token["text"] ?? ""));
}

function InlinePicture({ href, alt }: { href: string; alt: string }) {
  const picture = readDataPicture(href);
  if (picture !== undefined) return <img src={picture} alt={alt} className={styles["picture"]} />;
  return <RemoteMedia url={href} kind="image" alt={alt} />;
}
