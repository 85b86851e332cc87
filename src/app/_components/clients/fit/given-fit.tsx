import { useQuery } from "@tanstack/react-query";
import { QueryState } from "@/app/_kit/query-state";
import { trpc } from "@/app/_trpc/client";
import { Badge } from "@/app/_ui/badge";
import { Card } from "@/app/_ui/card";
import type { ClientDetail } from "@/lib/contract/client";
import { FIT_LABELS } from "@/lib/contract/client-verdict";
import { formatCount } from "@/lib/format";
import { FitFindings } from "./fit-findings";
import { VERDICT_TONES } from "./fit-words";

/** Shows the program's treatment of the list that it received last. */
export function GivenFit({ client: { id, name, lastList } }: { client: ClientDetail }) {
  const query = useQuery(trpc.clients.fit.queryOptions({ client: id }));
  if (lastList === null || query.data?.verdict === null) return null;
  const verdict = query.data?.verdict;
  return (
    <Card
      title={`What ${name} does with its last list`}
      label="What it does with its last list"
      about="By the documented rules of the program."
      action={verdict && <Badge tone={VERDICT_TONES[verdict.verdict]}>{FIT_LABELS[verdict.verdict]}</Badge>}
    >
      <QueryState query={query} what="the verdict" bars={["h-8"]} className="p-3.5">
        {({ verdict: found }) =>
          found !== null && (
            <div className="pt-2">
              {found.refused > 0 && (
                <p className="px-3.5 pb-2">
                  {formatCount(found.refused)} of {formatCount(found.tools)} tools refused
                </p>
              )}
              <FitFindings verdict={found} part={{}} />
            </div>
          )
        }
      </QueryState>
    </Card>
  );
}
