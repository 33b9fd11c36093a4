// The root import: the model, server-sent events, assembly and every dialect. Browser-safe; nothing here touches a
// clock, a network or a disk.
export * from "./assembly/index.ts";
export * from "./dialects/index.ts";
export * from "./model/index.ts";
export * from "./sse/index.ts";
