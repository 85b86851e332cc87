// How many product files a change touches, by folder.
//   node scripts/count-touched.mjs                 the four samples: an existing sibling of what one would add, and the files that name it
//   node scripts/count-touched.mjs main..my-branch the files of a change (any range that `git diff` takes)
// A file that names the sibling is one that a new one of its kind has to visit; comments and tests do not count.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./project-root.mjs";

const SOURCE = /\.(tsx?|mjs|css)$/;
const TEST = /\.(test|spec|test-support)\.tsx?$/;
const GENERATED = "src/server/platform/db/generated";

/** @param {string} file */
const isProduct = (file) => SOURCE.test(file) && !TEST.test(file) && !file.startsWith(GENERATED);

/** @typedef {{ adds: string, sibling: string, names: RegExp, own?: RegExp, others?: RegExp, aim: number }} Sample */

/** `own` are the files that the new one brings itself, `others` those where the name is a word of HTTP or of another program. @type {readonly Sample[]} */
const SAMPLES = [
  { adds: "a definition key", sibling: "timeout_ms", names: /\btimeout_ms\b/, aim: 3 },
  {
    adds: "a fact of any tool",
    sibling: "deprecation",
    names: /\bdeprecation\b/,
    others: /\/(answer-rest|call-operation)\.ts$/,
    aim: 4,
  },
  // Its rows in tables by kind count as well.
  {
    adds: "a server kind",
    sibling: "openapi",
    names: /"openapi"|\bopenapi: [{A-Z]/,
    own: /openapi/,
    others: /\/open-webui\.ts$/,
    aim: 3,
  },
  {
    adds: "a REST resource",
    sibling: "toolsets",
    names: /\btoolsetOperations\b/,
    aim: 3,
  },
];

const git = (/** @type {string[]} */ ...args) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 1e8 }).split("\n").filter(Boolean);

/** @param {string} text */
const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

/** @param {Sample} sample @param {readonly string[]} files */
function findSiblings({ names, own, others }, files) {
  return files
    .filter((file) => !own?.test(file) && !others?.test(file))
    .filter((file) => names.test(withoutComments(readFileSync(path.join(ROOT, file), "utf8"))));
}

/** @param {readonly string[]} files */
function printByFolder(files) {
  const folders = files.map((file) => path.dirname(file));
  for (const folder of [...new Set(folders)].sort()) {
    const inFolder = files.filter((_, at) => folders[at] === folder);
    console.log(`    ${folder}: ${inFolder.map((file) => path.relative(folder, file)).join(", ")}`);
  }
}

const [range] = process.argv.slice(2);
if (range === undefined) {
  const files = git("ls-files", "src").filter((file) => isProduct(file) && existsSync(path.join(ROOT, file)));
  for (const sample of SAMPLES) {
    const touched = findSiblings(sample, files);
    console.log(`${sample.adds}, like ${sample.sibling}: ${touched.length} files (aim: ${sample.aim})`);
    printByFolder(touched);
  }
} else {
  const touched = git("diff", "--name-only", range, "--", "src", "prisma/seed").filter(isProduct);
  console.log(`${range}: ${touched.length} product files`);
  printByFolder(touched);
}
