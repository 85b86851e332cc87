import { useQuery } from "@tanstack/react-query";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { choices, custom, defineForm, names, optional, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import { LOCAL_PRINCIPAL } from "@/lib/contract/access";
import type { NewWebhook, Webhook, WebhookEvent, WebhookUpdate } from "@/lib/contract/webhook";
import { EVENT_LABELS } from "./webhook-words";

interface WebhookDialogProps {
  /** Null for a new one. */
  webhook: Webhook | null;
  onCreated: (webhook: NewWebhook) => void;
  onClose: () => void;
}

const EVENTS = (Object.entries(EVENT_LABELS) as [WebhookEvent, string][]).map(([value, label]) => ({
  value,
  label,
  code: value,
}));

const toForm = (stored: Webhook | null, users: readonly { id: string; name: string }[]) =>
  defineForm<WebhookUpdate>()({
    url: text("URL", {
      required: stored === null,
      mono: true,
      inputMode: "url",
      placeholder: stored === null ? "https://chat.example.com/hook" : `${stored.url}/…`,
      hint: stored === null ? "Stored encrypted." : "Shown by its origin only. Leave empty to keep the address.",
    }),
    description: text("Description (optional)"),
    events: choices("Events", ["approval.requested"], EVENTS),
    approverId: optional(
      "Approval links",
      "No link",
      users.map(({ id, name }) => ({ value: id, label: `Decide as ${name}` })),
      {
        when: ({ events }) => (events as WebhookEvent[]).includes("approval.requested"),
        hint: "Requests for approval contain a link that opens on a phone. Another user than you confirms this once, under Approvals. The link works once and expires after four hours; it needs a sign-in where another user than the requester has to approve.",
      },
    ),
    tools: names("Tools (optional)", {
      hint: "Names, separated by commas: failed executions and approvals of these tools only.",
    }),
    enabled: custom("Enabled", true),
  });

/** The settings of a webhook. */
export function WebhookDialog({ webhook, onCreated, onClose }: WebhookDialogProps) {
  const { data: users = [] } = useQuery(trpc.people.directory.queryOptions());
  return (
    <EditDialog<WebhookUpdate, ReturnType<typeof toForm>["fields"], Webhook | NewWebhook>
      needs="administer"
      title={webhook === null ? "Add webhook" : "Edit webhook"}
      submitLabel={webhook === null ? "Add" : "Save"}
      table={toForm(webhook, users.length === 0 ? [LOCAL_PRINCIPAL] : users)}
      initial={{ ...webhook, url: "" }}
      root="webhook"
      save={(input) =>
        webhook === null
          ? client.webhooks.create.mutate({ webhook: { ...input, url: input.url ?? "" } })
          : client.webhooks.update.mutate({ id: webhook.id, webhook: input })
      }
      stale={[trpc.webhooks.list]}
      done={webhook === null ? null : "Webhook saved"}
      onSaved={(saved) => ("secret" in saved ? onCreated(saved) : onClose())}
      onClose={onClose}
    />
  );
}
