// What a message looks like.
export { MessageBody } from "./message-body.tsx";
export { MessageMeta } from "./message-meta.tsx";
export { providerWords } from "./words.ts";
