import { useQuery } from "@tanstack/react-query";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { trpc } from "@/app/_trpc/client";
import { useHasAccounts, usePrincipal } from "@/app/_ui/access";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { explainDenial } from "@/lib/contract/access";

/** For the user in whose name approval links decide: webhooks that ask to bring them, and the decisions that were made by them. */
export function LinkNotices() {
  const hasAccounts = useHasAccounts();
  if (explainDenial(usePrincipal(), "run") !== null) return null;
  return (
    <div className="flex flex-col gap-2 px-4 py-3 empty:hidden">
      {hasAccounts && <ChannelRequests />}
      <LinkUses />
    </div>
  );
}

function ChannelRequests() {
  const { data = [], refetch } = useQuery(trpc.webhooks.channels.queryOptions());
  useLiveRefresh(refetch, "webhooks");
  const stale = [trpc.webhooks.channels];
  const confirm = useAction(trpc.webhooks.confirmChannel, {
    stale,
    done: "Approval links confirmed",
    failed: "Couldn't confirm",
  });
  const decline = useAction(trpc.webhooks.leaveChannel, {
    stale,
    done: "Approval links declined",
    failed: "Couldn't decline",
  });
  const isPending = confirm.isPending || decline.isPending;
  return data
    .filter(({ isConfirmed }) => !isConfirmed)
    .map(({ id, description, receiver }) => (
      <Alert key={id} tone="accent" title="An admin named you as approver by links">
        <p className="[overflow-wrap:anywhere]">
          Requests for approval would go to <code className="font-mono">{receiver}</code>
          {description !== "" && ` (${description})`} with a link that decides as you. Confirm only if you alone read
          what arrives there.
        </p>
        {(confirm.problem ?? decline.problem) !== null && (
          <p className="text-bad">{confirm.problem ?? decline.problem}</p>
        )}
        <div className="mt-2 flex gap-2">
          <Button variant="primary" needs="run" disabled={isPending} onClick={() => confirm.mutate({ id })}>
            Confirm
          </Button>
          <Button needs="run" disabled={isPending} onClick={() => decline.mutate({ id })}>
            Decline
          </Button>
        </div>
      </Alert>
    ));
}

function LinkUses() {
  const { data = [], refetch } = useQuery(trpc.approvals.linkUses.queryOptions());
  const { data: channels = [] } = useQuery(trpc.webhooks.channels.queryOptions());
  useLiveRefresh(refetch, "approvals");
  const dismiss = useAction(trpc.approvals.dismissLinkUses, {
    stale: [trpc.approvals.linkUses],
    failed: "Couldn't dismiss",
  });
  const stop = useAction(trpc.webhooks.leaveChannel, {
    stale: [trpc.webhooks.channels],
    done: "Approval links stopped",
    failed: "Couldn't stop the links",
  });
  const problem = dismiss.problem ?? stop.problem;
  if (data.length === 0) return null;
  return (
    <Alert tone="accent" title="Decided by your approval links">
      <ul className="max-h-40 overflow-y-auto">
        {data.map(({ id, executionId, toolName, status, address, usedAt }) => (
          <li key={id} className="[overflow-wrap:anywhere]">
            <Link href={`/executions/${executionId}`} className="font-mono underline">
              {toolName}
            </Link>{" "}
            {status} <RelativeTime at={usedAt} />
            {address !== null && ` from ${address}`}
          </li>
        ))}
      </ul>
      <p className="mt-1">Not you? Stop the links and tell an admin.</p>
      {problem !== null && <p className="text-bad">{problem}</p>}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button disabled={dismiss.isPending} onClick={() => dismiss.mutate()}>
          Dismiss
        </Button>
        {channels
          .filter(({ isConfirmed }) => isConfirmed)
          .map(({ id, receiver }) => (
            <Button key={id} needs="run" disabled={stop.isPending} onClick={() => stop.mutate({ id })}>
              Stop links to {receiver}
            </Button>
          ))}
      </div>
    </Alert>
  );
}
