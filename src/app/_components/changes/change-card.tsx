import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ChangeBadge } from "@/app/_components/tools/summary/change-badge";
import { trpc } from "@/app/_trpc/client";
import { Badge, type BadgeTone } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { Skeleton } from "@/app/_ui/skeleton";
import { StatusBadge } from "@/app/_ui/status-badge";
import type { ChangeReplay, ReviewedChange } from "@/lib/contract/change-review";
import {
  REPLAY_CLASSES,
  type ReplayClass,
  type ReplayExample,
  type ReplayVerdict,
  type RuleFinding,
  type Severity,
} from "@/lib/contract/change-verdict";
import type { ChangeDecision, ChangedToolsPolicy, HeldStatus } from "@/lib/contract/held-change";
import { formatBytes, formatCount, formatDuration, formatPlural } from "@/lib/format";
import { formatVerdict } from "@/lib/format/change-verdict";
import { catalogToolName } from "@/lib/portable-name";
import { QuotedText } from "./quoted-text";
import { TrafficPart } from "./traffic-part";
import { useDecideChanges } from "./use-decide-changes";
import { STATUS_WORDS } from "./verdict-words";

const CLASS_WORDS: Record<ReplayClass, string> = {
  same: "same",
  different: "different",
  failed: "failed",
  variesByItself: "vary by themselves",
};

const DiffView = onDemand(() => import("@/app/_components/executions/diff/diff-view"), "DiffView", { onServer: true });

const TONES: Record<Severity, BadgeTone> = { error: "bad", warning: "warn", info: "neutral" };

const STATES: Record<HeldStatus, string> = {
  open: "waiting",
  applied: "succeeded",
  blocked: "cancelled",
  ignored: "cancelled",
};

interface ChangeCardProps {
  change: ReviewedChange;
  policy: ChangedToolsPolicy;
  /** The tool's name, where the card is not on its own page. */
  name?: ReactNode;
}

/** A change of a server's tool that waits or is in use: its verdict, its diff and the decisions. */
export function ChangeCard({ change, policy, name }: ChangeCardProps) {
  const [compared, setCompared] = useState(false);
  const { tool, kind, status, traffic, schema } = change;
  const isBroken = traffic !== null && traffic.broken > 0;
  return (
    <section aria-label={`Change of ${tool}`} data-status={STATES[status]} className="flex min-w-0 flex-col gap-2.5">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {name}
        <ChangeBadge kind={kind} />
        {status !== "open" && <Badge tone="warn">{STATUS_WORDS[status]}</Badge>}
        <span className="text-mute text-xs">
          {status === "applied" ? "since" : "listed"} <RelativeTime at={change.heldAt} />
          {change.decidedBy !== null && `, ${STATUS_WORDS[status]} by ${change.decidedBy.name}`}
        </span>
      </div>
      <p className={isBroken ? "font-medium text-bad" : "text-mute"}>
        <QuotedText text={formatHeadline(change)} />
      </p>
      <Decisions change={change} policy={policy} compared={compared} onCompare={() => setCompared(!compared)} />
      <div className="grid min-w-0 gap-x-6 gap-y-3 lg:grid-cols-2">
        <div className="min-w-0">
          <h3 className="mb-1 font-medium text-xs">What changed</h3>
          <Findings findings={schema?.findings ?? null} details={change.details} />
          {change.renamedTo !== null && <RenamedTo change={change} name={change.renamedTo} />}
        </div>
        {traffic !== null && traffic.total > 0 && (
          <div className="min-w-0">
            <h3 className="mb-1.5 font-medium text-xs">Recorded calls</h3>
            <TrafficPart change={change} traffic={traffic} />
          </div>
        )}
      </div>
      {change.replay !== null && <ReplayPart replay={change.replay} />}
      {compared && <Entries change={change} />}
    </section>
  );
}

function formatHeadline({ kind, traffic }: ReviewedChange): string {
  if (kind === "added") return "A new tool: no client has called it.";
  return traffic === null ? "Checking recorded calls…" : `${formatVerdict(traffic)}.`;
}

interface DecisionsProps {
  change: ReviewedChange;
  policy: ChangedToolsPolicy;
  compared: boolean;
  onCompare: () => void;
}

interface DecisionButton {
  decision: ChangeDecision;
  text: string;
  /** Completes the text for a screen reader. */
  of: string;
  hint?: string;
}

const KEEP_HINT = "Clients keep the former definition, and calls run with it. The server may refuse them.";

/** The decisions that a change in this state allows. */
function listDecisions({ tool, kind, status }: ReviewedChange, policy: ChangedToolsPolicy): DecisionButton[] {
  const isApplied = status === "applied";
  const canHold = !isApplied || policy !== "off";
  const approve = isApplied
    ? { text: "Accept", hint: "The change stays in use, and this notice is closed." }
    : { text: kind === "removed" ? "Approve removal" : "Approve" };
  const buttons: DecisionButton[] = [{ decision: "approve", of: ` the change of ${tool}`, ...approve }];
  if (status !== "blocked" && canHold) {
    const hint = "Calls are refused, and clients are shown the former definition.";
    buttons.push({ decision: "block", text: isApplied ? "Block calls" : "Keep blocking calls", of: `: ${tool}`, hint });
  }
  if (status !== "ignored" && kind !== "added" && kind !== "removed" && canHold) {
    buttons.push({ decision: "ignore", text: "Keep old definition", of: ` of ${tool}`, hint: KEEP_HINT });
  }
  return buttons;
}

