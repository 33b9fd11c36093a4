#!/usr/bin/env node
// The program `koine`. It only looks whether this Node is new enough: nothing is imported before that, and the syntax
// is one that old versions can read, so that they get a sentence instead of a stack trace.
/// <reference types="node" />

const NEEDED: readonly [major: number, minor: number] = [22, 19];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(`koine needs Node ${NEEDED.join(".")} or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
} else {
  void import("./program.ts").then(({ runAsProgram }) => runAsProgram());
}
