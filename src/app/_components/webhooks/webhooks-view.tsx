"use client";

import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useRef, useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { PageActions } from "@/app/_kit/page-actions";
import { QueryState } from "@/app/_kit/query-state";
import { useAction } from "@/app/_kit/use-action";
import { useLiveRefresh } from "@/app/_live/use-live-refresh";
import { client, trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { EmptyState } from "@/app/_ui/empty-state";
import { onDemand } from "@/app/_ui/on-demand";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { Webhook } from "@/lib/contract/webhook";
import { formatPlural } from "@/lib/format";
import { describeEvent, STATUS_TONES } from "./webhook-words";

const WebhookDialog = onDemand(() => import("./webhook-dialog"), "WebhookDialog");
const SecretDialog = onDemand(() => import("@/app/_kit/secret-dialog"), "SecretDialog");

/** Lists webhooks with their deliveries, for admins. */
export function WebhooksView() {
  const denial = useDenial("administer");
  if (denial !== null) return <EmptyState title="Only admins can manage webhooks">{denial}.</EmptyState>;
  return <Webhooks />;
}

type Opened =
  | { kind: "edit" | "delete" | "rotate"; webhook: Webhook }
  | { kind: "new" }
  | { kind: "secret"; secret: string };

function Webhooks() {
  const { data: webhooks, refetch } = useSuspenseQuery(trpc.webhooks.list.queryOptions());
  const [opened, setOpened] = useState<Opened | null>(null);
  const rotated = useRef("");
  const close = () => setOpened(null);
  useLiveRefresh(refetch, "webhooks");
  const stale = [trpc.webhooks.list];
  return (
    <>
      <Card
        title="Webhooks"
        about="Toolroom sends chosen events by POST, signed (Standard Webhooks). They name calls, runs and servers, and contain no arguments or results."
        action={
          <Button icon={Plus} variant="primary" needs="administer" onClick={() => setOpened({ kind: "new" })}>
            Add webhook
          </Button>
        }
      >
        {webhooks.length === 0 ? (
          <p className="px-3.5 py-3 text-mute">No webhooks yet.</p>
        ) : (
          <ul className="divide-y divide-line">
            {webhooks.map((webhook) => (
              <WebhookItem key={webhook.id} webhook={webhook} onOpen={(kind) => setOpened({ kind, webhook })} />
            ))}
          </ul>
        )}
      </Card>
      {(opened?.kind === "new" || opened?.kind === "edit") && (
        <WebhookDialog
          webhook={opened.kind === "edit" ? opened.webhook : null}
          onCreated={({ secret }) => setOpened({ kind: "secret", secret })}
          onClose={close}
        />
      )}
      {opened?.kind === "secret" && <SecretDialog secret={opened.secret} onClose={close} />}
      {opened?.kind === "rotate" && (
        <ConfirmAction
          title="Replace the secret?"
          description="Deliveries are signed with the new secret at once: the receiver has to know it."
          action="Replace"
          running="Replacing…"
          failure="Couldn't replace"
          run={async () => {
            rotated.current = (await client.webhooks.rotateSecret.mutate({ id: opened.webhook.id })).secret;
          }}
          onDone={() => setOpened({ kind: "secret", secret: rotated.current })}
          stale={stale}
          done="Secret replaced"
          onClose={close}
        />
      )}
      {opened?.kind === "delete" && (
        <ConfirmAction
          title="Delete this webhook?"
          description={`${opened.webhook.url} receives nothing more, and its deliveries are deleted.`}
          run={() => client.webhooks.delete.mutate({ id: opened.webhook.id })}
          stale={stale}
          done="Webhook deleted"
          onClose={close}
        />
      )}
    </>
  );
}

interface WebhookItemProps {
  webhook: Webhook;
  onOpen: (kind: "edit" | "delete" | "rotate") => void;
}

function WebhookItem({ webhook, onOpen }: WebhookItemProps) {
  const { id, url, description, events, tools, enabled, disabledReason, lastDelivery, approverId, waiting } = webhook;
  const awaitsApprover = approverId !== null && !webhook.approverConfirmed;
  const [showsDeliveries, setShowsDeliveries] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stale = [trpc.webhooks.list, trpc.webhooks.deliveries.queryKey({ id })];
  const testing = useAction(trpc.webhooks.test, {
    stale,
    done: ({ status, responseStatus }) => (status === "delivered" ? `The receiver answered ${responseStatus}` : null),
    onDone: ({ status, error }) => setProblem(status === "delivered" ? null : `The test was not delivered: ${error}`),
    failed: "Couldn't send a test",
    report: setProblem,
  });
  const switching = useAction(trpc.webhooks.update, {
    stale,
    failed: "Couldn't change the webhook",
    report: setProblem,
  });
  const setEnabled = (next: boolean) =>
    switching.mutate({ id, webhook: { description, events, tools, approverId, enabled: next } });
  return (
    <li className="flex flex-col gap-2 px-3.5 py-2.5">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
          <span className="font-medium">{description || new URL(url).host}</span> {!enabled && <Badge>disabled</Badge>}
          <div className="font-mono text-mute text-xs">{url}</div>
          <div className="text-xs">
            {events.map(describeEvent).join(", ")}
            {tools.length > 0 && <span className="text-mute"> of {tools.join(", ")}</span>}
          </div>
          {lastDelivery !== null && (
            <div className="mt-1 text-mute text-xs">
              <Badge tone={STATUS_TONES[lastDelivery.status]}>{lastDelivery.status}</Badge>{" "}
              {describeEvent(lastDelivery.event)} <RelativeTime at={lastDelivery.createdAt} />
            </div>
          )}
          {waiting > 0 && (
            <div className="mt-1 text-mute text-xs">{formatPlural(waiting, "more event")} waiting for the receiver</div>
          )}
        </div>
        <div className="flex flex-wrap gap-1.5">
          <PageActions
            label={`Actions for ${description || url}`}
            actions={[
              {
                label: testing.isPending ? "Sending…" : "Send test",
                needs: "administer",
                disabled: !enabled || testing.isPending,
                onSelect: () => testing.mutate({ id }),
              },
              {
                label: "Deliveries",
                expanded: showsDeliveries,
                onSelect: () => setShowsDeliveries(!showsDeliveries),
              },
              { label: "Edit", needs: "administer", onSelect: () => onOpen("edit") },
              {
                label: enabled ? "Disable" : "Enable",
                needs: "administer",
                disabled: switching.isPending,
                onSelect: () => setEnabled(!enabled),
              },
              { label: "New secret", needs: "administer", onSelect: () => onOpen("rotate") },
              { label: "Delete", needs: "administer", danger: true, onSelect: () => onOpen("delete") },
            ]}
          />
        </div>
      </div>
      <ActionProblem problem={problem} onDismiss={() => setProblem(null)} />
      {awaitsApprover && (
        <Alert tone="accent" title="No approval links yet: the approver has to confirm them under Approvals" />
      )}
      {disabledReason !== null && <Alert tone="warn" title={disabledReason} />}
      {showsDeliveries && <DeliveryList webhookId={id} />}
    </li>
  );
}

/** The newest deliveries of a webhook, with request and response. */
function DeliveryList({ webhookId }: { webhookId: string }) {
  const query = useQuery(trpc.webhooks.deliveries.queryOptions({ id: webhookId }));
  useLiveRefresh(query.refetch, "webhooks");
  const retrying = useAction(trpc.webhooks.retry, {
    stale: [trpc.webhooks.deliveries.queryKey({ id: webhookId }), trpc.webhooks.list],
    done: "Delivery started again",
    failed: "Couldn't retry",
  });
  return (
    <QueryState query={query} what="deliveries" bars={["h-8", "h-8"]}>
      {(deliveries) => (
        <>
          {retrying.problem !== null && <Alert live tone="bad" title={retrying.problem} />}
          {deliveries.length === 0 && <p className="text-mute text-xs">No deliveries yet.</p>}
          <ul aria-label="Deliveries" className="divide-y divide-line rounded-md border border-line empty:hidden">
            {deliveries.map(({ id, event, status, attempts, responseStatus, error, createdAt, nextAt, body }) => (
              <li key={id} className="flex flex-wrap items-start gap-x-3 gap-y-1 px-2.5 py-1.5 text-xs">
                <div className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
                  <Badge tone={STATUS_TONES[status]}>{status}</Badge> {describeEvent(event)}{" "}
                  <RelativeTime at={createdAt} />
                  <span className="text-mute">
                    {" "}
                    · {formatPlural(attempts, "attempt")}
                    {responseStatus !== null && ` · HTTP ${responseStatus}`}
                    {nextAt !== null && attempts > 0 && " · retries automatically"}
                  </span>
                  {error !== null && <div className="text-bad">{error}</div>}
                  <details>
                    <summary className="cursor-pointer text-mute">Request body</summary>
                    <code className="block whitespace-pre-wrap font-mono">{body}</code>
                  </details>
                </div>
                <Button needs="administer" disabled={retrying.isPending} onClick={() => retrying.mutate({ id })}>
                  {status === "delivered" ? "Send again" : "Retry now"}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
    </QueryState>
  );
}
