// `npm run docs`: writes the lists of routes and commands into their documents. The lists come from what answers requests.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { BLOCKS, replaceBlock } from "./describe-doors";
import { ROOT } from "./project-root.mjs";

for (const [file, { name, write }] of Object.entries(BLOCKS)) {
  const document = path.join(ROOT, file);
  writeFileSync(document, replaceBlock(readFileSync(document, "utf8"), name, write()));
}
