import type { CommandIo } from "./command-io";

/** Commands of the version before, by the words that take their place. */
const FORMER: readonly { before: readonly string[]; now: readonly string[] }[] = [
  { before: ["evals", "list"], now: ["suites", "list", "--kind", "evals"] },
  { before: ["evals"], now: ["suites"] },
];

/** The words of a command line as this version knows them. Those of the version before get a notice. */
export function replaceFormerWords(words: readonly string[], io: Pick<CommandIo, "stderr">): readonly string[] {
  const found = FORMER.find(({ before }) => before.every((word, at) => words[at] === word));
  if (found === undefined) return words;
  const { before, now } = found;
  io.stderr.write(`"toolroom ${before.join(" ")}" is now "toolroom ${now.join(" ")}": the next version drops it.\n`);
  return [...now, ...words.slice(before.length)];
}
