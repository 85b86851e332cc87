"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { describeBrowser } from "@/app/_components/accounts/summary/account-words";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { DateOnly } from "@/app/_ui/date-only";
import { RelativeTime } from "@/app/_ui/relative-time";

/** The browsers that are signed in. The one that asks signs out in the top bar. */
export function SessionList() {
  const trpc = useTRPC();
  const { data: sessions } = useSuspenseQuery(trpc.account.sessions.queryOptions());
  const end = useAction(trpc.account.endSession.mutationOptions(), {
    stale: [trpc.account.sessions.queryKey()],
    done: () => "Session ended",
  });
  // The page follows to the sign-in page when its own session ends.
  const endAll = useAction(trpc.account.endAllSessions.mutationOptions(), { stale: [] });
  const failed = endAll.problem === null ? end : endAll;
  return (
    <Card
      title="Sessions"
      action={
        <Button disabled={endAll.isPending} onClick={() => endAll.mutate()}>
          Sign out everywhere
        </Button>
      }
    >
      <ActionProblem problem={failed.problem} onDismiss={failed.reset} className="m-3.5 mb-0" />
      <ul className="divide-y divide-line">
        {sessions.map(({ id, userAgent, address, createdAt, expiresAt, current }) => {
          const browser = describeBrowser(userAgent);
          return (
            <li key={id} className="flex items-center gap-3 px-3.5 py-2">
              <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <span className="mr-1.5 font-medium" title={userAgent ?? undefined}>
                  {browser}
                </span>
                {current && <Badge tone="ok">This browser</Badge>}
                <div className="text-mute text-xs">
                  {address !== null && <span className="font-mono">{address}</span>}
                  {address === null ? "Started" : ", started"} <RelativeTime at={createdAt} />, ends{" "}
                  <DateOnly at={expiresAt} />
                </div>
              </div>
              {!current && (
                <Button
                  disabled={end.isPending}
                  aria-label={`End session of ${browser}`}
                  onClick={() => end.mutate({ id })}
                >
                  End session
                </Button>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
