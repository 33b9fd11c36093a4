// Exports the components that other folders use: the body and the metadata line of a message.
export { MessageBody } from "./message-body.tsx";
export { MessageMeta } from "./message-meta.tsx";
export { describeProvider } from "./message-labels.ts";
