import { memo, Suspense } from "react";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { lazyPart } from "@/app/_ui/on-demand";

const load = () => import("./markdown-view");
const MarkdownView = lazyPart(load, "MarkdownView");

/** Reading more markdown than this would hold up the page. */
export const MAX_MARKDOWN_CHARS = 150_000;

interface ModelTextProps {
  text: string;
  /** Whether the model is still writing the text. */
  growing?: boolean;
}

/** Shows a model's text as markdown; the parser is loaded when the first text is shown. */
export const ModelText = memo(function ModelText({ text, growing = false }: ModelTextProps) {
  if (text.length > MAX_MARKDOWN_CHARS) return <ClippedText text={text} label="Model text" />;
  return (
    <div dir="auto" className="min-w-0 max-w-prose text-base leading-6 [overflow-wrap:anywhere]">
      {/* The reader takes a moment: its space is kept, and no raw markdown is seen. */}
      <Suspense fallback={<div className="invisible whitespace-pre-wrap">{text}</div>}>
        <MarkdownView text={text} growing={growing} />
      </Suspense>
    </div>
  );
});
