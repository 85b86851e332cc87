"use client";

import { useEffect, useId, useState } from "react";
import { AuthCard } from "@/app/_components/accounts/sign-in/auth-card";
import { Alert } from "@/app/_ui/alert";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Textarea } from "@/app/_ui/field";
import { fetchOwn } from "@/app/_ui/foreign-answer";
import { JsonText } from "@/app/_ui/json-text";
import { RelativeTime } from "@/app/_ui/relative-time";
import { toAddress, toStorageName } from "@/lib/base-path";
import type { ApprovalItem, ApprovalOutcome } from "@/lib/contract/approval";

interface Decision {
  approved: boolean;
  reason?: string;
  confirmed?: boolean;
}

/** @throws Error with a message for users */
async function ask<Answer>(token: string, decision?: Decision): Promise<Answer> {
  const body = JSON.stringify({ token, ...(decision && { decision }) });
  const response = await fetchOwn(toAddress("/api/approval-link"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const answer = (await response.json()) as Answer & { message?: string; needsSignIn?: boolean };
  if (response.ok) return answer;
  const error = new Error(answer.message ?? "The server did not answer");
  throw answer.needsSignIn === true ? Object.assign(error, { name: NEEDS_SIGN_IN }) : error;
}

const NEEDS_SIGN_IN = "NeedsSignIn";
/** The token over a sign-in, which leads away from the address and back without its fragment. */
const KEPT_TOKEN = "toolroom.approval-link";

function takeToken(): string {
  const own = window.location.hash.slice(1);
  const kept = sessionStorage.getItem(toStorageName(KEPT_TOKEN)) ?? "";
  sessionStorage.removeItem(toStorageName(KEPT_TOKEN));
  if (own !== "" || kept === "") return own;
  window.history.replaceState(null, "", `#${kept}`);
  return kept;
}

const toMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type Shown =
  | { kind: "loading" }
  | { kind: "gone"; message: string }
  | { kind: "signIn"; message: string }
  | { kind: "open"; item: ApprovalItem; approver: string }
  | { kind: "decided"; approved: boolean };

/** One call that waits for approval, for a phone: only its buttons decide. */
export function ApproveView() {
  const [token, setToken] = useState("");
  const [shown, setShown] = useState<Shown>({ kind: "loading" });

  // Outside system: the fragment of the address, which the server does not know.
  useEffect(() => {
    const own = takeToken();
    setToken(own);
    ask<{ item: ApprovalItem; approver: string }>(own).then(
      ({ item, approver }) =>
        setShown(
          item.status === "open"
            ? { kind: "open", item, approver }
            : { kind: "gone", message: `This call is decided: ${item.status}` },
        ),
      (error: unknown) => {
        const needsSignIn = error instanceof Error && error.name === NEEDS_SIGN_IN;
        const message = own === "" ? "This link is incomplete" : toMessage(error);
        setShown({ kind: needsSignIn ? "signIn" : "gone", message });
      },
    );
  }, []);

  switch (shown.kind) {
    case "loading":
      return (
        <AuthCard title="Approve a call" text="Loading…">
          {null}
        </AuthCard>
      );
    case "gone":
      return (
        <AuthCard title="Nothing to decide" text={shown.message}>
          {null}
        </AuthCard>
      );
    case "signIn":
      return (
        <AuthCard title="Sign in to decide" text={shown.message}>
          <ButtonLink
            size="md"
            variant="primary"
            href="/sign-in?to=%2Fapprove"
            onClick={() => sessionStorage.setItem(toStorageName(KEPT_TOKEN), token)}
          >
            Sign in
          </ButtonLink>
        </AuthCard>
      );
    case "decided":
      return (
        <AuthCard
          title={shown.approved ? "Approved" : "Rejected"}
          text={
            shown.approved
              ? "The call runs. You can close this page."
              : "The call does not run. You can close this page."
          }
        >
          {null}
        </AuthCard>
      );
    default:
      return (
        <OpenCall
          token={token}
          item={shown.item}
          approver={shown.approver}
          onDecided={(approved) => setShown({ kind: "decided", approved })}
          onGone={(message) => setShown({ kind: "gone", message })}
        />
      );
  }
}

interface OpenCallProps {
  token: string;
  item: ApprovalItem;
  approver: string;
  onDecided: (approved: boolean) => void;
  onGone: (message: string) => void;
}

function OpenCall({ token, item, approver, onDecided, onGone }: OpenCallProps) {
  const id = useId();
  const [reason, setReason] = useState("");
  const [isPending, setIsPending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [needsConfirmation, setNeedsConfirmation] = useState(false);
  const decide = async (approved: boolean): Promise<void> => {
    setIsPending(true);
    setProblem(null);
    try {
      const sent = { approved, reason, ...(needsConfirmation && approved && { confirmed: true }) };
      const outcome = await ask<ApprovalOutcome>(token, sent);
      if (outcome.decided) onDecided(approved);
      else if (outcome.needsConfirmation) setNeedsConfirmation(true);
      else if (outcome.status !== "open") onGone(`This call is decided: ${outcome.status}`);
      else setProblem(outcome.denied ?? "Nothing was decided");
    } catch (error) {
      setProblem(toMessage(error));
    } finally {
      setIsPending(false);
    }
  };
  const { toolName, definition, actor, requestedAt, argumentsText, restricted } = item;
  return (
    <AuthCard title="Approve a call?" text={<>Your decision counts as {approver}'s.</>}>
      <div className="flex flex-col gap-3">
        <div className="[overflow-wrap:anywhere]">
          <p className="font-medium font-mono text-sm">{toolName}</p>
          <p className="text-mute text-xs">
            {actor.name}, <RelativeTime at={requestedAt} />
          </p>
          {definition !== null && <p className="mt-1 line-clamp-4 text-mute text-xs">{definition.description}</p>}
        </div>
        {definition?.annotations?.destructiveHint === true && <Alert tone="warn" title="Marked destructive" />}
        {restricted ? (
          <p className="text-mute text-xs">The arguments are hidden: the call uses another user's credential.</p>
        ) : (
          <JsonText text={argumentsText} label="Arguments" className="max-h-72" />
        )}
        <div>
          <label htmlFor={id} className="mb-1 block text-mute text-xs">
            Reason (optional)
          </label>
          <Textarea id={id} value={reason} maxLength={2_000} onChange={(event) => setReason(event.target.value)} />
        </div>
        {needsConfirmation && (
          <Alert
            live
            tone="warn"
            title="The caller disconnected: no client receives the result. Approve again to run it."
          />
        )}
        {problem !== null && <Alert live tone="bad" title={problem} />}
        <div className="grid grid-cols-2 gap-2">
          <Button size="md" disabled={isPending} onClick={() => void decide(false)}>
            Reject
          </Button>
          <Button size="md" variant="primary" disabled={isPending} onClick={() => void decide(true)}>
            Approve
          </Button>
        </div>
      </div>
    </AuthCard>
  );
}
