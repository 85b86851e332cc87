import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import { cx } from "@/app/_ui/class-names";
import { FIT_LABELS } from "@/lib/contract/client-verdict";
import type { ClientVerdict } from "@/lib/contract/client-verdict-schema";
import { formatCount, formatPlural } from "@/lib/format";
import { FitFindings } from "./fit-findings";
import { type FitPart, VERDICT_TONES } from "./fit-words";

/** Lists what each known client does with a tool, or with the tools of a server or toolset. */
export function ClientFits({ part, className }: { part: FitPart; className?: string }) {
  const query = useQuery(trpc.clients.verdicts.queryOptions(part));
  return (
    <Card
      title="Works with"
      about={`By the documented rules of each client${part.toolset === undefined ? "" : ", as the toolset is saved"}. Nothing is called.`}
      {...(className !== undefined && { className })}
    >
      <QueryState query={query} what="the clients" bars={["h-8", "h-8", "h-8"]} className="p-3.5">
        {(verdicts) => (
          <ul aria-label="Clients" className="divide-y divide-line">
            {verdicts.map((verdict) => (
              <FitRow key={verdict.client} verdict={verdict} part={part} />
            ))}
          </ul>
        )}
      </QueryState>
    </Card>
  );
}

function FitRow({ verdict, part }: { verdict: ClientVerdict; part: FitPart }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full items-center gap-2 px-3.5 py-1.5 text-left hover:bg-hover max-sm:min-h-11"
      >
        <ChevronRight
          aria-hidden
          className={cx("size-3.5 shrink-0 text-mute transition-transform", isOpen && "rotate-90")}
        />
        <span className="min-w-0 flex-1">{verdict.label}</span>
        <span className="text-mute text-xs tabular-nums">{countFindings(verdict)}</span>
        <Badge tone={VERDICT_TONES[verdict.verdict]}>{FIT_LABELS[verdict.verdict]}</Badge>
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && <OpenFit verdict={verdict} part={part} />}
      </div>
    </li>
  );
}

function countFindings({ refused, tools, findingCount }: ClientVerdict): string {
  if (refused > 0 && tools > 1) return `${formatCount(refused)} of ${formatCount(tools)} refused`;
  return findingCount === 0 ? "" : formatPlural(findingCount, "finding");
}

/** The overview has the first findings of each client. */
function OpenFit({ verdict, part }: { verdict: ClientVerdict; part: FitPart }) {
  const isPart = verdict.findingCount > verdict.findings.length;
  const query = useQuery({
    ...trpc.clients.verdict.queryOptions({ ...part, program: verdict.client }),
    enabled: isPart,
  });
  return <FitFindings verdict={query.data ?? verdict} part={part} />;
}
