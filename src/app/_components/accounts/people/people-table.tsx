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
import type { Person } from "@/lib/contract/account";
import type { PeopleActions } from "./use-people-actions";

const ROLE_OPTIONS = ROLES.map((role) => [role, ROLE_LABELS[role]] as const);

interface PeopleTableProps {
  people: readonly Person[];
  actions: PeopleActions;
  onRemove: (person: Person) => void;
  onShowTokens: (person: Person) => void;
  /** True when users sign in with the identity provider only. */
  onlySignOn: boolean;
}

export function PeopleTable({ people, actions, onRemove, onShowTokens, onlySignOn }: PeopleTableProps) {
  const own = usePrincipal().id;
  const columns: Column<Person>[] = [
    textColumn("Name", (person) => <Identity person={person} own={person.id === own} />),
    textColumn("Role", (person) => <RoleChoice person={person} own={person.id === own} actions={actions} />, {
      className: "w-32",
    }),
    timeColumn("Last seen", ({ lastSeenAt }) => lastSeenAt, { never: "never", from: "sm", className: "w-32" }),
    timeColumn("Joined", ({ createdAt }) => createdAt, { from: "md", className: "w-32" }),
    actionsColumn(
      (person) => (
        <PersonMenu
          {...{ person, actions, onlySignOn }}
          own={person.id === own}
          onRemove={() => onRemove(person)}
          onShowTokens={() => onShowTokens(person)}
        />
      ),
      { className: "w-10" },
    ),
  ];
  return <DataTable label="People" look="panel" columns={columns} rows={people} toKey={({ id }) => id} />;
}

function Identity({ person, own }: { person: Person; own: boolean }) {
  return (
    <div className="min-w-0 [overflow-wrap:anywhere]">
      <span className="mr-1.5 font-medium">
        <bdi>{person.name}</bdi>
      </span>
      {own && <Badge>You</Badge>}
      {person.disabledAt !== null && <Badge tone="warn">Switched off</Badge>}
      {(person.slowedUntil ?? null) !== null && (
        <Badge tone="warn" title="After wrong passwords, sign-ins from new browsers have to wait">
          Sign-in slowed
        </Badge>
      )}
      {person.signIn?.includes("password") === false && (
        <Badge title="Signs in with the identity provider only">No password</Badge>
      )}
      <div className="text-mute text-xs">{person.email}</div>
      <div className="text-mute text-xs sm:hidden">
        Last seen: <LastSeen person={person} />
      </div>
    </div>
  );
}

function LastSeen({ person: { lastSeenAt } }: { person: Person }) {
  return lastSeenAt === null ? (
    <span className="text-faint">never</span>
  ) : (
    <RelativeTime at={lastSeenAt} className="text-mute" />
  );
}

interface PersonProps {
  person: Person;
  own: boolean;
  actions: PeopleActions;
}

function RoleChoice({ person, own, actions }: PersonProps) {
  return (
    <NativeSelect
      aria-label={`Role of ${person.name}`}
      title={own ? "Another admin can change your role" : undefined}
      value={person.role}
      disabled={own || actions.pending}
      options={ROLE_OPTIONS}
      className="w-28!"
      onChange={({ target }) => {
        const role = ROLES.find((each) => each === target.value);
        if (role !== undefined) actions.setRole(person, role);
      }}
    />
  );
}

interface PersonMenuProps extends PersonProps {
  onlySignOn: boolean;
  onRemove: () => void;
  onShowTokens: () => void;
}

function PersonMenu({ person, own, actions, onlySignOn, onRemove, onShowTokens }: PersonMenuProps) {
  const disabled = person.disabledAt !== null;
  return (
    <Menu
      trigger={<MenuButton label={`Actions for ${person.name}`} className={ROW_CONTROL} />}
      items={[
        ...(onlySignOn
          ? []
          : [
              { label: "Create reset link", icon: KeyRound, onSelect: () => actions.createReset(person) },
              { label: "Unlock sign-in", icon: LockOpen, onSelect: () => actions.unlock(person) },
            ]),
        { label: "API tokens…", icon: KeySquare, onSelect: onShowTokens },
        { label: "End sessions", icon: LogOut, onSelect: () => actions.endSessions(person) },
        {
          label: disabled ? "Switch on" : "Switch off",
          icon: Power,
          disabled: own,
          onSelect: () => actions.setDisabled(person, !disabled),
        },
        { label: "Remove", icon: Trash2, danger: true, disabled: own, onSelect: onRemove },
      ]}
    />
  );
}
