"use client";

import { useEffect, useState } from "react";
import { AuthCard } from "@/app/_components/accounts/sign-in/auth-card";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { RelativeTime } from "@/app/_ui/relative-time";
import {
  ConsentAnswer,
  ConsentDocument,
  type ConsentFormProps,
  ConsentSent,
  SCOPE_TEXTS,
  ServerName,
} from "./consent-form";
import { mayAllow, useConsentDecision } from "./use-consent-decision";

const SECONDS = 5;

/** A program signs in again with what the user allowed before: the page says so and continues unless the user stops it. */
export function ConsentRepeat({ request, user, role }: ConsentFormProps) {
  const { clientName, scopes, server, before } = request;
  const [left, setLeft] = useState(SECONDS);
  const { decide, sentTo, pending, problem, disabled } = useConsentDecision();
  const granted = scopes.filter((scope) => mayAllow(role, scope));
  const counting = !disabled && problem === null;

  // Synchronizes with the clock, while the user can see the page.
  useEffect(() => {
    if (!counting) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== "visible") return;
      if (left > 1) setLeft(left - 1);
      else void decide(true, granted);
    }, 1000);
    return () => clearInterval(timer);
  });

  if (sentTo !== null) return <ConsentSent clientName={clientName} url={sentTo} />;
  return (
    <AuthCard
      title={`${clientName} is signing in again`}
      text={
        <>
          You, <bdi className="font-medium text-text">{user}</bdi>, allowed it{" "}
          {before !== null && <RelativeTime at={before.allowedAt} />} to use{" "}
          {server === null ? "the tools of this server" : <ServerName name={server} />} in your name.
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ul aria-label="What it may do" className="list-disc pl-4">
          {granted.map((scope) => (
            <li key={scope}>{SCOPE_TEXTS[scope].label}</li>
          ))}
        </ul>
        <ConsentDocument document={request.document} />
        <ConsentAnswer request={request} repeats />
        {problem !== null && <Alert live tone="bad" title={problem} />}
        <div className="flex gap-2">
          <Button size="md" variant="primary" disabled={disabled} onClick={() => void decide(true, granted)}>
            {pending ? "Signing in…" : "Continue"}
          </Button>
          <Button size="md" disabled={disabled} onClick={() => void decide(false, granted)}>
            Stop
          </Button>
        </div>
        <p className="text-mute text-xs">
          {counting ? `Continues in ${left} s. ` : ""}You can disconnect it at any time in Settings → Account.
        </p>
      </div>
    </AuthCard>
  );
}
