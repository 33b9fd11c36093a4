// Tests the mapping of SQLite's codes to ledger errors, with SQLite's error as the cause.
import { expect, test } from "vitest";
import { LedgerError } from "../../../../src/ledger/errors.ts";
import { isBusy, toLedgerError } from "../../../../src/ledger/stores/sqlite/errors.ts";
import { retryWhileBusy } from "../../../../src/ledger/stores/sqlite/busy-retry.ts";

function sqliteError(errcode: number): Error {
  return Object.assign(new Error("the message of SQLite"), { code: "ERR_SQLITE_ERROR", errcode });
}

const codes: [name: string, errcode: number, code: string][] = [
  ["SQLITE_BUSY", 5, "busy"],
  ["SQLITE_BUSY_RECOVERY", 261, "busy"],
  ["SQLITE_BUSY_SNAPSHOT", 517, "busy"],
  ["SQLITE_LOCKED", 6, "busy"],
  ["SQLITE_PROTOCOL", 15, "busy"],
  ["SQLITE_READONLY", 8, "read-only"],
  ["SQLITE_READONLY_DBMOVED", 1032, "read-only"],
  ["SQLITE_IOERR", 10, "unavailable"],
  ["SQLITE_IOERR_FSYNC", 1034, "unavailable"],
  ["SQLITE_IOERR_SHMSIZE", 4874, "disk-full"],
  ["SQLITE_CORRUPT", 11, "corrupt"],
  ["SQLITE_CORRUPT_VTAB", 267, "corrupt"],
  ["SQLITE_NOTADB", 26, "corrupt"],
  ["SQLITE_FULL", 13, "disk-full"],
  ["SQLITE_CANTOPEN", 14, "unavailable"],
  ["SQLITE_TOOBIG", 18, "invalid-input"],
  ["SQLITE_CONSTRAINT_PRIMARYKEY", 1555, "conflict"],
  ["SQLITE_CONSTRAINT_UNIQUE", 2067, "conflict"],
];
test.each(codes)("%s (%i) is %s", (_, errcode, code) => {
  const cause = sqliteError(errcode);
  const error = toLedgerError(cause, "some.db");
  expect(error).toBeInstanceOf(LedgerError);
  expect(error).toMatchObject({ code, cause, message: expect.stringContaining("some.db") });
  expect(isBusy(error)).toBe(code === "busy");
});

test.each([
  ["a mistake in a statement", sqliteError(1)],
  ["a value that a column does not take", sqliteError(1299)],
  ["an error that is not SQLite's", new TypeError("no")],
  ["a value that is not an error", "text"],
])("%s is not changed", (_, error) => {
  expect(toLedgerError(error, "some.db")).toBe(error);
});

test("busy errors are retried up to a limit; other errors are not", async () => {
  const busy = toLedgerError(sqliteError(5), "some.db");
  let attempts = 0;
  const fail = (error: unknown, times: number) => (): number => {
    if (++attempts <= times) throw error;
    return attempts;
  };
  expect(await retryWhileBusy(10_000, fail(busy, 3))).toBe(4);
  await expect(retryWhileBusy(0, fail(busy, Infinity))).rejects.toMatchObject({ code: "busy", cause: busy });
  attempts = 0;
  await expect(retryWhileBusy(10_000, fail(sqliteError(1), Infinity))).rejects.toThrow("the message of SQLite");
  expect(attempts).toBe(1);
});
