// Run as a program of its own, because what it calls writes to the folder for temporary files: unpacks a browser and the
// libraries that it needs into that folder.
import { inflate } from "@sparticuz/chromium";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const packed = join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "../bin");
const archives = ["chromium.br", "fonts.tar.br", "swiftshader.tar.br", "al2023.tar.br"];
await Promise.all(archives.map((name) => inflate(join(packed, name))));
