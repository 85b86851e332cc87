import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { SecretText } from "@/app/_components/accounts/summary/secret-text";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { getConsoleAddress } from "@/lib/base-path";
import { formatPlural } from "@/lib/format";
import type { PeopleActions } from "./use-people-actions";

interface ResetDialogProps {
  reset: NonNullable<PeopleActions["reset"]>;
  actions: PeopleActions;
}

/** A reset link, and the API tokens that a new password does not end. */
export function ResetDialog({ reset: { user, token }, actions }: ResetDialogProps) {
  const { data: tokens } = useQuery(trpc.tokens.list.queryOptions());
  const count = tokens?.filter(({ ownerId }) => ownerId === user.id).length ?? 0;
  const old = user.signIn?.includes("password") === false ? "" : " The old password works until then.";
  return (
    <LinkDialog
      title={`Reset link for ${user.name}`}
      description={`${user.email} can set a new password with it within a day.${old} Earlier reset links no longer work.`}
      token={token}
      onClose={actions.closeReset}
    >
      {count > 0 && (
        <Alert
          tone="warn"
          title={`${formatPlural(count, "API token")} of ${user.name} ${count === 1 ? "keeps" : "keep"} working`}
        >
          <p className="mb-2">A new password ends sessions and connected clients, not API tokens.</p>
          <Button disabled={actions.pending} onClick={() => actions.revokeTokens(user)}>
            Revoke API tokens
          </Button>
        </Alert>
      )}
    </LinkDialog>
  );
}

interface LinkDialogProps {
  title: string;
  description: string;
  token: string;
  onClose: () => void;
  children?: ReactNode;
}

/** Shows a one-time link, of which the server keeps no readable copy. */
export function LinkDialog({ title, description, token, onClose, children }: LinkDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} description={description}>
      <div className="flex flex-col gap-4">
        {/* The token is in the fragment, which browsers send to no server. */}
        <SecretText label="Link" text={`${getConsoleAddress()}/join#${token}`} />
        <p className="text-mute text-xs">
          Copy it now: it is shown once. It can be used once, so send it to this user only.
        </p>
        {children}
        <Button size="md" variant="primary" onClick={onClose} className="self-end">
          Done
        </Button>
      </div>
    </Dialog>
  );
}
