import { useSuspenseQuery } from "@tanstack/react-query";
import { SCOPE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { RelativeTime } from "@/app/_ui/relative-time";

/** Programs that the user allowed to use `/mcp`. */
export function ConnectedClients() {
  const { data: clients } = useSuspenseQuery(trpc.account.clients.queryOptions());
  const revoke = useAction(trpc.account.revokeClient, {
    stale: [trpc.account.clients],
    done: "Client disconnected",
  });
  return (
    <Card
      title="Connected clients"
      about="MCP clients that signed in through your browser and act in your name. A disconnected one is refused at once and has to ask you again."
    >
      <ActionProblem problem={revoke.problem} onDismiss={revoke.reset} className="m-3.5 mb-0" />
      {clients.length === 0 ? (
        <p className="px-3.5 py-3 text-mute">No connected clients.</p>
      ) : (
        <ul className="divide-y divide-line">
          {clients.map(({ id, name, hosts, scopes, connectedAt, lastSeenAt }) => (
            <li key={id} className="flex items-center gap-3 px-3.5 py-2">
              <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <div className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
                  <span className="font-medium">
                    <bdi>{name}</bdi>
                  </span>
                  <span className="font-mono text-mute text-xs">{hosts.join(", ")}</span>
                  {scopes.map((scope) => (
                    <Badge key={scope}>{SCOPE_LABELS[scope]}</Badge>
                  ))}
                </div>
                <div className="text-mute text-xs">
                  Connected <RelativeTime at={connectedAt} />, last signed in <RelativeTime at={lastSeenAt} />
                </div>
              </div>
              <Button
                variant="danger"
                disabled={revoke.isPending}
                aria-label={`Disconnect ${name}`}
                onClick={() => revoke.mutate({ id })}
              >
                Disconnect
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
