// The minimum work of a conversion of JSON lines: read, split, parse, stringify and write, without losses and without
// exact digits of numbers.
import { closeSync, openSync, readSync, writeSync } from "node:fs";

const [, , input = "", output = ""] = process.argv;
const [from, to] = [openSync(input, "r"), openSync(output, "w")];
const chunk = Buffer.allocUnsafeSlow(1 << 20);
let rest = "";
for (let length = readSync(from, chunk); length > 0; length = readSync(from, chunk)) {
  // A character that is split between two reads changes a text, but not the measurement.
  const lines = (rest + chunk.toString("utf8", 0, length)).split("\n");
  rest = lines.pop() ?? "";
  writeSync(to, lines.map((line) => `${JSON.stringify(JSON.parse(line))}\n`).join(""));
}
closeSync(from);
closeSync(to);
