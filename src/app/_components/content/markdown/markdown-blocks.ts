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

/** A link or a picture whose end is missing: `[text`, `[text](addr`. */
const OPEN_LINK = /!?\[([^\]\n]{0,500})(?:\](?:\([^)\n]{0,2000})?)?$/;

/**
 * The last block of a growing text with emphasis and code closed, and half a link as its text: marks whose end has not
 * come yet would be shown raw.
 */
export function closeMarkdown(block: string): string {
  const fences = block.split("\n").filter((line) => FENCE.test(line)).length;
  if (fences % 2 === 1) return block;
  const open: string[] = [];
  const text = block.replace(OPEN_LINK, "$1");
  for (const { 0: mark, index } of text.matchAll(/\\.|\*{1,3}|~~|`+/g)) {
    const top = open.at(-1);
    const isCode = top?.startsWith("`") === true;
    if (mark.startsWith("\\") || (isCode && mark !== top)) continue;
    const after = text[index + mark.length];
    if (mark === top) open.pop();
    else if (after === undefined) return text.slice(0, index) + open.reverse().join("");
    else if (/\S/.test(after)) open.push(mark);
  }
  return text + open.reverse().join("");
}
