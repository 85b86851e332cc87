import { useQuery } from "@tanstack/react-query";
import { ContentText } from "@/app/_components/content/content-text";
import { pollMs } from "@/app/_components/executions/summary/use-execution";
import { SamplingRequestView } from "@/app/_components/interactions/summary/sampling-request-view";
import { useLiveEvents } from "@/app/_live/live-provider";
import { trpc } from "@/app/_trpc/client";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { ExecutionDetail } from "@/lib/contract/execution";
import type { SamplingRecord } from "@/lib/contract/sampling";
import { formatCount, formatDuration } from "@/lib/format";

const LOOK: Record<SamplingRecord["outcome"], { tone: BadgeTone; status: string }> = {
  answered: { tone: "ok", status: "succeeded" },
  declined: { tone: "neutral", status: "cancelled" },
  cancelled: { tone: "neutral", status: "cancelled" },
  failed: { tone: "bad", status: "failed" },
};

/** The model responses that a call's server requested and its settings answered. */
export function SamplingSection({ execution }: { execution: Pick<ExecutionDetail, "id" | "status"> }) {
  const { id, status } = execution;
  const { data = [], refetch } = useQuery(
    trpc.sampling.list.queryOptions({ executionId: id }, { refetchInterval: pollMs(status) }),
  );
  useLiveEvents((event) => {
    const concerns =
      event.type === "execution" ? event.execution.id : event.type === "execution_log" ? event.executionId : null;
    if (concerns === id) void refetch();
  });
  if (data.length === 0) return null;
  return (
    <section aria-label="Sampling requests" className="flex min-w-0 flex-col gap-1.5">
      <h2 className="font-medium">Sampling requests</h2>
      <ol className="flex min-w-0 flex-col gap-1.5">
        {data.map((record) => (
          <li key={record.id} data-row>
            <SamplingEntry record={record} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function SamplingEntry({ record }: { record: SamplingRecord }) {
  const { outcome, requestText, responseText, error, stopReason } = record;
  const { tone, status } = LOOK[outcome];
  return (
    <details className="min-w-0 rounded-lg border border-line bg-panel" data-status={status}>
      <summary className="rounded-lg px-2.5 py-1.5 text-xs">
        <span className="inline-flex max-w-[calc(100%-1rem)] flex-wrap items-center gap-x-2 gap-y-0.5 align-middle">
          <Badge tone={tone}>{outcome}</Badge>
          <span className="min-w-0 [overflow-wrap:anywhere]">{describeResponder(record)}</span>
          <span className="text-mute">{formatFigures(record)}</span>
        </span>
      </summary>
      <div className="flex min-w-0 flex-col gap-3 border-line border-t p-2.5">
        {error !== null && <p className="whitespace-pre-wrap text-bad text-xs [overflow-wrap:anywhere]">{error}</p>}
        <SamplingRequestView paramsText={requestText} />
        {responseText !== null && (
          <section aria-label="Response" className="min-w-0">
            <p className="mb-1 font-medium text-xs">
              Response {stopReason !== null && <span className="font-mono font-normal text-mute">{stopReason}</span>}
            </p>
            <ContentText text={responseText} label="Response" />
          </section>
        )}
      </div>
    </details>
  );
}

function describeResponder({ outcome, provider, model }: SamplingRecord): string {
  if (outcome === "declined" || provider === null) return "by the server's settings";
  return `${outcome === "answered" ? "by " : ""}${provider} / ${model}`;
}

function formatFigures({ outcome, inputTokens, outputTokens, durationMs }: SamplingRecord): string {
  if (outcome === "declined") return "";
  const tokens =
    inputTokens === null || outputTokens === null
      ? []
      : [`${formatCount(inputTokens)} tokens in`, `${formatCount(outputTokens)} out`];
  return [...tokens, formatDuration(durationMs)].join(" · ");
}
