import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { startSingleSignOn } from "@/app/_components/accounts/sign-in/auth-requests";
import { namesRedirect, RedirectAddress } from "@/app/_components/servers/summary/redirect-address";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { SERVER_QUERIES } from "@/app/_components/servers/summary/use-live-servers";
import { useSignIn } from "@/app/_components/servers/summary/use-sign-in";
import { FormField } from "@/app/_kit/form-field";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { OwnConnection } from "@/lib/contract/credential";
import type { ServerDetail } from "@/lib/contract/server";
import { formatPlural } from "@/lib/format";

interface OwnConnectionPanelProps {
  server: ServerDetail;
  /** The page to come back to from a sign-in, where that is not the server's. */
  returnTo?: string;
}

/** The viewer's own connection to a server with personal credentials, and for admins who else has one. */
export function OwnConnectionPanel({ server, returnTo }: OwnConnectionPanelProps) {
  const { data: own } = useQuery(trpc.credentials.own.queryOptions({ name: server.name }));
  const [replacing, setReplacing] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const actions = useOwnConnection(server, setProblem);
  if (!own) return null;
  const connected = own.connectedAt !== null || own.isProven === true;
  const entering = own.kind === "values" && own.refusal === null && (!connected || replacing);
  return (
    <section
      aria-label="Your connection"
      data-status={connected ? "succeeded" : "waiting"}
      className="rounded-lg border border-line bg-panel"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-2">
        <h2 className="font-medium">Your connection</h2>
        <span className="text-mute text-xs">
          <OwnState own={own} />
        </span>
        <span className="ml-auto flex flex-wrap gap-2">
          {own.kind === "oauth" && own.refusal === null && server.enabled && (
            <Button
              needs="run"
              variant={connected ? "secondary" : "primary"}
              disabled={actions.opening}
              onClick={() => actions.signIn(returnTo)}
            >
              {actions.opening ? "Opening…" : connected ? "Sign in again" : "Sign in"}
            </Button>
          )}
          {own.kind === "identity" && own.provider && own.refusal === null && (
            <ProviderButton
              own={own}
              provider={own.provider}
              returnTo={returnTo ?? toServerPath(server.name)}
              report={setProblem}
            />
          )}
          {own.kind === "values" && connected && !replacing && (
            <Button needs="run" onClick={() => setReplacing(true)}>
              Replace
            </Button>
          )}
          {connected && !replacing && (
            <>
              {server.enabled && (
                <Button needs="run" disabled={actions.testing} onClick={actions.test}>
                  {actions.testing ? "Connecting…" : "Test"}
                </Button>
              )}
              {own.connectedAt !== null && (
                <Button disabled={actions.removing} onClick={actions.remove}>
                  Remove
                </Button>
              )}
            </>
          )}
        </span>
      </header>
      <ActionProblem problem={problem} onDismiss={() => setProblem(null)} className="mx-3.5 mb-2.5">
        {namesRedirect(problem) && <RedirectAddress />}
      </ActionProblem>
      {entering && (
        <ValuesForm
          own={own}
          saving={actions.saving}
          onSave={(values) => actions.save(values, () => setReplacing(false))}
          onCancel={connected ? () => setReplacing(false) : null}
        />
      )}
      <Holders server={server.name} />
    </section>
  );
}

/** Sends the viewer to the identity provider, whose tokens are kept for servers that it lets its users in to. */
function ProviderButton({
  own,
  provider,
  returnTo,
  report,
}: {
  own: OwnConnection;
  provider: string;
  returnTo: string;
  report: (problem: string | null) => void;
}) {
  const [opening, setOpening] = useState(false);
  async function open() {
    setOpening(true);
    report(null);
    const answer = await startSingleSignOn({ connect: true, to: returnTo });
    if ("body" in answer) window.location.assign(answer.body.url);
    else {
      report(answer.refusal.message);
      setOpening(false);
    }
  }
  return (
    <Button needs="run" variant={own.isProven ? "secondary" : "primary"} disabled={opening} onClick={() => void open()}>
      {opening ? "Opening…" : `Sign in with ${provider}`}
    </Button>
  );
}

