import { useState } from "react";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import type { Role } from "@/lib/contract/access";
import type { Person } from "@/lib/contract/account";

interface Action {
  run: () => Promise<unknown>;
  done: string;
  undo?: () => void;
}

export interface PeopleActions {
  pending: boolean;
  /** Why the last action did not succeed. */
  problem: string | null;
  dismiss: () => void;
  setRole: (person: Person, role: Role) => void;
  setDisabled: (person: Person, disabled: boolean) => void;
  endSessions: (person: Person) => void;
  unlock: (person: Person) => void;
  createReset: (person: Person) => void;
  withdraw: (id: string) => void;
  /** A link that was just created; shown once. */
  reset: { person: Person; token: string } | null;
  revokeTokens: (person: Person) => void;
  closeReset: () => void;
}

/** The actions of an admin on users and invitations; each refreshes the lists. */
export function usePeopleActions(): PeopleActions {
  const { people } = client;
  const [reset, setReset] = useState<PeopleActions["reset"]>(null);
  const {
    mutate,
    isPending,
    problem,
    reset: dismiss,
  } = useAction<unknown, { message: string }, Action, unknown>(
    { mutationFn: ({ run }) => run() },
    {
      stale: [trpc.people.list, trpc.people.invitations, trpc.tokens.list],
      done: (_, { done, undo }) => ({ title: done, action: undo && { label: "Undo", onClick: undo } }),
    },
  );

  function setRole(person: Person, role: Role): void {
    mutate({
      run: () => people.setRole.mutate({ id: person.id, role }),
      done: `${person.name} is now ${ROLE_LABELS[role].toLowerCase()}`,
      undo: () => setRole({ ...person, role }, person.role),
    });
  }

  function setDisabled(person: Person, disabled: boolean): void {
    mutate({
      run: () => people.setDisabled.mutate({ id: person.id, disabled }),
      done: disabled
        ? `${person.name} is switched off and signed out; API tokens revoked`
        : `${person.name} can sign in again`,
    });
  }

  return {
    pending: isPending,
    problem,
    dismiss,
    setRole,
    setDisabled,
    endSessions: (person) =>
      mutate({
        run: () => people.endSessions.mutate({ id: person.id }),
        done: `${person.name} is signed out everywhere`,
      }),
    unlock: (person) =>
      mutate({
        run: () => people.unlock.mutate({ id: person.id }),
        done: `${person.name} can try to sign in again at once`,
      }),
    revokeTokens: (person) =>
      mutate({
        run: () => people.revokeTokens.mutate({ id: person.id }),
        done: `API tokens of ${person.name} revoked`,
      }),
    createReset: (person) =>
      mutate({
        run: async () => setReset({ person, token: await people.createReset.mutate({ id: person.id }) }),
        done: "Reset link created",
      }),
    withdraw: (id) => mutate({ run: () => people.revokeInvitation.mutate({ id }), done: "Invitation withdrawn" }),
    reset,
    closeReset: () => setReset(null),
  };
}
