import { useSuspenseQuery } from "@tanstack/react-query";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";

/** The user's own credentials for MCP servers. */
export function ConnectedServers() {
  const { data: credentials } = useSuspenseQuery(trpc.credentials.list.queryOptions());
  const remove = useAction(trpc.credentials.remove, {
    stale: [trpc.credentials.list],
    done: (_, { name }) => `Your credential for ${name} was removed`,
  });
  return (
    <Card
      title="Connected servers"
      about="Your own credentials for servers. Your calls, and those of your runs and API tokens, use them."
    >
      <ActionProblem problem={remove.problem} onDismiss={remove.reset} className="m-3.5 mb-0" />
      {credentials.length === 0 ? (
        <p className="px-3.5 py-3 text-mute">No connected servers.</p>
      ) : (
        <ul className="divide-y divide-line">
          {credentials.map(({ server, kind, status, updatedAt }) => (
            <li key={server} className="flex items-center gap-3 px-3.5 py-2">
              <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <Link href={toServerPath(server)} className="mr-1.5 font-medium font-mono text-xs hover:underline">
                  {server}
                </Link>
                {status === "pending" && <Badge tone="warn">Sign-in not complete</Badge>}
                <div className="text-mute text-xs">
                  {kind === "oauth" ? "signed in" : "entered"} <RelativeTime at={updatedAt} />
                </div>
              </div>
              <Button
                disabled={remove.isPending}
                aria-label={`Remove your credential for ${server}`}
                onClick={() => remove.mutate({ name: server })}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
