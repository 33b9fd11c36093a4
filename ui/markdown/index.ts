// Markdown, code, and what lies elsewhere, shown safely.
export { visible } from "./address.ts";
export { CodeBlock, type CodeBlockProps } from "./code-block.tsx";
export { SafeLink } from "./link.tsx";
export { Markdown, type MarkdownProps } from "./markdown.tsx";
export { RemoteMedia, type RemoteMediaProps } from "./remote.tsx";
