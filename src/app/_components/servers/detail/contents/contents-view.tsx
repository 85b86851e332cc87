import { useState } from "react";
import { MarkdownChoice } from "@/app/_components/content/markdown/markdown-choice";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { DataImage } from "@/app/_kit/json-tree/data-image";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { saveFile } from "@/app/_kit/save-file";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { Segmented } from "@/app/_ui/segmented";
import { formatBytes, formatPlural } from "@/lib/format";
import { type ContentPart, decodedBytes, imageUrl, isJsonTree, readContents } from "./resource-contents";

/** Shows the parts of a resource. */
export function ContentsView({ text }: { text: string }) {
  const contents = readContents(text);
  if (contents === null) return <JsonTree text={text} label="Answer" />;
  if (contents.parts.length === 0) return <p className="text-mute">Empty.</p>;
  return (
    <ol className="flex flex-col gap-3">
      {contents.parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
        <li key={at}>
          <PartView part={part} />
        </li>
      ))}
      {contents.left > 0 && (
        <li className="text-mute">{formatPlural(contents.left, "part")} more, in what is copied.</li>
      )}
    </ol>
  );
}

/** One part: text, a tree where it is JSON, a picture, or a file to keep. */
export function PartView({ part }: { part: ContentPart }) {
  const { text, blob, mimeType, uri } = part;
  const json = text !== null && isJsonTree(text);
  const [plain, setPlain] = useState(false);
  const bytes = text !== null ? new TextEncoder().encode(text).length : blob !== null ? decodedBytes(blob) : null;
  return (
    <div className="min-w-0 rounded-lg border border-line">
      <div className="flex min-h-9 flex-wrap items-center gap-2 border-line border-b bg-rail px-3 py-1 text-xs">
        {mimeType !== null && <Badge className="max-w-48 truncate">{mimeType}</Badge>}
        <span className="font-mono text-mute">{formatBytes(bytes)}</span>
        {uri !== null && (
          <span className="min-w-0 flex-1 truncate font-mono text-faint" title={uri}>
            {uri}
          </span>
        )}
        <span className="ml-auto flex items-center gap-1">
          {json && (
            <Segmented
              label="Show as"
              value={plain ? "text" : "tree"}
              options={{ tree: "Tree", text: "Text" }}
              onChange={(value) => setPlain(value === "text")}
            />
          )}
          {text !== null && <CopyButton text={text} label="Copy text" />}
          {blob !== null && <Button onClick={() => keepFile(part)}>Download</Button>}
        </span>
      </div>
      <div className="p-3">
        <PartBody part={part} tree={json && !plain} />
      </div>
    </div>
  );
}

function PartBody({ part, tree }: { part: ContentPart; tree: boolean }) {
  const image = imageUrl(part);
  if (part.text !== null) {
    if (tree) return <JsonTree text={part.text} label="Content" />;
    const plain = <ClippedText text={part.text} label="Content" />;
    return <MarkdownChoice text={part.text} mimeType={part.mimeType} plain={plain} />;
  }
  if (image !== null) return <DataImage url={image} alt={part.uri ?? "Picture from the server"} />;
  if (part.blob !== null) return <p className="text-mute">Binary content. Download it to view it.</p>;
  return <p className="text-mute">This part is empty.</p>;
}

/** Kept as a file of no type of its own, so that no program is chosen by what the server says it is. */
function keepFile({ blob, uri }: ContentPart): void {
  if (blob === null) return;
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.from(atob(blob), (character) => character.charCodeAt(0));
  } catch {
    // The text is not base64: its characters are kept unchanged.
    bytes = new TextEncoder().encode(blob);
  }
  const name = (uri?.split(/[/\\?#]/).findLast((piece) => piece !== "") ?? "resource").slice(-100);
  saveFile(name, new Blob([bytes], { type: "application/octet-stream" }));
}
