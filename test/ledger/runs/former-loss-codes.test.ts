// Stored losses whose codes were renamed. The fixture is a SQLite file that was written before the rename.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { dialect, dialects } from "../../../src/dialects/registry.ts";
import { openLedger } from "../../../src/ledger/index.ts";
import type { Loss } from "../../../src/model/index.ts";
import { RENAMED_LOSS_CODES, renameLossCodes } from "../../../src/model/renamed-loss-codes.ts";

const folder = mkdtempSync(join(tmpdir(), "koine-former-loss-codes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function readCodes(holder: unknown): string[] {
  return (holder as { losses: Loss[] }).losses.map(({ code }) => code);
}

test("runs of a file with former loss codes are read with the current ones", async () => {
  const path = join(folder, "ledger.sqlite");
  writeFileSync(path, gunzipSync(readFileSync(new URL("../fixtures/former-loss-codes.sqlite.gz", import.meta.url))));
  const ledger = await openLedger(`sqlite:${path}`, { tenant: "t" });
  const [run] = await ledger.runs("thread-1");
  const { attempts } = (run?.metadata ?? {}) as { attempts: unknown[] };
  const current = [
    "metadata-dropped",
    "residue-not-portable",
    "metadata-dropped",
    "field-unsupported",
    "seal-not-portable",
    "opaque-not-portable",
  ];
  expect(readCodes(run?.metadata)).toStrictEqual(current);
  expect(readCodes(attempts[0])).toStrictEqual(current);
  await ledger.close();
});

test("no dialect declares a former loss code", () => {
  const declared = new Set(dialects.flatMap((id) => Object.keys(dialect(id).losses)));
  expect(Object.keys(RENAMED_LOSS_CODES).filter((code) => declared.has(code))).toStrictEqual([]);
});

test("attempts with the former field `begun` are read with `mayBeBilled`", () => {
  const metadata = { attempts: [{ provider: "p", begun: true }, { provider: "q" }] };
  renameLossCodes(metadata);
  expect(metadata.attempts).toStrictEqual([{ provider: "p", mayBeBilled: true }, { provider: "q" }]);
});
