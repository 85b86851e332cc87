import { useMemo, useState } from "react";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { Button } from "@/app/_ui/button";
import { formatCount } from "@/lib/format";
import { MarkdownChoice } from "./markdown/markdown-choice";
import { looksLikeJson } from "./result-content";

const FOLDED_LINES = 30;
const FOLDED_CHARS = 4_000;

interface ContentTextProps {
  text: string;
  label: string;
  mimeType?: string | null;
}

/** Text as it came: line breaks and spaces kept, long text folded, JSON as a tree, markdown rendered if asked for. */
export function ContentText({ text, label, mimeType = null }: ContentTextProps) {
  const json = useMemo(() => looksLikeJson(text), [text]);
  if (text === "") return <p className="text-mute text-xs">Empty text</p>;
  if (json) return <JsonTree text={text} label={label} />;
  return <MarkdownChoice text={text} mimeType={mimeType} plain={<FoldedText text={text} label={label} />} />;
}

function FoldedText({ text, label }: { text: string; label: string }) {
  const [whole, setWhole] = useState(false);
  const head = whole ? text : cutHead(text);
  const folded = head.length < text.length;
  return (
    <div className="flex flex-col items-start gap-2">
      <ClippedText text={head} label={label} />
      {folded && <Button onClick={() => setWhole(true)}>Show all ({formatCount(text.length)} characters)</Button>}
      {whole && cutHead(text).length < text.length && <Button onClick={() => setWhole(false)}>Show less</Button>}
    </div>
  );
}

function cutHead(text: string): string {
  let end = -1;
  for (let line = 0; line < FOLDED_LINES; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) return text.slice(0, FOLDED_CHARS);
  }
  return text.slice(0, Math.min(end, FOLDED_CHARS));
}
