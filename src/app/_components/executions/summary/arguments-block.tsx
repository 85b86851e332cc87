import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { CopyButton } from "@/app/_ui/copy-button";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatBytes } from "@/lib/format";
import { utf8Bytes } from "@/lib/utf8-bytes";

interface ArgumentsBlockProps {
  execution: Pick<ExecutionDetail, "argumentsText" | "validationSkipped">;
  label?: string;
}

/** Shows the arguments of the call as they were sent. */
export function ArgumentsBlock({ execution, label = "Arguments" }: ArgumentsBlockProps) {
  const { argumentsText, validationSkipped } = execution;
  return (
    <section aria-label={label} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-center gap-2">
        <h2 className="font-medium">{label}</h2>
        <span className="font-mono text-mute text-xs">{formatBytes(utf8Bytes(argumentsText))}</span>
        <CopyButton text={argumentsText} label="Copy arguments" className="ml-auto" />
      </div>
      {validationSkipped && <p className="text-warn text-xs">Ran without validation.</p>}
      <div className="rounded-lg border border-line bg-bg p-2.5">
        <JsonTree text={argumentsText} label={label} />
      </div>
    </section>
  );
}
