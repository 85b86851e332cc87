import { readFileSync } from "node:fs";
import path from "node:path";

const readDocument = (file: string): string => readFileSync(path.resolve(import.meta.dirname, "../..", file), "utf8");

/** The texts of a document's blocks in a language, none for blocks without one. @param file from the project's root */
export const readBlocks = (file: string, language: string): string[] =>
  [...readDocument(file).matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
    .filter(([, name]) => name === language)
    .map(([, , block = ""]) => block);

/** The command lines in a document's bash blocks, without their comments, in order. @param file from the project's root */
export function readCommands(file: string): string[] {
  return readBlocks(file, "bash")
    .flatMap((block) => block.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");
}
