/** The lines of a text that are not empty. */
export const linesOf = (text: string): string[] =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : line.trim()));
