// Renders inline Markdown: emphasis, code, links, images and citation marks. Raw HTML is shown as text.
import type { Token, Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { parseImageDataUrl, escapeInvisible } from "./safe-url.ts";
import { decodeEntities } from "./entities.ts";
import styles from "./inline.module.css";
import { CitationMark, SafeLink } from "./link.tsx";
import { RemoteMedia } from "./remote-media.tsx";

/** Renders inline tokens. The recursion is bounded, because the lexer limits the nesting depth. */
export function Inline({ tokens }: { tokens: readonly Token[] | undefined }): ReactNode {
  // The index is a safe key, because the elements of inline tokens have no React state.
  return tokens?.map((token, index) => <Fragment key={index}>{renderInline(token)}</Fragment>);
}

/**
 * Matches `<br>`, the only HTML tag that is not shown as text: a table cell can contain a line break only as this tag.
 */
const LINE_BREAK_TAG = /^<br\s*\/?>$/i;

function renderInline(token: Tokens.Generic): ReactNode {
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
      return renderLink(token as Tokens.Link);
    case "image":
      return <InlineImage href={readHref(token)} alt={readText(token)} />;
    case "html":
      return LINE_BREAK_TAG.test(token.raw) ? <br /> : <span className={styles["raw"]}>{token.raw}</span>;
    case "escape":
      return String(token["text"]);
    case "plain":
      return token.raw;
    case "cite":
      return <CitationMark sourceNumber={Number(token["number"])} />;
    default:
      if (token.tokens !== undefined) return <Inline tokens={token.tokens} />;
      return decodeEntities(token.raw);
  }
}

function renderLink(token: Tokens.Link): ReactNode {
  const href = readHref(token);
  if (containsImage(token.tokens)) {
    // A link around an image: the card of the image contains its own link, and links cannot be nested, so the outer
    // link is rendered after the image.
    return (
      <>
        <Inline tokens={token.tokens} />
        <SafeLink href={href} linkText={href}>
          {escapeInvisible(href)}
        </SafeLink>
      </>
    );
  }
  return (
    <SafeLink href={href} linkText={readText(token)}>
      {token.autolink === true ? token.text : <Inline tokens={token.tokens} />}
    </SafeLink>
  );
}

function containsImage(tokens: readonly Tokens.Generic[]): boolean {
  return tokens.some(({ type, tokens: inner }) => type === "image" || (inner !== undefined && containsImage(inner)));
}

/** Returns the URL of a link or image. Entities are decoded, except in a bare URL, where they are part of the URL. */
function readHref(token: Tokens.Generic | Tokens.Link): string {
  const href = String(token["href"] ?? "");
  return token["autolink"] === true ? href : decodeEntities(href);
}

function readText(token: Tokens.Generic | Tokens.Link): string {
  return decodeEntities(String(token["text"] ?? ""));
}

function InlineImage({ href, alt }: { href: string; alt: string }) {
  const dataUrl = parseImageDataUrl(href);
  if (dataUrl !== undefined) return <img src={dataUrl} alt={alt} className={styles["picture"]} />;
  return <RemoteMedia url={href} kind="image" alt={alt} />;
}
