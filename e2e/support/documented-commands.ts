import { readFileSync } from "node:fs";
import path from "node:path";

/** The command lines in a document's bash blocks, without their comments, in order. @param file from the project's root */
export function readCommands(file: string): string[] {
  const text = readFileSync(path.resolve(import.meta.dirname, "../..", file), "utf8");
  return [...text.matchAll(/^```bash\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");
}
