// Reads every recording of a folder and asks footprintjs for the life and the forward slice of every key of its log.
// Prints the seconds it took, and how many keys that were.
//
//     node lives.js FOLDER

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { forwardSliceForKey, keysReadFromExecutionTree, keyTimeline } from "footprintjs/trace";

const folder = process.argv[2];
const began = performance.now();
let keys = 0;
for (const name of readdirSync(folder).sort()) {
  const document = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const { commitLog = [], executionTree } = (document.recording ?? document).snapshot ?? document;
  const reads = keysReadFromExecutionTree(executionTree);
  for (const key of new Set(commitLog.flatMap((commit) => commit.trace.map((entry) => entry.path)))) {
    keyTimeline(commitLog, key, reads);
    forwardSliceForKey(commitLog, key, reads);
    keys += 1;
  }
}
console.log((performance.now() - began) / 1000, keys);
