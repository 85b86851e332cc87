export interface CommandLine {
  /** `NAME=value` words before the program, as shells take them. */
  env: { name: string; value: string }[];
  command: string;
  args: string[];
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=([\s\S]*)$/;

/**
 * The words of a command line, quotes respected. A backslash escapes a quote, white space or a line's end and is itself
 * everywhere else, so that Windows paths survive. Null where a quote is not closed or there is no program.
 */
export function splitCommandLine(text: string): CommandLine | null {
  const words = splitWords(text);
  if (words === null) return null;
  const env: CommandLine["env"] = [];
  let at = 0;
  for (; at < words.length; at += 1) {
    const [, name, value] = ASSIGNMENT.exec(words[at] ?? "") ?? [];
    if (name === undefined || value === undefined) break;
    env.push({ name, value });
  }
  const command = words[at];
  return command === undefined ? null : { env, command, args: words.slice(at + 1) };
}

const PIECE = /'([^']*)'|"((?:\\[\s\S]|[^"\\])*)"|\\(\r?\n)|\\([\s'"])|(\s+)|(['"])|([\s\S])/g;

/** Null where a quote is not closed. */
export function splitWords(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  for (const match of text.matchAll(PIECE)) {
    const [, single, double, lineEnd, escaped, space, openQuote, plain] = match;
    if (openQuote !== undefined) return null;
    if (lineEnd !== undefined || space !== undefined) {
      if (word !== null && space !== undefined) {
        words.push(word);
        word = null;
      }
      continue;
    }
    word = (word ?? "") + (single ?? double?.replace(/\\(["\\])/g, "$1") ?? escaped ?? plain ?? "");
  }
  if (word !== null) words.push(word);
  return words;
}
