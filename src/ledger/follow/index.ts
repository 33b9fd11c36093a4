// Reading a thread as it goes on.
export { follow } from "./follow.ts";
export { closeReaders, whenClosed } from "./wait.ts";
