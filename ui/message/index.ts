// What a message looks like.
export { MessageBody, type MessageBodyProps } from "./message-body.tsx";
export { MessageMeta, type MessageMetaProps } from "./message-meta.tsx";
