import { useState } from "react";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { formatCount } from "@/lib/format";
import { ContentBlockView } from "./content-block";
import type { ToolAnswer } from "./result-content";

/** Blocks put on the page at once. */
const STEP = 50;

interface ContentViewProps {
  answer: ToolAnswer;
  /** Shows texts character by character: not folded, and neither as a tree nor as markdown. */
  verbatim?: boolean;
}

/** Shows the answer of an MCP tool, block by block, then its structured content. */
export function ContentView({ answer: { blocks, structuredText }, verbatim = false }: ContentViewProps) {
  const [limit, setLimit] = useState(STEP);
  const rest = blocks.length - limit;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {blocks.length === 0 && structuredText === null && <p className="text-mute">The response has no content.</p>}
      {blocks.length > 0 && (
        <ol aria-label="Content blocks" className="flex min-w-0 flex-col gap-3">
          {blocks.slice(0, limit).map((block, index) => (
            <li key={block.key} data-row="" className="min-w-0">
              <ContentBlockView block={block} name={`Block ${index + 1}`} verbatim={verbatim} />
            </li>
          ))}
        </ol>
      )}
      {rest > 0 && (
        <Button onClick={() => setLimit(limit + STEP)} className="self-start">
          Show more ({formatCount(rest)} blocks left)
        </Button>
      )}
      {structuredText !== null && (
        <section aria-label="Structured content" className="rounded-lg border border-line bg-bg">
          <div className="flex min-h-7 items-center border-line border-b px-2.5 text-mute text-xs">
            <p className="font-medium">Structured content</p>
            <CopyButton text={structuredText} label="Copy structured content" className="ml-auto" />
          </div>
          <div className="p-2.5">
            <JsonTree text={structuredText} label="Structured content" />
          </div>
        </section>
      )}
    </div>
  );
}
