/** Quotes any text as a string of PowerShell. Its parser treats typographic single quotes like plain ones. */
export const quoteForPowerShell = (text: string): string => `'${text.replace(/['\u2018-\u201b]/g, "$&$&")}'`;

/** Words that PowerShell takes as they are: it splits `-a.b` and `-a:b`, and reads signs such as `@`, `,` and `$`. */
const PLAIN_WORD = /^(?:[A-Za-z][\w./:+=-]*|--?[A-Za-z][A-Za-z-]*)$/;
const PLAIN_PROGRAM = /^[A-Za-z][\w.-]*$/;

/** Windows PowerShell 5.1 leaves out empty words, and adds no backslashes to quotes and to a backslash before a quote. */
const isFragile = (word: string): boolean => word === "" || /"|[\s\u0085][\s\S]*\\$/.test(word);

/**
 * A line that starts a program with exactly these words, in Windows PowerShell 5.1 and in PowerShell 7. Words that 5.1
 * would change are written as programs of Windows read them, and a setting makes 7 pass them on as 5.1 does.
 * @param input an expression whose value the program reads
 */
export function toPowerShellLine(program: string, words: readonly string[], input: string | null = null): string {
  const start = PLAIN_PROGRAM.test(program) ? program : `& ${quoteForPowerShell(program)}`;
  const isLegacy = words.some(isFragile);
  const toWord = (word: string): string => {
    if (isLegacy && /[\s\u0085"]|^$/.test(word)) return quoteForPowerShell(escapeForWindows(word));
    return PLAIN_WORD.test(word) ? word : quoteForPowerShell(word);
  };
  const command = [start, ...words.map(toWord)].join(" ");
  // A script block would not pass its own input on.
  const line = input === null ? command : `${input} | ${command}`;
  return isLegacy ? `& { $PSNativeCommandArgumentPassing = 'Legacy'; ${line} }` : line;
}

/** Quotes one word of a Windows command line. */
const escapeForWindows = (word: string): string => `"${word.replace(/(\\*)("|$)/g, "$1$1$2").replaceAll('"', '\\"')}"`;

/** JSON with the same meaning in ASCII: Windows PowerShell sends nothing else to a program's input. */
export const toAsciiJson = (json: string): string =>
  json.replace(/[^\t\n\r -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
