import { useSuspenseQuery } from "@tanstack/react-query";
import { KeySquare, Pencil, Plus, Power, Trash2 } from "lucide-react";
import { useState } from "react";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { actionsColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { Menu, MenuButton } from "@/app/_ui/menu";
import { onDemand } from "@/app/_ui/on-demand";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import type { User } from "@/lib/contract/account";
import type { ServiceAccount } from "@/lib/contract/service-account";
import { formatPlural } from "@/lib/format";

const CreateTokenDialog = onDemand(() => import("../account/create-token-dialog"), "CreateTokenDialog");
const UserTokensDialog = onDemand(() => import("./user-tokens-dialog"), "UserTokensDialog");
const ServiceAccountDialog = onDemand(() => import("./service-account-dialog"), "ServiceAccountDialog");

/** The open dialog and its account; `create` has no account yet. */
type Task = { kind: "create" } | { kind: "edit" | "tokens" | "createToken" | "delete"; account: ServiceAccount };

/** Users that are programs; for admins. @param users the users who can be owners */
export function ServiceAccountsCard({ people }: { people: readonly User[] }) {
  const { data: accounts } = useSuspenseQuery(trpc.serviceAccounts.list.queryOptions());
  const [task, setTask] = useState<Task | null>(null);
  const toggle = useAction(trpc.serviceAccounts.update, {
    stale: [trpc.serviceAccounts.list, trpc.tokens.list],
    done: ({ name, disabledAt }) => `${name} is switched ${disabledAt === null ? "on" : "off; API tokens revoked"}`,
  });
  const ownerless = accounts.filter(({ owner }) => owner === null).length;
  const close = () => setTask(null);
  return (
    <>
      <ActionProblem problem={toggle.problem} onDismiss={toggle.reset} />
      <Card
        title="Service accounts"
        about="Programs with a role and API tokens of their own. They never sign in and cannot approve calls."
        action={
          <Button icon={Plus} onClick={() => setTask({ kind: "create" })}>
            Create
          </Button>
        }
      >
        {ownerless > 0 && (
          <div className="px-3.5 pt-3">
            <Alert tone="warn" title={`${formatPlural(ownerless, "service account")} without an owner`}>
              Their tokens keep working. Choose a new owner, or switch them off.
            </Alert>
          </div>
        )}
        {accounts.length === 0 ? (
          <p className="px-3.5 py-3 text-mute">No service accounts.</p>
        ) : (
          <AccountTable
            accounts={accounts}
            pending={toggle.isPending}
            onTask={setTask}
            onToggle={({ id, disabledAt }) => toggle.mutate({ id, enabled: disabledAt !== null })}
          />
        )}
      </Card>
      {task !== null && <TaskDialog task={task} people={people} onClose={close} />}
    </>
  );
}

interface TaskDialogProps {
  task: Task;
  people: readonly User[];
  onClose: () => void;
}

function TaskDialog({ task, people, onClose }: TaskDialogProps) {
  const owners = people.filter(({ disabledAt }) => disabledAt === null);
  switch (task.kind) {
    case "create":
      return <ServiceAccountDialog owners={owners} onClose={onClose} />;
    case "edit":
      return <ServiceAccountDialog account={task.account} owners={owners} onClose={onClose} />;
    case "tokens":
      return <UserTokensDialog user={task.account} onClose={onClose} />;
    case "createToken":
      return <CreateTokenDialog account={task.account} onClose={onClose} />;
    case "delete":
      return <DeleteAccount account={task.account} onClose={onClose} />;
  }
}

interface AccountTableProps {
  accounts: readonly ServiceAccount[];
  pending: boolean;
  onTask: (task: Task) => void;
  onToggle: (account: ServiceAccount) => void;
}

function AccountTable({ accounts, pending, onTask, onToggle }: AccountTableProps) {
  const columns: Column<ServiceAccount>[] = [
    textColumn("Name", (account) => <AccountName account={account} />),
    textColumn("Role", ({ role }) => ROLE_LABELS[role], { className: "w-24" }),
    textColumn("Owner", ({ owner }) => (owner === null ? <Badge tone="warn">None</Badge> : <bdi>{owner.name}</bdi>), {
      from: "sm",
      className: "w-32",
    }),
    timeColumn("Last used", ({ lastUsedAt }) => lastUsedAt, { never: "never", from: "sm", className: "w-32" }),
    actionsColumn(
      (account) => (
        <Menu
          trigger={<MenuButton label={`Actions for ${account.name}`} className={ROW_CONTROL} />}
          items={[
            {
              label: "Create API token",
              icon: Plus,
              disabled: account.disabledAt !== null,
              onSelect: () => onTask({ kind: "createToken", account }),
            },
            { label: "API tokens…", icon: KeySquare, onSelect: () => onTask({ kind: "tokens", account }) },
            { label: "Edit", icon: Pencil, onSelect: () => onTask({ kind: "edit", account }) },
            {
              label: account.disabledAt === null ? "Switch off" : "Switch on",
              icon: Power,
              disabled: pending,
              onSelect: () => onToggle(account),
            },
            { label: "Delete", icon: Trash2, danger: true, onSelect: () => onTask({ kind: "delete", account }) },
          ]}
        />
      ),
      { className: "w-10" },
    ),
  ];
  return <DataTable label="Service accounts" look="panel" columns={columns} rows={accounts} toKey={({ id }) => id} />;
}

function AccountName({ account: { name, about, owner, disabledAt, tokens } }: { account: ServiceAccount }) {
  return (
    <div className="min-w-0 [overflow-wrap:anywhere]">
      <span className="mr-1.5 font-medium">
        <bdi>{name}</bdi>
      </span>
      {disabledAt !== null && <Badge tone="warn">Switched off</Badge>}
      {about !== "" && <div className="text-mute text-xs">{about}</div>}
      <div className="text-mute text-xs">{tokens === 0 ? "No API tokens" : formatPlural(tokens, "API token")}</div>
      <div className="text-mute text-xs sm:hidden">
        Owner: {owner === null ? <Badge tone="warn">None</Badge> : <bdi>{owner.name}</bdi>}
      </div>
    </div>
  );
}

function DeleteAccount({ account: { id, name }, onClose }: { account: ServiceAccount; onClose: () => void }) {
  return (
    <ConfirmAction
      title={`Delete ${name}?`}
      description="Its API tokens stop working at once. Executions keep the name."
      action="Delete"
      running="Deleting…"
      failure="Couldn't delete"
      run={() => client.serviceAccounts.delete.mutate({ id })}
      stale={[trpc.serviceAccounts.list, trpc.tokens.list]}
      done={`${name} deleted`}
      onClose={onClose}
    />
  );
}
