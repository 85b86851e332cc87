import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { IdlePanel } from "@/app/_components/executions/result/running-panel";
import { ExecutionBadge } from "@/app/_components/executions/summary/execution-badge";
import { formatExecutionOrigin } from "@/app/_components/executions/summary/execution-origin";
import { RunnerColumn } from "@/app/_components/tools/runner/runner";
import { useToolCall } from "@/app/_components/tools/runner/use-tool-call";
import { SchemaNotes } from "@/app/_components/tools/summary/schema-notes";
import { readObject } from "@/app/_kit/arguments-editor/payload-text";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { pressRow } from "@/app/_kit/row-press";
import { useFirstField, WIDE } from "@/app/_kit/use-first-field";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import { whenServerAnswers } from "@/app/_ui/server-reach";
import { useToast } from "@/app/_ui/toast";
import type { ToolDetail } from "@/lib/contract/catalog-tool";
import type { ExecutionDetail, ExecutionSummary } from "@/lib/contract/execution";
import { formatDuration } from "@/lib/format";
import { ownValue } from "@/lib/schema/value-at";
import { toRecentCalls } from "./recent-calls-query";

const loadResult = () => import("./run-result");
// Loaded together, since most parts of a result are used by results alone.
const RunResult = onDemand(loadResult, "RunResult", { fallback: <IdlePanel /> });
const warmResult = () => void whenServerAnswers().then(loadResult);

interface RunTabProps {
  tool: ToolDetail;
  /** The execution whose arguments the form contains at first. */
  from: ExecutionDetail | null;
}

/** Arguments and result: side by side when wide, one under the other when narrow. */
export function RunTab({ tool, from }: RunTabProps) {
  const [ranHere, setRanHere] = useState<string | null>(null);
  const onExecution = useCallback(({ id }: ExecutionDetail): void => setRanHere(id), []);
  const run = useToolCall(onExecution, from === null ? tool.name : null);
  const [loaded, setLoaded] = useState<ExecutionDetail | null>(null);
  const { execution, running } = run;
  const replay = ({ id, toolName, argumentsText, validationSkipped }: ExecutionDetail): void =>
    run.start({ name: toolName, argumentsText, parentId: id, skipValidation: validationSkipped });
  const result = useRef<HTMLDivElement>(null);
  const fields = useRef<HTMLDivElement>(null);
  useFirstField(fields, WIDE);
  // Outside system: pointer and keys. A user who points at the arguments or types is about to run the tool.
  useEffect(() => {
    const gestures = new AbortController();
    const options = { once: true, signal: gestures.signal };
    fields.current?.addEventListener("pointerenter", warmResult, options);
    fields.current?.addEventListener("keydown", warmResult, options);
    return () => gestures.abort();
  }, []);
  // Outside system: the scroll position, where the result is below the arguments.
  useEffect(() => {
    if (running && window.matchMedia("(max-width: 1023px)").matches) result.current?.scrollIntoView();
  }, [running]);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 overflow-auto max-lg:auto-rows-max lg:grid-cols-[clamp(320px,var(--pane-tool,46.5%),calc(100%-340px))_0_minmax(0,1fr)] lg:overflow-hidden">
      <div ref={fields} className="flex min-h-0 min-w-0 flex-col border-line border-b lg:border-r lg:border-b-0">
        <RunnerColumn
          key={`${tool.definitionHash} ${from?.id ?? ""}`}
          toolName={tool.name}
          definition={tool.definition}
          definitionKey={tool.definitionHash}
          initialText={from?.argumentsText ?? null}
          run={run}
          keepsArguments={from === null}
          loaded={loaded}
          approval={tool.approval}
          notes={<SchemaNotes notes={tool.schemaNotes} className="border-line border-t px-3.5 py-1.5" />}
          unavailable={tool.enabled ? null : "The tool is disabled. Enable it to run it."}
          {...(from === null ? {} : { parentId: from.id })}
        />
      </div>
      <PaneHandle pane="tool" label="Resize the arguments" resizes="before" className="max-lg:hidden" />
      <div ref={result} className="flex min-h-0 min-w-0 flex-col bg-panel lg:overflow-auto">
        {execution === null ? (
          <IdlePanel />
        ) : (
          <RunResult
            execution={execution}
            original={from}
            opensApp={execution.id === ranHere}
            onReplay={() => replay(execution)}
          />
        )}
        <RecentCalls toolName={tool.name} onLoad={setLoaded} />
      </div>
    </div>
  );
}

