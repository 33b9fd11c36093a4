// Unpacks Chromium and its libraries into the temporary folder. A separate program, because the package writes to
// `os.tmpdir()`.
import { inflate } from "@sparticuz/chromium";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const packed = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../bin");
const archives = ["chromium.br", "fonts.tar.br", "swiftshader.tar.br", "al2023.tar.br"];
await Promise.all(archives.map((name) => inflate(join(packed, name))));
