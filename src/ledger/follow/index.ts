// Reading a thread as it goes on.
export { follow } from "./follow.ts";
export { closeReaders } from "./wait.ts";