interface RecentCallsProps {
  toolName: string;
  /** Loads the arguments of a call into the form. */
  onLoad: (call: ExecutionDetail) => void;
}

/** The newest calls of one tool, from anywhere. */
function RecentCalls({ toolName, onLoad }: RecentCallsProps) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const load = (id: string): void => {
    queryClient.fetchQuery(trpc.executions.get.queryOptions({ id })).then(
      // Passes a copy: the same call can be loaded twice.
      (call) => onLoad({ ...call }),
      (error: Error) => toast({ tone: "bad", title: `Couldn't load the arguments: ${error.message}` }),
    );
  };
  const calls = useQuery(trpc.executions.list.queryOptions(toRecentCalls(toolName)));
  useLiveRefresh(calls.refetch, (event) => event.type === "execution" && event.execution.toolName === toolName);
  const items = calls.data?.items ?? [];
  if (items.length === 0) return null;
  const differences = describeDifferences(items);
  return (
    <section aria-label="Recent calls" className="border-line border-t">
      <table className="w-full table-fixed text-xs">
        <thead>
          <tr className="text-left text-faint">
            <th className="w-28 sm:w-36 px-3.5 py-1.5 font-medium">Recent</th>
            <th className="px-2 py-1.5 font-medium">Arguments</th>
            <th className="hidden w-36 px-2 py-1.5 font-medium xl:table-cell">Source</th>
            <th className="w-24 px-3.5 py-1.5 text-right font-medium">Duration</th>
            <td className="w-14" />
          </tr>
        </thead>
        <tbody>
          {items.map((call) => (
            <tr
              key={call.id}
              onClick={pressRow}
              className="group/row cursor-pointer border-line border-t hover:bg-rail"
            >
              <td className="px-3.5 py-1 max-sm:py-2.75">
                <ExecutionBadge execution={call} />
              </td>
              <td className="truncate px-2 py-1 font-mono">
                <button
                  type="button"
                  data-row=""
                  title={`Load these arguments: ${call.argumentsPreview}`}
                  onClick={() => load(call.id)}
                  className="max-w-full truncate rounded-xs text-left align-bottom max-sm:py-2.75 text-mute hover:text-text"
                >
                  {differences.get(call.id)}
                </button>
              </td>
              <td className="hidden truncate px-2 py-1 xl:table-cell">{formatExecutionOrigin(call)}</td>
              <td className="px-3.5 py-1 text-right font-mono tabular-nums">{formatDuration(call.durationMs)}</td>
              <td className="py-1 pr-3.5 pl-2 text-right">
                <Link
                  href={`/executions/${call.id}`}
                  aria-label={`Open execution ${call.id}`}
                  className={cx("rounded-xs text-mute underline hover:text-text max-sm:px-1.5", ROW_CONTROL)}
                >
                  Open
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The arguments in which the calls differ: `location: "Oslo"`. The text as it is where nothing differs, or it is cut. */
function describeDifferences(calls: readonly ExecutionSummary[]): ReadonlyMap<string, string> {
  const read = calls.map(({ argumentsPreview }) => readObject(argumentsPreview));
  const objects = read.filter((each) => each !== null);
  const formatValue = (object: (typeof objects)[number], key: string): string =>
    JSON.stringify(ownValue(object, key)) ?? "omitted";
  const differing = [...new Set(objects.flatMap((object) => Object.keys(object)))].filter(
    (key) => new Set(objects.map((object) => formatValue(object, key))).size > 1,
  );
  return new Map(
    calls.map(({ id, argumentsPreview }, at) => {
      const object = read[at];
      if (!object || differing.length === 0) return [id, argumentsPreview];
      return [id, differing.map((key) => `${key}: ${formatValue(object, key)}`).join(" · ")];
    }),
  );
}
