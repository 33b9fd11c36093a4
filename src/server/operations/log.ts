// Defines the interface of the logger, which writes one line for each event. API keys, tokens, other credentials and
// message contents are never logged.

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields & { error?: never }, cause?: unknown): void;
}