function OwnState({ own }: { own: OwnConnection }) {
  if (own.refusal !== null) return own.refusal;
  if (own.kind === "identity") {
    if (!own.isProven && own.connectedAt === null) return `Sign in with ${own.provider} to call this server's tools.`;
    return (
      <>
        <Badge tone="ok" className="mr-1.5">
          Ready
        </Badge>
        {own.provider ?? "The issuer of your token"} lets you in when you call a tool.
      </>
    );
  }
  if (own.connectedAt === null) {
    return own.kind === "oauth"
      ? "Sign in with your account to call this server's tools."
      : "Enter your credential to call this server's tools. Only you use it, and nobody can read it back.";
  }
  return (
    <>
      <Badge tone="ok" className="mr-1.5">
        Connected
      </Badge>
      {own.kind === "oauth" ? "signed in" : "entered"} <RelativeTime at={own.connectedAt} />
    </>
  );
}

/** The actions on the viewer's own credential. */
function useOwnConnection({ name }: ServerDetail, setProblem: (problem: string | null) => void) {
  const { credentials } = trpc;
  const common = {
    stale: [...SERVER_QUERIES, credentials.own.queryKey({ name }), credentials.holders.queryKey({ name })],
    report: setProblem,
  };
  const signIn = useSignIn(setProblem);
  const test = useAction(credentials.test, {
    ...common,
    done: ({ status }) => (status === "connected" ? `Connected to ${name}` : null),
    onDone: ({ status, reason }) => status !== "connected" && setProblem(reason ?? `The server is ${status}`),
  });
  // Connects at once, so that a wrong value is noticed.
  const save = useAction(credentials.save, { ...common, onDone: () => test.mutate({ name }) });
  const remove = useAction(credentials.remove, {
    ...common,
    done: `Your credential for ${name} was removed`,
  });
  return {
    opening: signIn.pendingName !== null,
    signIn: (returnTo?: string) => signIn.start(name, returnTo),
    testing: test.isPending,
    test: () => test.mutate({ name }),
    saving: save.isPending,
    save: (values: Record<string, string>, onSaved: () => void) =>
      save.mutate({ name, values }, { onSuccess: onSaved }),
    removing: remove.isPending,
    remove: () => remove.mutate({ name }),
  };
}

interface ValuesFormProps {
  own: OwnConnection;
  saving: boolean;
  onSave: (values: Record<string, string>) => void;
  /** Null where nothing is stored yet. */
  onCancel: (() => void) | null;
}

function ValuesForm({ own, saving, onSave, onCancel }: ValuesFormProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const denial = useDenial("run");
  const entered = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
  const complete = own.slots.every(({ name, stored }) => stored || Object.hasOwn(entered, name));
  return (
    <form
      className="grid gap-3 border-line border-t px-3.5 py-3 sm:grid-cols-[minmax(0,36rem)]"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete && denial === null && !saving) onSave(entered);
      }}
    >
      {own.slots.map(({ name, label, stored }) => (
        <FormField
          key={name}
          id={`own-${name}`}
          label={label ?? name}
          {...(label !== undefined && { dataKey: name })}
          required={!stored}
          problems={[]}
        >
          <Input
            id={`own-${name}`}
            type="password"
            value={values[name] ?? ""}
            placeholder={stored ? "Stored. Leave empty to keep" : ""}
            autoComplete="off"
            data-1p-ignore=""
            spellCheck={false}
            className="font-mono text-xs!"
            onChange={({ target }) => setValues((before) => ({ ...before, [name]: target.value }))}
          />
        </FormField>
      ))}
      <div className="flex gap-2">
        <Button type="submit" needs="run" variant="primary" disabled={!complete || saving}>
          {saving ? "Saving…" : "Connect"}
        </Button>
        {onCancel !== null && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </form>
  );
}

/** Names and dates, for admins. */
function Holders({ server }: { server: string }) {
  const isAdmin = useDenial("administer") === null;
  const { data: holders = [] } = useQuery({
    ...trpc.credentials.holders.queryOptions({ name: server }),
    enabled: isAdmin,
  });
  if (!isAdmin || holders.length === 0) return null;
  return (
    <details className="border-line border-t px-3.5 py-2 text-xs">
      <summary className="w-fit cursor-pointer text-mute">
        {formatPlural(holders.length, "person", "people")} connected
      </summary>
      <ul className="mt-1.5 flex max-h-48 flex-col gap-1 overflow-y-auto">
        {holders.map(({ personId, name, kind, status, updatedAt, disabled }) => (
          <li key={personId} className="flex flex-wrap items-center gap-x-2">
            <bdi className="font-medium">{name}</bdi>
            <span className="text-mute">
              {kind === "oauth" ? "signed in" : "entered"} <RelativeTime at={updatedAt} />
            </span>
            {status === "pending" && <Badge tone="warn">sign-in not complete</Badge>}
            {disabled && <Badge>account switched off</Badge>}
          </li>
        ))}
      </ul>
    </details>
  );
}
