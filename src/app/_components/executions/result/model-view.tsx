import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { Alert } from "@/app/_ui/alert";
import { CopyButton } from "@/app/_ui/copy-button";
import { FactList } from "@/app/_ui/fact-list";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { ExecutionDetail, LogLine } from "@/lib/contract/execution";
import { formatBytes, formatCount, formatDuration, formatPlural } from "@/lib/format";

export interface ModelViewPanelProps {
  execution: ExecutionDetail;
  /** Pictures, sounds and files of the answer, for which the text only has a note. */
  binaryBlocks?: number;
}

/** Shows what the model receives for this call, and how much of the result that is. */
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
      <FactList
        className="gap-y-0.5! text-xs"
        facts={[
          ["Sent to a model", `${formatCount(view.sentChars)} of ${formatCount(view.totalChars)} characters`],
          ["Stored", `${formatBytes(execution.storedBytes)} of ${formatBytes(execution.resultBytes)}`],
        ]}
      />
      <div className="flex items-start gap-2 rounded-lg border border-line bg-bg p-2.5">
        <div className="min-w-0 flex-1">
          <ClippedText text={view.text} label="What the model receives" />
        </div>
        <CopyButton text={view.text} label="Copy what the model receives" />
      </div>
    </div>
  );
}

const LEVEL_COLOURS: Record<LogLine["level"], string> = {
  debug: "text-faint",
  info: "text-mute",
  warn: "text-warn",
  error: "text-bad",
};

interface LogViewProps {
  lines: readonly LogLine[];
  running: boolean;
}

/** Shows the tool's log lines with the time since the start. */
export function LogView({ lines, running }: LogViewProps) {
  if (lines.length === 0) {
    return <p className="text-mute">{running ? "No log output yet." : "No log output."}</p>;
  }
  return (
    <div className="flex flex-col gap-2">
      <ScrollRegion label="Log lines">
        <div role="log" aria-label="Log">
          <ol className="font-mono text-xs leading-5">
            {keyed(lines).map(({ key, line }) => (
              <li key={key} className="flex gap-3">
                <span className="w-16 shrink-0 text-right text-faint tabular-nums">{formatDuration(line.atMs)}</span>
                <span className={`w-10 shrink-0 ${LEVEL_COLOURS[line.level]}`}>{line.level}</span>
                <span dir="auto" className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
                  {line.message}
                </span>
              </li>
            ))}
          </ol>
        </div>
      </ScrollRegion>
      {running && <p className="text-mute text-xs">Earlier lines appear when the call ends.</p>}
    </div>
  );
}

/** Lines may repeat: the key of a repeated line includes its occurrence. */
function keyed(lines: readonly LogLine[]): { key: string; line: LogLine }[] {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    const name = `${line.atMs} ${line.level} ${line.message}`;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return { key: `${count} ${name}`, line };
  });
}
