// The client: one request type, every provider.
export type { ClientErrorCode, ClientErrorDetails, OutputFault } from "./errors.ts";
export { CLIENT_ERRORS, ClientError, OutputError } from "./errors.ts";
export type { Call, Middleware } from "./middleware/types.ts";
export type { AnySchema, Checked, InferSchema, ReadSchema, SchemaIssue } from "./schema/types.ts";
export type * from "./types.ts";
