// Exports the conversion of deltas to messages and back, and the rules of a delta sequence.
export type { Snapshot } from "./answer-fields.ts";
export type { AssembledRun } from "./assemble.ts";
export { assemble, assembleRun, checkDeltas, RunAssembler } from "./assemble.ts";
export { Assembler } from "./assembler.ts";
export { disassemble } from "./disassemble.ts";
export { parsePartialJson } from "./partial-json.ts";
export type { PartialAnswer, Rule, Violation } from "./rules.ts";
export { AssemblyError, RULES } from "./rules.ts";
export type { Clock } from "./stamp.ts";
export { stampDeltas } from "./stamp.ts";
