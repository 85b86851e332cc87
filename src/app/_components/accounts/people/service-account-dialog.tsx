import { ROLE_ABOUT, ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { defineForm, select, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";
import type { Role } from "@/lib/contract/access";
import type { User } from "@/lib/contract/account";
import type { ServiceAccount, ServiceAccountInput } from "@/lib/contract/service-account";

/** The rights of an operator without answers and approvals, which are for users alone. */
const PROGRAM_OPERATOR = "Sees everything, runs tools and starts runs.";

/** @param chosen the owner at first; empty for an account whose owner is gone */
const toForm = (owners: readonly User[], chosen: string) =>
  defineForm<ServiceAccountInput>()({
    name: text("Name", { required: true, maxLength: 100, placeholder: "CI deploy" }),
    about: text("Description (optional)", { maxLength: 500, hint: "What the program does." }),
    role: select<Role>("Role", "operator", ROLE_LABELS, { about: { ...ROLE_ABOUT, operator: PROGRAM_OPERATOR } }),
    ownerId: select<string>(
      "Owner",
      chosen,
      [
        ...(chosen === "" ? [{ value: "", label: "Choose an owner" }] : []),
        ...owners.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` })),
      ],
      { hint: "The user who answers for it." },
    ),
  });

interface ServiceAccountDialogProps {
  /** Absent for a new one. */
  account?: ServiceAccount;
  /** The users who can be responsible for it. */
  owners: readonly User[];
  onClose: () => void;
}

export function ServiceAccountDialog({ account, owners, onClose }: ServiceAccountDialogProps) {
  const own = usePrincipal().id;
  const chosen = account === undefined ? own : (account.owner?.id ?? "");
  async function save(input: ServiceAccountInput): Promise<ServiceAccount> {
    if (account === undefined) return client.serviceAccounts.create.mutate(input);
    const { role, ...change } = input;
    const { id } = account;
    if (role !== account.role) await client.serviceAccounts.setRole.mutate({ id, role });
    return client.serviceAccounts.update.mutate({ id, ...change });
  }
  return (
    <EditDialog
      title={account === undefined ? "Create service account" : `Edit ${account.name}`}
      submitLabel={account === undefined ? "Create" : "Save"}
      pendingLabel={account === undefined ? "Creating…" : "Saving…"}
      failure="Couldn't save the service account"
      table={toForm(owners, chosen)}
      {...(account !== undefined && { initial: { ...account, ownerId: chosen } })}
      save={save}
      stale={[trpc.serviceAccounts.list]}
      done={({ name }) => `${name} saved`}
      onClose={onClose}
    />
  );
}
