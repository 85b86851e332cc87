const ESC = "\u{1b}";
const BELL = "\u{7}";
/** The 8-bit form of `ESC [`. */
const CSI = "\u{9b}";

/** Escape sequences of terminals: colors and cursor moves, titles and links, character sets. */
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
    `${ESC}[\\]PX^_][^${ESC}${BELL}]*(?:${BELL}|${ESC}\\\\)`,
    `${ESC}[ -/]*[0-Z\\\\^-~]`,
  ].join("|"),
  "g",
);
const LINE_BREAKS = /\r+\n?/g;
/** Control characters except tab and line feed. */
const CONTROLS = /(?![\t\n])\p{Cc}/gu;

/**
 * A text without what is meant for terminals: escape sequences and control characters. Tabs and line breaks stay; a
 * carriage return, which overwrites the line on a terminal, begins a new one.
 */
export function stripControlCharacters(text: string): string {
  // Most texts contain none, and are returned unchanged.
  if (text.search(CONTROLS) < 0) return text;
  return text.replace(SEQUENCES, "").replace(LINE_BREAKS, "\n").replace(CONTROLS, "");
}
