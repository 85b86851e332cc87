import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { Alert } from "@/app/_ui/alert";
import { CopyButton } from "@/app/_ui/copy-button";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { formatBytes, formatCount, formatPlural } from "@/lib/format";

export interface ModelViewPanelProps {
  execution: ExecutionDetail;
  /** Pictures, sounds and files of the answer, for which the text only has a note. */
  binaryBlocks?: number;
}

/** What the model receives for this call, and how much of the result that is. */
export function ModelViewPanel({ execution, binaryBlocks = 0 }: ModelViewPanelProps) {
  const view = execution.modelView;
  if (!view) return <p className="text-mute">The model receives a result when the call ends.</p>;
  return (
    <div className="flex flex-col gap-3">
      {view.lens !== undefined && (
        <p className="text-mute text-xs">
          Reduced by a lens: <code className="[overflow-wrap:anywhere]">{view.lens}</code>
        </p>
      )}
      {execution.lens?.fault != null && (
        <Alert tone="warn" title="The lens failed: the caller got the whole result">
          {execution.lens.fault}: <code className="[overflow-wrap:anywhere]">{execution.lens.expression}</code>
        </Alert>
      )}
      {view.truncated ? (
        <Alert tone="warn" title="Cut for models">
          {formatCount(view.sentChars)} of {formatCount(view.totalChars)} characters are sent,{" "}
          {formatCount(view.totalChars - view.sentChars)} left out. The limit is {formatCount(view.maxChars)}{" "}
          characters; “max_model_chars” in the tool's definition changes it.
        </Alert>
      ) : (
        <p className="text-mute text-xs">
          {binaryBlocks > 0 ? "Text sent whole: " : "Sent whole: "}
          {formatCount(view.totalChars)} of at most {formatCount(view.maxChars)} characters.
        </p>
      )}
      {binaryBlocks > 0 && (
        <p className="text-mute text-xs">
          {formatPlural(binaryBlocks, "block")} of the answer {binaryBlocks === 1 ? "is" : "are"} binary content: a
          model that can't read it gets the note in {binaryBlocks === 1 ? "its" : "their"} place.
        </p>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-xs">
        <dt className="text-mute">Sent to a model</dt>
        <dd className="font-mono">
          {formatCount(view.sentChars)} of {formatCount(view.totalChars)} characters
        </dd>
        <dt className="text-mute">Stored</dt>
        <dd className="font-mono">
          {formatBytes(execution.storedBytes)} of {formatBytes(execution.resultBytes)}
        </dd>
      </dl>
      <div className="flex items-start gap-2 rounded-lg border border-line bg-bg p-2.5">
        <div className="min-w-0 flex-1">
          <ClippedText text={view.text} label="What the model receives" />
        </div>
        <CopyButton text={view.text} label="Copy what the model receives" />
      </div>
    </div>
  );
}
