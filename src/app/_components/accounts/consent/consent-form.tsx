"use client";

import { useId, useState } from "react";
import { AuthCard } from "@/app/_components/accounts/sign-in/auth-card";
import { Alert } from "@/app/_ui/alert";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { RelativeTime } from "@/app/_ui/relative-time";
import { describeRoles, REQUIREMENTS, type Role } from "@/lib/contract/access";
import { MCP_SCOPES, type McpScope } from "@/lib/contract/connected-client";
import type { ConsentRequest } from "@/lib/contract/connected-client-schema";
import { mayAllow, useConsentDecision } from "./use-consent-decision";

export interface ConsentFormProps {
  request: ConsentRequest;
  user: string;
  role: Role;
}

export const SCOPE_TEXTS: Record<McpScope, { label: string; about: string }> = {
  "mcp:read": { label: "See tools", about: "Names, descriptions and parameters." },
  "mcp:run": {
    label: "Run tools",
    about: "Calls are recorded under your name. Those that require approval still wait for it.",
  },
};

/** Shows what a program requests, and takes the decision. The program's name and address are its own words. */
export function ConsentForm({ request, user, role }: ConsentFormProps) {
  const { clientName, scopes, server, before } = request;
  const [chosen, setChosen] = useState(() => scopes.filter((scope) => mayAllow(role, scope)));
  const { decide, sentTo, pending, problem, disabled } = useConsentDecision();

  if (sentTo !== null) return <ConsentSent clientName={clientName} url={sentTo} />;
  return (
    <AuthCard
      title={`Allow ${clientName}?`}
      text={
        <>
          It asks to use {server === null ? "the tools of this server" : <ServerName name={server} />} in your name. You
          are signed in as <bdi className="font-medium text-text">{user}</bdi>.
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">What it may do</legend>
          {scopes.map((scope) => (
            <ScopeChoice
              key={scope}
              scope={scope}
              checked={chosen.includes(scope)}
              denial={
                mayAllow(role, scope)
                  ? null
                  : `Needs the role ${describeRoles(REQUIREMENTS[MCP_SCOPES[scope]].role)}; yours is ${role}.`
              }
              onChange={(checked) =>
                setChosen(scopes.filter((each) => (each === scope ? checked : chosen.includes(each))))
              }
            />
          ))}
        </fieldset>
        {before !== null && (
          <p className="text-mute">
            You allowed this program <RelativeTime at={before.allowedAt} />. This request{" "}
            {new Intl.ListFormat("en").format(listChanges(before.changed))}.
          </p>
        )}
        <ConsentDocument document={request.document} />
        <ConsentAnswer request={request} />
        {problem !== null && <Alert live tone="bad" title={problem} />}
        <div className="flex gap-2">
          <Button
            size="md"
            variant="primary"
            disabled={disabled || chosen.length === 0}
            onClick={() => void decide(true, chosen)}
          >
            {pending ? "Saving…" : "Allow"}
          </Button>
          <Button size="md" disabled={disabled} onClick={() => void decide(false, chosen)}>
            Deny
          </Button>
        </div>
        <p className="text-mute text-xs">You can disconnect it at any time in Settings → Account.</p>
      </div>
    </AuthCard>
  );
}

function listChanges({ scopes, tools, address }: NonNullable<ConsentRequest["before"]>["changed"]): string[] {
  const changes = [scopes && "asks for more permissions", tools && "is for other tools"];
  return [...changes, address && "sends its answer to another address"].filter((change) => change !== false);
}

/** The host that publishes the description of the program. */
export function ConsentDocument({ document }: Pick<ConsentRequest, "document">) {
  if (document === null) return null;
  return (
    <p className="text-mute">
      Described by <strong className="font-medium text-text">{new URL(document).host}</strong>:{" "}
      <code className="font-mono text-xs [overflow-wrap:anywhere]">{document}</code>
    </p>
  );
}

interface ConsentAnswerProps {
  request: ConsentRequest;
  /** The page continues without a click. */
  repeats?: boolean;
}

/** The address that receives the answer. */
export function ConsentAnswer({ request: { host, loopback, scheme, redirect }, repeats = false }: ConsentAnswerProps) {
  const address = <code className="font-mono text-xs [overflow-wrap:anywhere]">{redirect}</code>;
  if (loopback || scheme !== null) {
    const place = scheme === null ? `, at ${host}` : ` that opens ${scheme} links`;
    return (
      <Alert tone="warn" title={`The answer goes to a program on this computer${place}`}>
        <p>
          {repeats
            ? "Stop it if you have not just started this sign-in yourself."
            : "Allow it only if you have just started this sign-in yourself."}
        </p>
        <p>Address: {address}</p>
      </Alert>
    );
  }
  return (
    <div className="flex flex-col gap-1 text-mute">
      <p>
        The answer goes to <strong className="font-medium text-text [overflow-wrap:anywhere]">{host}</strong>.{" "}
        {repeats ? "Stop it if you do not know this address." : "Allow it only if you know this address."}
      </p>
      <p>Address: {address}</p>
    </div>
  );
}

/** The browser hands the answer to a program and stays on this page. */
export function ConsentSent({ clientName, url }: { clientName: string; url: string }) {
  return (
    <AuthCard
      title={`Continue in ${clientName}`}
      text="Your browser may ask whether to open it. Then you can close this page."
    >
      <Button size="md" onClick={() => window.location.assign(url)}>
        Open {clientName}
      </Button>
    </AuthCard>
  );
}

export function ServerName({ name }: { name: string }) {
  return (
    <>
      the {name.startsWith("sets/") ? "toolset" : "server"}{" "}
      <bdi className="font-mono text-text">{name.replace(/^sets\//, "")}</bdi>
    </>
  );
}

interface ScopeChoiceProps {
  scope: McpScope;
  checked: boolean;
  /** Why the user cannot allow it; null where that is possible. */
  denial: string | null;
  onChange: (checked: boolean) => void;
}

function ScopeChoice({ scope, checked, denial, onChange }: ScopeChoiceProps) {
  const id = useId();
  const { label, about } = SCOPE_TEXTS[scope];
  return (
    <div className="flex gap-1.5">
      <Checkbox
        id={id}
        checked={checked}
        disabled={denial !== null}
        aria-describedby={`${id}-about`}
        onChange={onChange}
      />
      <div className="min-w-0 pt-0.5">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <p id={`${id}-about`} className="text-mute text-xs">
          {denial ?? about}
        </p>
      </div>
    </div>
  );
}

const REASONS: Record<string, string> = {
  invalid_client:
    "This server does not know the program, or forgot it because it was not used. Remove the server in the program and add it again.",
  client_document:
    "The description that the program publishes about itself could not be read, or has a mistake. The audit log says which.",
  client_disabled: "The program was disabled on this server.",
  invalid_redirect: "The program asked for an answer at an address that it did not register.",
};

/** A request that cannot be answered to the program that sent it. */
export function ConsentProblem({ error }: { error: string | null }) {
  const known = error !== null && Object.hasOwn(REASONS, error) ? REASONS[error] : undefined;
  return (
    <AuthCard
      title="This sign-in can't continue"
      text={known ?? "The request is incomplete or has expired. Start again in the program that sent you here."}
    >
      <ButtonLink href="/" size="md">
        Go to the console
      </ButtonLink>
    </AuthCard>
  );
}
