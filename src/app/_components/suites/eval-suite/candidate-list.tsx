import { useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { EvalCandidate, EvalInput } from "@/lib/contract/eval";
import { formatPlural } from "@/lib/format";

const EvalDialog = onDemand(() => import("./eval-dialog"), "EvalDialog");

const toKey = ({ origin }: EvalCandidate): string => `${origin.runId} ${origin.step}`;

/** Lists decisions of recorded runs; a user confirms which of them were right, and makes evals of the suite of them. */
export function CandidateList({ suite }: { suite: string }) {
  const queryClient = useQueryClient();
  const { data: candidates } = useSuspenseQuery(trpc.suites.candidates.queryOptions());
  const [start, setStart] = useState<(Partial<EvalInput> & { id?: undefined }) | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const dismissing = useAction(trpc.suites.dismiss, {
    stale: [trpc.suites.candidates],
    failed: "Couldn't dismiss",
    report: setProblem,
  });
  async function open({ origin }: EvalCandidate): Promise<void> {
    setProblem(null);
    try {
      const { question, called, toolset, context } = await queryClient.fetchQuery(
        trpc.suites.candidate.queryOptions(origin),
      );
      setStart({ suite, question, expected: called, toolset, context, origin });
    } catch (error) {
      setProblem(`Couldn't open the candidate: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (candidates.length === 0) {
    return (
      <EmptyState heading="h2" title="No candidates" next={{ href: "/playground", text: "Open the Playground" }}>
        Every call that a model decides on in a run becomes a candidate for an eval.
      </EmptyState>
    );
  }
  return (
    <>
      <Card
        title="Decisions of recorded runs"
        about="A candidate is a tool choice of a recorded run. Confirm it, or say what should have been called, to make an eval."
      >
        <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
        <ul className="divide-y divide-line">
          {candidates.map((candidate) => (
            <li key={toKey(candidate)} data-row="" className="flex flex-wrap items-start gap-x-3 gap-y-1.5 px-3.5 py-2">
              <div className="min-w-0 flex-1 basis-72 [overflow-wrap:anywhere]">
                <p dir="auto" className="line-clamp-3">
                  {candidate.question}
                </p>
                <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-mute text-xs">
                  <span>
                    called <span className="font-mono text-text">{candidate.called.join(", ")}</span>
                  </span>
                  {candidate.hasFailed && <Badge tone="bad">failed</Badge>}
                  {candidate.toolset !== null && <span>of the toolset {candidate.toolset}</span>}
                  {candidate.contextMessages > 0 && (
                    <span>after {formatPlural(candidate.contextMessages, "message")}</span>
                  )}
                  <Link
                    href={`/runs/${encodeURIComponent(candidate.origin.runId)}`}
                    className="rounded-xs underline"
                    aria-label={`Run of ${candidate.question.slice(0, 80)}`}
                  >
                    run
                  </Link>
                  <RelativeTime at={candidate.at} />
                </p>
              </div>
              <span className="flex gap-2">
                <Button
                  needs="edit"
                  disabled={dismissing.isPending}
                  onClick={() => dismissing.mutate(candidate.origin)}
                >
                  Dismiss
                </Button>
                <Button needs="edit" onClick={() => void open(candidate)} aria-haspopup="dialog">
                  Make eval…
                </Button>
              </span>
            </li>
          ))}
        </ul>
      </Card>
      {start !== null && <EvalDialog start={start} onSaved={() => undefined} onClose={() => setStart(null)} />}
    </>
  );
}
