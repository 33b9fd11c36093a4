// Structured logs: one line per event. Never a key, a token, an authorization header or what a conversation says.

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields & { error?: never }, cause?: unknown): void;
}
