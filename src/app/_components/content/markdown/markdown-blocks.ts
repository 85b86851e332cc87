const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Cuts markdown after blank lines outside code fences, so that only the last block of a growing text is parsed again.
 * Joined with line breaks the pieces are the text. References do not reach from one to another: a finished text is read whole.
 */
export function splitMarkdown(text: string): string[] {
  const blocks: string[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const afterGap = fence === null && lines.at(-1)?.trim() === "";
    // An indented line continues the list above the gap.
    if (afterGap && /^\S/.test(line)) {
      blocks.push(lines.join("\n"));
      lines = [];
    }
    lines.push(line);
    const mark = FENCE.exec(line)?.[1];
    if (mark === undefined) continue;
    if (fence === null) fence = mark;
    else if (mark[0] === fence[0] && mark.length >= fence.length) fence = null;
  }
  blocks.push(lines.join("\n"));
  return blocks;
}
