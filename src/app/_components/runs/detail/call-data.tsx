import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { JsonText } from "@/app/_ui/json-text";
import { formatNode } from "@/lib/json-diff/format-node";
import { parseJsonNode } from "@/lib/json-diff/json-node";

/** Below this a value is seen whole: a tree to fold would be larger than what it holds. */
const SMALL_CHARS = 500;

/** A call's arguments or its result: small ones as they are, large ones to fold and search through. */
export function CallData({ text, label }: { text: string; label: string }) {
  if (text.length > SMALL_CHARS) {
    return (
      <div className="max-h-96 overflow-auto rounded-md border border-line bg-bg p-2">
        <JsonTree text={text} label={label} />
      </div>
    );
  }
  const node = parseJsonNode(text);
  return (
    <JsonText
      wrap
      text={node === null ? text : formatNode(node)}
      label={label}
      className="max-h-96 rounded-md border border-line bg-bg px-2 py-1.5"
    />
  );
}
