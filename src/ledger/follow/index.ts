// Exports the functions that follow a thread, and those that act when its store closes.
export { follow } from "./follow.ts";
export { closeReaders, onStoreClose } from "./wait-for-change.ts";
