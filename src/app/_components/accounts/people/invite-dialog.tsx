"use client";

import { useId, useState } from "react";
import { AccountField } from "@/app/_components/accounts/summary/account-field";
import { ROLE_ABOUT, ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { FormDialog } from "@/app/_kit/form-dialog";
import { describedBy, FieldProblems, FormField } from "@/app/_kit/form-field";
import { sortProblems } from "@/app/_kit/problems";
import { useDraft } from "@/app/_kit/use-draft";
import { useSave } from "@/app/_kit/use-save";
import { useTRPC, useTRPCClient } from "@/app/_trpc/client";
import { useInvalidate } from "@/app/_trpc/use-invalidate";
import { NativeSelect } from "@/app/_ui/field";
import type { Role } from "@/lib/contract/access";
import { ROLES } from "@/lib/contract/access";
import type { InvitationInput } from "@/lib/contract/account";
import { formatPlural } from "@/lib/format";
import { LinkDialog } from "./reset-dialog";

const FIELDS = ["role", "email", "validDays"] as const;
const VALID_DAYS = [1, 3, 7, 30] as const;
const NONE: readonly string[] = [];

interface InviteDraft {
  role: Role;
  email: string;
  validDays: number;
}

/** Creates an invitation, then shows its link. */
export function InviteDialog({ needsEmail, onClose }: { needsEmail: boolean; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const refresh = useInvalidate(trpc.people.invitations.queryKey());
  const [token, setToken] = useState<string | null>(null);
  const { draft, change } = useDraft<InviteDraft>(() => ({ role: "operator", email: "", validDays: 7 }));
  const {
    save,
    pending,
    problems: found,
  } = useSave({
    send: (invitation: InvitationInput) => client.people.invite.mutate(invitation),
    onSaved: async (created) => {
      setToken(created);
      await refresh();
    },
    toast: () => "Invitation created",
  });
  if (token !== null) {
    const description =
      draft.email.trim() === ""
        ? `Anyone with this link can join as ${draft.role} within ${formatPlural(draft.validDays, "day")}.`
        : `${draft.email.trim()} can join as ${draft.role} within ${formatPlural(draft.validDays, "day")}.`;
    return <LinkDialog title="Invitation link" description={description} token={token} onClose={onClose} />;
  }
  const problems = sortProblems(found, FIELDS, "");
  return (
    <FormDialog
      title="Invite a person"
      description="Creates a link to join. Toolroom sends no e-mail: you pass the link on."
      submitLabel="Create link"
      pendingLabel="Creating…"
      pending={pending}
      failure="Couldn't create the invitation"
      problem={problems[""] && <FieldProblems id="invitation" problems={problems[""]} />}
      onSubmit={() => save({ input: { ...draft, email: draft.email.trim() === "" ? null : draft.email } })}
      onClose={onClose}
    >
      <InviteFields {...{ draft, change, problems, needsEmail }} />
    </FormDialog>
  );
}

interface InviteFieldsProps {
  draft: InviteDraft;
  change: (part: Partial<InviteDraft>) => void;
  problems: Partial<Record<(typeof FIELDS)[number], readonly string[]>>;
  /** True when users sign in with the identity provider only, which proves the address. */
  needsEmail: boolean;
}

function InviteFields({ draft, change, problems, needsEmail }: InviteFieldsProps) {
  const id = useId();
  return (
    <>
      <FormField id={`${id}-role`} label="Role" hint={ROLE_ABOUT[draft.role]} problems={problems.role ?? NONE}>
        <NativeSelect
          id={`${id}-role`}
          value={draft.role}
          aria-describedby={describedBy(`${id}-role`, { hint: true, problems: problems.role ?? NONE })}
          options={ROLES.map((role) => [role, ROLE_LABELS[role]])}
          onChange={({ target }) => {
            const role = ROLES.find((each) => each === target.value);
            if (role !== undefined) change({ role });
          }}
        />
      </FormField>
      <AccountField
        label={needsEmail ? "E-mail" : "E-mail (optional)"}
        type="email"
        autoComplete="off"
        hint={`Only this address can join.${needsEmail ? "" : " If empty, anyone with the link can."}`}
        value={draft.email}
        problems={problems.email}
        onChange={(email) => change({ email })}
      />
      <FormField id={`${id}-days`} label="Valid for" problems={problems.validDays ?? NONE}>
        <NativeSelect
          id={`${id}-days`}
          value={draft.validDays}
          options={VALID_DAYS.map((days) => [days, formatPlural(days, "day")])}
          onChange={({ target }) => change({ validDays: Number(target.value) })}
        />
      </FormField>
    </>
  );
}
