"use client";

import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";

export interface AccountsOffProps {
  /** The setting that decided that this server has no accounts. */
  decidedBy: "environment" | "setting" | "address";
  /** They were switched on already: the next start of the server needs them. */
  pending: boolean;
}

/** Everyone who reaches the server is its owner: says so, and offers to change it. */
export function AccountsOff({ decidedBy, pending }: AccountsOffProps) {
  const trpc = useTRPC();
  const switchOn = useAction(trpc.people.switchOn.mutationOptions(), { stale: [] });
  return (
    <Card title="Accounts are off">
      <div className="flex flex-col gap-3 px-3.5 py-3">
        <p>
          Everyone who can open this server may do everything, and all calls are recorded under one name. That is fine
          while it listens on this machine only.
        </p>
        <p>
          With accounts on, people sign in, have a role (viewer, operator, editor or admin) and can create API tokens
          for programs. Executions say who made each call.
        </p>
        {decidedBy === "environment" ? (
          <p className="text-mute">
            Set by <code className="font-mono text-xs">TOOLROOM_AUTH=off</code> in the server's environment. To switch
            accounts on, remove it or set it to <code className="font-mono text-xs">on</code>, and restart.
          </p>
        ) : pending || switchOn.isSuccess ? (
          <Alert live tone="accent" title="Restart the server to switch accounts on">
            <p>
              At its next start the server prints a link that creates the first account, an admin. Until that start
              nothing changes.
            </p>
          </Alert>
        ) : (
          <>
            <p className="text-mute">
              Takes effect at the next start of the server, which then prints a link that creates the first account.
              Programs that use the API or <code className="font-mono text-xs">/mcp</code> need a token from then on. To
              go back, start with <code className="font-mono text-xs">TOOLROOM_AUTH=off</code>.
            </p>
            <ActionProblem problem={switchOn.problem} onDismiss={switchOn.reset} />
            <Button
              size="md"
              variant="primary"
              className="self-start"
              disabled={switchOn.isPending}
              onClick={() => switchOn.mutate()}
            >
              Switch accounts on
            </Button>
          </>
        )}
      </div>
    </Card>
  );
}
