import { useState } from "react";
import { ROLE_ABOUT, ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { defineForm, select, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import type { Role } from "@/lib/contract/access";
import type { InvitationInput } from "@/lib/contract/account";
import { formatPlural } from "@/lib/format";
import { LinkDialog } from "./reset-dialog";

const VALID_DAYS = [1, 3, 7, 30];

/** @param needsEmail users sign in with the identity provider only, which proves the address */
const toForm = (needsEmail: boolean) =>
  defineForm<InvitationInput>()({
    role: select<Role>("Role", "operator", ROLE_LABELS, { about: ROLE_ABOUT }),
    email: text(needsEmail ? "E-mail" : "E-mail (optional)", {
      inputMode: "email",
      hint: `Only this address can join.${needsEmail ? "" : " If empty, anyone with the link can."}`,
      write: (typed) => typed.trim() || null,
    }),
    validDays: select<string>(
      "Valid for",
      "7",
      VALID_DAYS.map((days) => ({ value: String(days), label: formatPlural(days, "day") })),
      { write: Number },
    ),
  });

interface CreatedInvitation extends InvitationInput {
  token: string;
}

/** Creates an invitation, then shows its link. */
export function InviteDialog({ needsEmail, onClose }: { needsEmail: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedInvitation | null>(null);
  if (created !== null) {
    const { role, email, validDays, token } = created;
    const who = email === null ? "Anyone with this link" : email;
    const description = `${who} can join as ${role} within ${formatPlural(validDays, "day")}.`;
    return <LinkDialog title="Invitation link" description={description} token={token} onClose={onClose} />;
  }
  return (
    <EditDialog
      title="Invite a user"
      description="Creates a link to join. Toolroom sends no e-mail: you pass the link on."
      submitLabel="Create link"
      pendingLabel="Creating…"
      failure="Couldn't create the invitation"
      table={toForm(needsEmail)}
      save={(invitation) => client.people.invite.mutate(invitation)}
      stale={[trpc.people.invitations]}
      done="Invitation created"
      onSaved={(token, invitation) => setCreated({ ...invitation, token })}
      onClose={onClose}
    />
  );
}
