#!/usr/bin/env node
// Starts the program `koine`. Checks the Node version before any other module is imported. This file uses only syntax
// that old versions of Node can parse, so that they print a clear message instead of a stack trace.
/// <reference types="node" />

const REQUIRED_NODE_VERSION: readonly [major: number, minor: number] = [22, 19];

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < REQUIRED_NODE_VERSION[0] || (major === REQUIRED_NODE_VERSION[0] && minor < REQUIRED_NODE_VERSION[1])) {
  process.stderr.write(
    `koine needs Node ${REQUIRED_NODE_VERSION.join(".")} or newer; this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
} else {
  void import("./program.ts").then(({ runAsProgram }) => runAsProgram());
}
