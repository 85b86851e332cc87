import { type ReactNode, useMemo, useState } from "react";
import { Segmented } from "@/app/_ui/segmented";
import { MAX_MARKDOWN_CHARS, ModelText } from "./model-text";

/** Marks that plain text rarely has at the start of a line, links, and bold text. */
const MARKS = /^(?:#{1,6} |```|[-*+] |\d+\. |> |\|.+\|$)|\[[^\]\n]+\]\([^)\s]+\)|\*\*[^*\n]+\*\*/m;

/** A long text is checked by its beginning. */
const CHECKED_CHARS = 20_000;

/** Whether a text is worth rendering, and short enough. */
export function canRender(text: string, mimeType: string | null = null): boolean {
  if (text.length > MAX_MARKDOWN_CHARS) return false;
  return isMarkdown(mimeType) || MARKS.test(text.slice(0, CHECKED_CHARS));
}

const isMarkdown = (mimeType: string | null): boolean => /^text\/(?:x-)?markdown\b/.test(mimeType ?? "");

interface MarkdownChoiceProps {
  text: string;
  /** The media type that the author states. */
  mimeType?: string | null;
  /** The text without markdown. */
  plain: ReactNode;
}

/** Text that may be markdown, as it is or rendered; nothing in it is loaded or run. */
export function MarkdownChoice({ text, mimeType = null, plain }: MarkdownChoiceProps) {
  const offered = useMemo(() => canRender(text, mimeType), [text, mimeType]);
  const [shown, setShown] = useState<"text" | "markdown">(isMarkdown(mimeType) ? "markdown" : "text");
  if (!offered) return plain;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Segmented
        label="Show as"
        value={shown}
        options={{ text: "Text", markdown: "Markdown" }}
        onChange={setShown}
        className="self-start"
      />
      {shown === "markdown" ? <ModelText text={text} /> : plain}
    </div>
  );
}
