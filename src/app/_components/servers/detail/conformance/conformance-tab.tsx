import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import { CancelButton } from "@/app/_kit/cancel-button";
import { QueryState } from "@/app/_kit/query-state";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { NativeSelect } from "@/app/_ui/field";
import { PageBody } from "@/app/_ui/page-body";
import { useTimeZone } from "@/app/_ui/time-zone";
import type { ConformanceRun, ConformanceSuite } from "@/lib/contract/conformance";
import { CONFORMANCE_PARTS, type ConformanceParts } from "@/lib/contract/conformance-outcome";
import type { ServerDetail } from "@/lib/contract/server";
import { formatClockTime, formatDate } from "@/lib/format";
import { describeReach, describeRun, explainUntestable, PARTS_WORDS } from "./conformance-words";
import { RunResult } from "./run-result";

const POLL_MS = 1_000;

/** Tests of the server from outside: the newest run or a chosen one, and how to start one. */
export function ConformanceTab({ server }: { server: ServerDetail }) {
  const { name } = server;
  const { data: runs } = useSuspenseQuery(trpc.conformance.list.queryOptions({ name }));
  const [chosen, setChosen] = useQueryState("run", parseAsString);
  const refresh = useInvalidate(trpc.conformance.list, trpc.conformance.get);
  useLiveRefresh(refresh, (event) => event.type === "servers" && event.server === name);
  const shown = runs.find(({ id }) => id === chosen) ?? runs[0];
  const running = runs.find(({ status }) => status === "running");
  return (
    <PageBody scrolls>
      <Card label="Conformance" title="Test this server" about={describeReach(server)}>
        <StartRun server={server} running={running} onStarted={() => void setChosen(null)} />
      </Card>
      {shown === undefined ? (
        <EmptyState heading="h2" title="No runs yet">
          Checks of transport, JSON-RPC and sign-in, and the scenarios of the official MCP suite that fit this server.
          None of its own tools is called.
        </EmptyState>
      ) : (
        <>
          {runs.length > 1 && <ChooseRun runs={runs} shown={shown.id} onChoose={(id) => void setChosen(id)} />}
          <ShownRun key={shown.id} id={shown.id} isRunning={shown.status === "running"} />
        </>
      )}
    </PageBody>
  );
}

interface StartRunProps {
  server: ServerDetail;
  running: ConformanceRun | undefined;
  onStarted: () => void;
}

function StartRun({ server, running, onStarted }: StartRunProps) {
  const { data: suite } = useQuery(trpc.conformance.suite.queryOptions());
  const [parts, setParts] = useState<ConformanceParts | null>(null);
  const isUnsupported = suite?.state === "unsupported";
  const chosen = parts ?? (isUnsupported ? "own" : "all");
  const starting = useAction(trpc.conformance.start, {
    stale: [trpc.conformance.list, trpc.conformance.suite],
    failed: "Couldn't start",
    onDone: onStarted,
  });
  const reason = explainUntestable(server);
  const needs = chosen !== "own" && suite?.state === "missing" ? "administer" : "edit";
  if (reason !== null) return <p className="px-3.5 py-3">This server can't be tested here. {reason}</p>;
  return (
    <div className="flex flex-col gap-2.5 px-3.5 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <NativeSelect
          aria-label="Checks"
          className="max-w-64"
          value={chosen}
          onChange={({ target }) => setParts(CONFORMANCE_PARTS.find((each) => each === target.value) ?? "all")}
          options={CONFORMANCE_PARTS.map((each) => [each, PARTS_WORDS[each]])}
        />
        {running === undefined ? (
          <Button
            icon={Play}
            needs={needs}
            variant="primary"
            disabled={starting.isPending}
            onClick={() => starting.mutate({ name: server.name, parts: chosen })}
          >
            {starting.isPending ? "Starting…" : "Run checks"}
          </Button>
        ) : (
          <CancelButton needs="edit" mutation={trpc.conformance.cancel} id={running.id} label="Cancel" />
        )}
      </div>
      {starting.problem !== null && <Alert tone="bad" live title={starting.problem} />}
      {suite !== undefined && <SuiteState suite={suite} />}
    </div>
  );
}

function SuiteState({ suite: { state, version, reason } }: { suite: ConformanceSuite }) {
  if (state === "unsupported") return <Alert tone="warn" title={reason} />;
  return (
    <p className="text-mute text-xs">
      Official suite {version}.
      {state === "missing" && " The first run downloads it from npm, which needs the role admin."}
    </p>
  );
}

interface ChooseRunProps {
  runs: readonly ConformanceRun[];
  shown: string;
  onChoose: (id: string) => void;
}

function ChooseRun({ runs, shown, onChoose }: ChooseRunProps) {
  const zone = useTimeZone();
  return (
    <NativeSelect
      aria-label="Run"
      className="max-w-md"
      value={shown}
      onChange={({ target }) => onChoose(target.value)}
      options={runs.map((run) => [run.id, `${formatStart(run.startedAt, zone)} · ${describeRun(run)}`])}
    />
  );
}

/** Without fractions of a second. */
const formatStart = (at: number, zone: string): string =>
  `${formatDate(at, zone)} ${formatClockTime(at, zone).slice(0, "00:00:00".length)}`;

function ShownRun({ id, isRunning }: { id: string; isRunning: boolean }) {
  const query = useQuery({
    ...trpc.conformance.get.queryOptions({ id }),
    refetchInterval: isRunning ? POLL_MS : false,
  });
  return (
    <QueryState query={query} what="the run" bars={["h-6 w-64", "h-40"]}>
      {(run) => <RunResult run={run} />}
    </QueryState>
  );
}
