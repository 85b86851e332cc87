import { useState } from "react";
import { ROLE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import type { Role } from "@/lib/contract/access";
import type { User } from "@/lib/contract/account";

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
  setRole: (user: User, role: Role) => void;
  setDisabled: (user: User, disabled: boolean) => void;
  endSessions: (user: User) => void;
  unlock: (user: User) => void;
  createReset: (user: User) => void;
  withdraw: (id: string) => void;
  /** A link that was just created; shown once. */
  reset: { user: User; token: string } | null;
  revokeTokens: (user: User) => void;
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

  function setRole(user: User, role: Role): void {
    mutate({
      run: () => people.setRole.mutate({ id: user.id, role }),
      done: `${user.name} is now ${ROLE_LABELS[role].toLowerCase()}`,
      undo: () => setRole({ ...user, role }, user.role),
    });
  }

  function setDisabled(user: User, disabled: boolean): void {
    mutate({
      run: () => people.setDisabled.mutate({ id: user.id, disabled }),
      done: disabled
        ? `${user.name} is switched off and signed out; API tokens revoked`
        : `${user.name} can sign in again`,
    });
  }

  return {
    pending: isPending,
    problem,
    dismiss,
    setRole,
    setDisabled,
    endSessions: (user) =>
      mutate({
        run: () => people.endSessions.mutate({ id: user.id }),
        done: `${user.name} is signed out everywhere`,
      }),
    unlock: (user) =>
      mutate({
        run: () => people.unlock.mutate({ id: user.id }),
        done: `${user.name} can try to sign in again at once`,
      }),
    revokeTokens: (user) =>
      mutate({
        run: () => people.revokeTokens.mutate({ id: user.id }),
        done: `API tokens of ${user.name} revoked`,
      }),
    createReset: (user) =>
      mutate({
        run: async () => setReset({ user, token: await people.createReset.mutate({ id: user.id }) }),
        done: "Reset link created",
      }),
    withdraw: (id) => mutate({ run: () => people.revokeInvitation.mutate({ id }), done: "Invitation withdrawn" }),
    reset,
    closeReset: () => setReset(null),
  };
}
