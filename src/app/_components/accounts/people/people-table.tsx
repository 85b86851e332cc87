import { KeyRound, KeySquare, LockOpen, LogOut, Power, Trash2 } from "lucide-react";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { type Column, DataTable } from "@/app/_kit/data-table";
import { actionsColumn, textColumn, timeColumn } from "@/app/_kit/list/columns";
import { usePrincipal } from "@/app/_ui/access";
import { Badge } from "@/app/_ui/badge";
import { NativeSelect } from "@/app/_ui/field";
import { Menu, MenuButton } from "@/app/_ui/menu";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ROW_CONTROL } from "@/app/_ui/row-control";
import { ROLES } from "@/lib/contract/access";
import type { User } from "@/lib/contract/account";
import type { PeopleActions } from "./use-people-actions";

const ROLE_OPTIONS = ROLES.map((role) => [role, ROLE_LABELS[role]] as const);

interface PeopleTableProps {
  people: readonly User[];
  actions: PeopleActions;
  onRemove: (user: User) => void;
  onShowTokens: (user: User) => void;
  /** True when users sign in with the identity provider only. */
  onlySignOn: boolean;
}

export function PeopleTable({ people, actions, onRemove, onShowTokens, onlySignOn }: PeopleTableProps) {
  const own = usePrincipal().id;
  const columns: Column<User>[] = [
    textColumn("Name", (user) => <Identity user={user} own={user.id === own} />),
    textColumn("Role", (user) => <RoleChoice user={user} own={user.id === own} actions={actions} />, {
      className: "w-32",
    }),
    timeColumn("Last seen", ({ lastSeenAt }) => lastSeenAt, { never: "never", from: "sm", className: "w-32" }),
    timeColumn("Joined", ({ createdAt }) => createdAt, { from: "md", className: "w-32" }),
    actionsColumn(
      (user) => (
        <UserMenu
          user={user}
          actions={actions}
          onlySignOn={onlySignOn}
          own={user.id === own}
          onRemove={() => onRemove(user)}
          onShowTokens={() => onShowTokens(user)}
        />
      ),
      { className: "w-10" },
    ),
  ];
  return <DataTable label="People" look="panel" columns={columns} rows={people} toKey={({ id }) => id} />;
}

function Identity({ user, own }: { user: User; own: boolean }) {
  return (
    <div className="min-w-0 [overflow-wrap:anywhere]">
      <span className="mr-1.5 font-medium">
        <bdi>{user.name}</bdi>
      </span>
      {own && <Badge>You</Badge>}
      {user.disabledAt !== null && <Badge tone="warn">Switched off</Badge>}
      {(user.slowedUntil ?? null) !== null && (
        <Badge tone="warn" title="After wrong passwords, sign-ins from new browsers have to wait">
          Sign-in slowed
        </Badge>
      )}
      {user.signIn?.includes("password") === false && (
        <Badge title="Signs in with the identity provider only">No password</Badge>
      )}
      <div className="text-mute text-xs">{user.email}</div>
      <div className="text-mute text-xs sm:hidden">
        Last seen: <LastSeen user={user} />
      </div>
    </div>
  );
}

function LastSeen({ user: { lastSeenAt } }: { user: User }) {
  return lastSeenAt === null ? (
    <span className="text-faint">never</span>
  ) : (
    <RelativeTime at={lastSeenAt} className="text-mute" />
  );
}

interface UserProps {
  user: User;
  own: boolean;
  actions: PeopleActions;
}

function RoleChoice({ user, own, actions }: UserProps) {
  return (
    <NativeSelect
      aria-label={`Role of ${user.name}`}
      title={own ? "Another admin can change your role" : undefined}
      value={user.role}
      disabled={own || actions.pending}
      options={ROLE_OPTIONS}
      className="w-28!"
      onChange={({ target }) => {
        const role = ROLES.find((each) => each === target.value);
        if (role !== undefined) actions.setRole(user, role);
      }}
    />
  );
}

interface UserMenuProps extends UserProps {
  onlySignOn: boolean;
  onRemove: () => void;
  onShowTokens: () => void;
}

function UserMenu({ user, own, actions, onlySignOn, onRemove, onShowTokens }: UserMenuProps) {
  const disabled = user.disabledAt !== null;
  return (
    <Menu
      trigger={<MenuButton label={`Actions for ${user.name}`} className={ROW_CONTROL} />}
      items={[
        ...(onlySignOn
          ? []
          : [
              { label: "Create reset link", icon: KeyRound, onSelect: () => actions.createReset(user) },
              { label: "Unlock sign-in", icon: LockOpen, onSelect: () => actions.unlock(user) },
            ]),
        { label: "API tokens…", icon: KeySquare, onSelect: onShowTokens },
        { label: "End sessions", icon: LogOut, onSelect: () => actions.endSessions(user) },
        {
          label: disabled ? "Switch on" : "Switch off",
          icon: Power,
          disabled: own,
          onSelect: () => actions.setDisabled(user, !disabled),
        },
        { label: "Remove", icon: Trash2, danger: true, disabled: own, onSelect: onRemove },
      ]}
    />
  );
}
