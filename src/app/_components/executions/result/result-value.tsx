import { useMemo } from "react";
import { MarkdownChoice } from "@/app/_components/content/markdown/markdown-choice";
import { formatStoredSize } from "@/app/_components/executions/summary/stored-size";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { Alert } from "@/app/_ui/alert";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { FailureView, FiredLimitView } from "./failure-view";

/** Shows the result as a tree, or the reason why there is none. */
export function ResultValue({ execution }: { execution: ExecutionDetail }) {
  const failed = execution.error !== null || execution.errorKind !== null;
  return (
    <div className="flex flex-col gap-3">
      {failed && <FailureView execution={execution} />}
      <TruncatedNotice execution={execution} />
      {execution.resultText !== null && <ResultTree text={execution.resultText} />}
      {execution.resultText === null && !failed && <p className="text-mute">No result.</p>}
      {!failed && execution.limit !== null && <FiredLimitView execution={execution} />}
    </div>
  );
}

/** A result that is one text may be markdown. */
function ResultTree({ text }: { text: string }) {
  const value = useMemo(() => readText(text), [text]);
  const tree = <JsonTree text={text} label="Result" />;
  return value === null ? tree : <MarkdownChoice text={value} plain={tree} />;
}

function readText(json: string): string | null {
  if (!json.startsWith('"')) return null;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "string" ? value : null;
  } catch {
    // The result is stored only in part, so its text is not valid JSON.
    return null;
  }
}

function TruncatedNotice({ execution }: { execution: ExecutionDetail }) {
  if (!execution.resultTruncated) return null;
  return (
    <Alert tone="warn" title="Stored in part">
      {formatStoredSize(execution)}, so it is shown as text. To store more, set “max_stored_bytes” in the tool's
      definition.
    </Alert>
  );
}
