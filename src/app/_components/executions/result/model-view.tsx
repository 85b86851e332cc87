import { readBlock, type ToolAnswer } from "@/app/_components/content/result-content";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { Alert } from "@/app/_ui/alert";
import { CopyButton } from "@/app/_ui/copy-button";
import { FactList } from "@/app/_ui/fact-list";
import { onDemand } from "@/app/_ui/on-demand";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { ExecutionDetail, LogLine, ModelView } from "@/lib/contract/execution";
import { formatBytes, formatCount, formatDuration, formatPlural } from "@/lib/format";

// Most results are plain JSON; pictures, sounds and resources come with what shows them.
export const ContentView = onDemand(() => import("@/app/_components/content/content-view"), "ContentView", {
  onServer: true,
});

interface ModelViewPanelProps {
  execution: ExecutionDetail;
  /** The result as the answer of an MCP tool; null where it is not one. */
  answer: ToolAnswer | null;
}

/** Shows what the model receives for this call: the blocks that an MCP client got, or the text, and how much of the result that is. */
export function ModelViewPanel({ execution, answer }: ModelViewPanelProps) {
  const view = execution.modelView;
  if (!view) return <p className="text-mute">The model receives a result when the call ends.</p>;
  const sent = view.maxChars === null ? toClientAnswer(execution, view, answer) : null;
  const binaryBlocks = sent === null ? countBinary(answer) : 0;
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
      {view.maxChars === null && <p className="text-mute text-xs">{describeClient(execution)}</p>}
      {view.maxChars !== null && view.truncated && (
        <Alert tone="warn" title="Cut for models">
          {formatCount(view.totalChars - view.sentChars)} characters are left out. The limit is{" "}
          {formatCount(view.maxChars)} characters; “max_model_chars” in the tool's definition changes it.
        </Alert>
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
          [
            sent === null ? "Sent to a model" : "Text",
            `${formatCount(view.sentChars)} of ${formatCount(view.totalChars)} characters`,
          ],
          ["Stored", `${formatBytes(execution.storedBytes)} of ${formatBytes(execution.resultBytes)}`],
        ]}
      />
      {sent !== null ? (
        <ContentView answer={sent} verbatim />
      ) : (
        <div className="flex items-start gap-2 rounded-lg border border-line bg-bg p-2.5">
          <div className="min-w-0 flex-1">
            <ClippedText text={view.text} label="What the model receives" />
          </div>
          <CopyButton text={view.text} label="Copy what the model receives" />
        </div>
      )}
    </div>
  );
}

function describeClient({ error, lens, resultTruncated, received }: ExecutionDetail): string {
  if (resultTruncated) return "The client received the result whole; a part of it is stored.";
  if (error !== null) return "The client received this as an error.";
  if (received !== null) return "The client received these blocks, redacted by rules.";
  // The row does not store whether the client's list had the tool “read_result”.
  if (lens?.fault === null)
    return "The client received these blocks, and a note on “read_result” where it has that tool.";
  return "The client received these blocks, nothing left out.";
}

function countBinary(answer: ToolAnswer | null): number {
  return answer?.blocks.filter(({ kind }) => kind === "media" || kind === "resource_media").length ?? 0;
}

/** Results that the gateway passes on unchanged. */
const PASSED_ON: ReadonlySet<string | null> = new Set(["mcp", "resource", "prompt"]);

/** The blocks that the gateway sent; null where they are not stored whole. */
function toClientAnswer(execution: ExecutionDetail, view: ModelView, answer: ToolAnswer | null): ToolAnswer | null {
  const { error, resultText, definition } = execution;
  if (execution.resultTruncated) return null;
  const passed = PASSED_ON.has(execution.implementationType) ? answer : null;
  const isReduced = view.lens !== undefined;
  if (passed !== null && !isReduced) return passed;
  const promised = passed === null ? error === null && definition?.outputSchema !== undefined : passed.structuredText;
  const structured = isReduced ? view.text : resultText;
  const others = passed?.blocks.filter(({ kind }) => kind !== "text") ?? [];
  return {
    blocks: [readBlock({ type: "text", text: view.text }, "text"), ...others],
    structuredText: promised && structured?.startsWith("{") ? structured : null,
  };
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
  /** Whether lines before these could not be read yet. */
  isIncomplete: boolean;
}

/** Shows the tool's log lines with the time since the start. */
export function LogView({ lines, running, isIncomplete }: LogViewProps) {
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
      {isIncomplete && <p className="text-mute text-xs">Earlier lines appear when the call ends.</p>}
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
