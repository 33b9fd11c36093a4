// Follows threads: replay and live events.
export { follow } from "./follow.ts";
export { closeReaders, onStoreClose } from "./wait-for-change.ts";
