// Exports `follow`, and the functions that stop readers and call callbacks before a store closes.
export { follow } from "./follow.ts";
export { closeReaders, onStoreClose } from "./wait-for-change.ts";
