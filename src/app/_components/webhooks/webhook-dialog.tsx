"use client";

import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { FieldProblems } from "@/app/_kit/form-field";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { CopyButton } from "@/app/_ui/copy-button";
import { Dialog } from "@/app/_ui/dialog";
import { NativeSelect } from "@/app/_ui/field";
import { LOCAL_PRINCIPAL } from "@/lib/contract/access";
import type { NewWebhook, Webhook, WebhookEvent } from "@/lib/contract/webhook";
import { EVENT_LABELS } from "./webhook-words";

export interface WebhookDialogProps {
  /** Null for a new one. */
  webhook: Webhook | null;
  onCreated: (webhook: NewWebhook) => void;
  onClose: () => void;
}

const EVENTS = Object.entries(EVENT_LABELS) as [WebhookEvent, string][];

/** The settings of a webhook. */
export function WebhookDialog({ webhook, onCreated, onClose }: WebhookDialogProps) {
  const trpc = useTRPC();
  const id = useId();
  const [url, setUrl] = useState("");
  const [description, setDescription] = useState(webhook?.description ?? "");
  const [tools, setTools] = useState(webhook?.tools.join(", ") ?? "");
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? ["approval.requested"]);
  const [approverId, setApproverId] = useState(webhook?.approverId ?? null);
  const [isChecked, setIsChecked] = useState(false);
  const stale = [trpc.webhooks.list.queryKey()];
  const creating = useAction(trpc.webhooks.create.mutationOptions(), { stale, onDone: onCreated });
  const saving = useAction(trpc.webhooks.update.mutationOptions(), {
    stale,
    done: () => "Webhook saved",
    onDone: onClose,
  });
  const keepsAddress = webhook !== null && url.trim() === "";
  const problems = {
    url:
      keepsAddress || /^https?:\/\/[^/]/.test(url.trim())
        ? []
        : ["Enter an address that begins with http:// or https://"],
    events: events.length > 0 ? [] : ["Choose at least one event"],
  };
  const save = (): void => {
    setIsChecked(true);
    if (problems.url.length + problems.events.length > 0) return;
    const names = tools.split(/[\s,]+/).filter(Boolean);
    const input = {
      description,
      events: [...events],
      tools: names,
      enabled: webhook?.enabled ?? true,
      approverId: events.includes("approval.requested") ? approverId : null,
    };
    if (webhook === null) creating.mutate({ webhook: { ...input, url: url.trim() } });
    else saving.mutate({ id: webhook.id, webhook: keepsAddress ? input : { ...input, url: url.trim() } });
  };
  const toggle = (event: WebhookEvent, isOn: boolean) =>
    setEvents(isOn ? [...events, event] : events.filter((each) => each !== event));
  return (
    <FormDialog
      needs="administer"
      title={webhook === null ? "Add webhook" : "Edit webhook"}
      submitLabel={webhook === null ? "Add" : "Save"}
      pending={creating.isPending || saving.isPending}
      problem={creating.problem ?? saving.problem}
      onSubmit={save}
      onClose={onClose}
    >
      <DraftField
        label="URL"
        field="url"
        required={webhook === null}
        placeholder={webhook === null ? "https://chat.example.com/hook" : `${webhook.url}/…`}
        hint={webhook === null ? "Stored encrypted." : "Shown by its origin only. Leave empty to keep the address."}
        mono
        inputMode="url"
        value={url}
        problems={isChecked ? problems.url : []}
        onChange={setUrl}
      />
      <DraftField label="Description (optional)" field="description" value={description} onChange={setDescription} />
      <fieldset>
        <legend className="mb-1 font-medium">Events</legend>
        {EVENTS.map(([event, label]) => (
          <label key={event} className="flex items-center gap-1.5 py-0.5">
            <Checkbox checked={events.includes(event)} onChange={(isOn) => toggle(event, isOn)} />
            {label}
            <code className="font-mono text-mute text-xs">{event}</code>
          </label>
        ))}
        <FieldProblems id={`${id}-events`} problems={isChecked ? problems.events : []} />
      </fieldset>
      {events.includes("approval.requested") && <ApproverChoice value={approverId} onChange={setApproverId} />}
      <DraftField
        label="Tools (optional)"
        field="tools"
        mono
        value={tools}
        hint="Names, separated by commas: failed executions and approvals of these tools only."
        onChange={setTools}
      />
    </FormDialog>
  );
}

/** Whose decision a link in a request for approval is. */
function ApproverChoice({ value, onChange }: { value: string | null; onChange: (value: string | null) => void }) {
  const trpc = useTRPC();
  const id = useId();
  const { data: users = [] } = useQuery(trpc.people.directory.queryOptions());
  const choices = users.length === 0 ? [LOCAL_PRINCIPAL] : users;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block font-medium">
        Approval links
      </label>
      <NativeSelect id={id} value={value ?? ""} onChange={({ target }) => onChange(target.value || null)}>
        <option value="">No link</option>
        {choices.map((user) => (
          <option key={user.id} value={user.id}>
            Decide as {user.name}
          </option>
        ))}
      </NativeSelect>
      <p className="mt-1 text-mute text-xs">
        Requests for approval contain a link that opens on a phone. Another user than you confirms this once, under
        Approvals. The link works once and expires after four hours; it needs a sign-in where another user than the
        requester has to approve.
      </p>
    </div>
  );
}

/** Shows a webhook's secret, this one time. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog
      title="Signing secret"
      description="The receiver verifies deliveries with it. It is shown only now: copy it."
      onClose={onClose}
    >
      <p className="flex items-center gap-1 rounded-md border border-line bg-rail px-2.5 py-1.5">
        <code className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{secret}</code>
        <CopyButton text={secret} label="Copy secret" />
      </p>
      <p className="mt-3 text-mute text-xs">
        Any library of Standard Webhooks takes it. By hand: HMAC-SHA256 of{" "}
        <code>webhook-id.webhook-timestamp.body</code> with the Base64-decoded part after <code>whsec_</code> is the
        signature after <code>v1,</code>.
      </p>
      <div className="mt-4 flex justify-end">
        <Button variant="primary" size="md" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