function Decisions({ change, policy, compared, onCompare }: DecisionsProps) {
  const { decide, pending, error } = useDecideChanges(change.server);
  const { tool, kind, status } = change;
  const isOne = kind === "added" || kind === "removed";
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {listDecisions(change, policy).map(({ decision, text, of, hint }) => (
          <Button
            key={decision}
            needs="edit"
            variant={decision === "approve" && status !== "applied" ? "primary" : undefined}
            disabled={pending}
            title={hint}
            onClick={() => decide([change], decision)}
          >
            {text}
            <span className="sr-only">{of}</span>
          </Button>
        ))}
        <Button aria-expanded={compared} onClick={onCompare}>
          {compared ? "Hide definition" : isOne ? "Show definition" : "Compare definitions"}
          <span className="sr-only"> of {tool}</span>
        </Button>
      </div>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {error}
      </div>
    </>
  );
}

function Findings({ findings, details }: { findings: readonly RuleFinding[] | null; details: readonly string[] }) {
  if (findings === null) {
    return <p className="text-mute">{details.length > 0 ? details.join("; ") : "The tool is new on this server."}</p>;
  }
  return (
    <ul aria-label="What changed" className="flex flex-col gap-1.5">
      {findings.map((finding) => (
        <li key={`${finding.rule} ${finding.path} ${finding.message}`} className="flex gap-2">
          <Badge tone={TONES[finding.severity]} className="mt-0.5 h-fit">
            {finding.severity}
          </Badge>
          <div className="min-w-0 [overflow-wrap:anywhere]">
            {finding.message} <span className="font-mono text-2xs text-faint">{finding.rule}</span>
            {finding.witness !== null && (
              <p className="text-mute text-xs">
                {WITNESS_WORDS[finding.witness.effect]}{" "}
                <code className="font-mono">{JSON.stringify(finding.witness.value).slice(0, 300)}</code>
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

const WITNESS_WORDS = {
  refused: "Accepted before, refused now:",
  impossible: "Possible now, not before:",
  lost: "No longer described:",
} as const;

function Entries({ change }: { change: ReviewedChange }) {
  const { server, tool, hash } = change;
  const { data, error } = useQuery(trpc.servers.heldEntries.queryOptions({ name: server, tool, hash }));
  if (error !== null) return <p className="text-bad text-xs">{error.message}</p>;
  if (data === undefined) return <Skeleton className="h-24" />;
  const { before, after } = data;
  if (before !== null && after !== null) return <DiffView label="Definition" left={before} right={after} />;
  return (
    <div className="rounded-lg border border-line bg-panel p-2.5">
      <JsonText text={after ?? before ?? ""} label="Definition" />
    </div>
  );
}

/** Names the tool that may have replaced a removed one. */
function RenamedTo({ change: { server }, name }: { change: ReviewedChange; name: string }) {
  return (
    <p className="mt-1.5 text-mute">
      The server lists the same tool as{" "}
      <Link
        href={`/tools/${encodeURIComponent(catalogToolName(server, name))}`}
        className="rounded-xs font-mono underline"
      >
        {name}
      </Link>
      : it may have been renamed.
    </p>
  );
}

/** The outcomes of replayed calls. */
function ReplayPart({ replay }: { replay: ChangeReplay }) {
  const { status, verdict, error, by, startedAt, baseline } = replay;
  return (
    <section aria-label="Replay" className="flex min-w-0 flex-col gap-1.5 rounded-md border border-line px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h3 className="font-medium text-xs">Replay</h3>
        <StatusBadge status={status} />
        <span className="text-mute text-xs">
          by {by.name} <RelativeTime at={startedAt} />, against{" "}
          {baseline === "current" ? "the current version" : "recorded results"}
        </span>
      </div>
      {error !== null && <p className={status === "failed" ? "text-bad text-xs" : "text-mute text-xs"}>{error}</p>}
      {verdict !== null && verdict.calls > 0 && <Outcome verdict={verdict} />}
    </section>
  );
}

function Outcome({ verdict }: { verdict: ReplayVerdict }) {
  const { counts, calls, budget, examples } = verdict;
  return (
    <>
      <p>
        {REPLAY_CLASSES.filter((each) => counts[each] > 0)
          .map((each) => `${formatCount(counts[each])} ${CLASS_WORDS[each]}`)
          .join(", ") || "No call ended"}
        <span className="text-mute text-xs">
          {" "}
          · {formatPlural(calls, "call")} made of {formatCount(budget)}
        </span>
      </p>
      {examples.length > 0 && (
        <ScrollRegion label="Calls with another outcome" className="max-h-48">
          <ul className="divide-y divide-line text-xs">
            {examples.map((example) => (
              <li key={example.executionId} className="flex flex-wrap gap-x-3 py-1 [overflow-wrap:anywhere]">
                <Link href={`/executions/${example.executionId}`} className="rounded-xs underline">
                  {CLASS_WORDS[example.class]}
                </Link>
                <span className="min-w-0 flex-1 basis-60">
                  {example.reason ?? <span className="font-mono">{example.differences.join(", ")}</span>}
                </span>
                <span className="text-mute tabular-nums">{formatFigures(example)}</span>
              </li>
            ))}
          </ul>
        </ScrollRegion>
      )}
    </>
  );
}

/** Time and size, before and now. */
function formatFigures({ currentMs, candidateMs, currentBytes, candidateBytes }: ReplayExample): string {
  const toText = <T,>(value: T | null, format: (value: T) => string): string => (value === null ? "–" : format(value));
  const times = `${toText(currentMs, formatDuration)} → ${toText(candidateMs, formatDuration)}`;
  return `${times} · ${toText(currentBytes, formatBytes)} → ${toText(candidateBytes, formatBytes)}`;
}
