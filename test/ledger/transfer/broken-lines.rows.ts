// Rows of broken exports: the fault, and the field and line that an import must report.

type Change = (lines: readonly string[]) => string[];

function replaced(line: RegExp, by: (text: string) => string): Change {
  return (lines) => lines.map((each) => (line.test(each) ? by(each) : each));
}

const BLOB = /"kind":"blob"/;
const ANSWER = /"kind":"message".*Four/;
const QUESTION = /"kind":"message".*How many/;
const RUN = /"kind":"run".*"failed"/;
const STATE = /"kind":"state".*failed/;
const END = /"kind":"end"/;
const HEAD = /"kind":"thread"/;
const AGAIN = /"kind":"thread".*Again/;

/** The change that breaks the lines of the example, and the reported field and line. */
export const FAULTS: readonly [sentence: string, change: Change, path: string, line: RegExp][] = [
  ["invalid JSON", replaced(ANSWER, (line) => line.slice(0, -3)), "", ANSWER],
  ["a value that is no object", replaced(ANSWER, () => '["Four"]'), "", /^\["Four"\]$/],
  ["a missing parent", (lines) => lines.filter((line) => !QUESTION.test(line)), "/parentId", /"kind":"message"/],
  [
    "a parent that comes later",
    replaced(QUESTION, (line) => line.replace('"parentId":null', '"parentId":"7ZZZZZZZZZZZZZZZZZZZZZZZZZ"')),
    "/parentId",
    QUESTION,
  ],
  ["an id that is no ULID", replaced(QUESTION, (line) => line.replace(/"id":"\w+"/, '"id":"m-1"')), "/id", QUESTION],
  [
    "an id below the previous one",
    replaced(ANSWER, (line) => line.replace(/"id":"\w+"/, '"id":"00000000000000000000000000"')),
    "/id",
    ANSWER,
  ],
  ["an unknown field", replaced(ANSWER, (line) => line.replace('"role"', '"colour":1,"role"')), "/colour", ANSWER],
  ["a missing field", replaced(ANSWER, (line) => line.replace('"role":"assistant",', "")), "/role", ANSWER],
  ["a message without a body", replaced(ANSWER, (line) => line.replace(/,"body".*/, ',"x":"Four"}')), "/body", ANSWER],
  [
    "a message after the runs",
    (lines) => [
      ...lines.filter((line) => !ANSWER.test(line) && !END.test(line)),
      ...lines.filter((line) => ANSWER.test(line) || END.test(line)),
    ],
    "/kind",
    ANSWER,
  ],
  ["a live run", replaced(RUN, (line) => line.replace('"failed"', '"streaming"')), "/state", /"streaming"/],
  ["an unknown run state", replaced(RUN, (line) => line.replace('"failed"', '"lost"')), "/state", /"lost"/],
  [
    "a run without an end",
    replaced(RUN, (line) => line.replace(/"finishedAt":\d+/, '"finishedAt":null')),
    "/finishedAt",
    RUN,
  ],
  [
    "a state of a missing run",
    replaced(STATE, (line) => line.replace(/"runId":"\w+"/, '"runId":"r"')),
    "/runId",
    STATE,
  ],
  ["bytes of another blob", replaced(BLOB, (line) => line.replace(/sha256-\w/, "sha256-x")), "/hash", BLOB],
  ["bytes that are no base64", replaced(BLOB, (line) => line.replace('"data":"', '"data":"!')), "/data", BLOB],
  [
    "a blob with a missing chunk",
    replaced(BLOB, (line) => line.replace(/"size":\d+/, '"size":99999')),
    "",
    /"kind":"message"/,
  ],
  ["a chunk with a wrong offset", replaced(BLOB, (line) => line.replace('"at":0', '"at":1')), "/at", BLOB],
  [
    "a missing active leaf",
    replaced(HEAD, (line) => line.replace(/"activeLeafId":"\w+"/, '"activeLeafId":"7ZZZZZZZZZZZZZZZZZZZZZZZZZ"')),
    "/activeLeafId",
    HEAD,
  ],
  ["a thread without an id", replaced(HEAD, (line) => line.replace(/"id":"\w+"/, '"id":""')), "/id", HEAD],
  ["another format version", replaced(HEAD, (line) => line.replace('"version":1', '"version":2')), "/version", HEAD],
  ["another format", replaced(HEAD, (line) => line.replace("koine-ledger", "koine-ledge")), "", HEAD],
  ["no head", (lines) => lines.slice(1), "", BLOB],
  ["no end", (lines) => lines.slice(0, -1), "", /"kind":"state".*"cancelled"/],
  [
    "another thread before the end",
    (lines) => [...lines.slice(0, -1), ...lines.slice(0, 1).map((line) => line.replace("Ships", "Again"))],
    "/kind",
    AGAIN,
  ],
  ["a missing message", (lines) => lines.filter((line) => !/"kind":"message".*Six/.test(line)), "/messages", END],
];
