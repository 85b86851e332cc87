import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SCOPE_ABOUT, SCOPE_LABELS } from "@/app/_components/accounts/summary/account-words";
import { SecretText } from "@/app/_components/accounts/summary/secret-text";
import { ToolMultiSelect } from "@/app/_components/tools/summary/tool-multi-select";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { Field } from "@/app/_kit/form/field";
import { choice, custom, type DraftOf, defineForm, select, text, type Values } from "@/app/_kit/form/fields";
import type { FormState } from "@/app/_kit/form/use-form";
import { FieldProblems } from "@/app/_kit/form-field";
import { MultiSelect } from "@/app/_kit/multi-select";
import { client, trpc } from "@/app/_trpc/client";
import { usePrincipal } from "@/app/_ui/access";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { getConsoleAddress } from "@/lib/base-path";
import type { Scope } from "@/lib/contract/access";
import type { ApiTokenInput } from "@/lib/contract/account";
import type { ServiceAccount } from "@/lib/contract/service-account";
import { formatPlural } from "@/lib/format";

interface CreateTokenDialogProps {
  /** The service account that receives the token; absent for one's own. */
  account?: ServiceAccount;
  /** Receives the secret, where the page shows it itself. */
  onCreated?: (secret: string) => void;
  onClose: () => void;
}

/** Creates an API token, then shows its secret. */
export function CreateTokenDialog({ account, onCreated, onClose }: CreateTokenDialogProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const maxDays = useQuery(trpc.system.info.queryOptions()).data?.accountMode.maxTokenDays ?? null;
  if (secret !== null) {
    return (
      <Dialog
        onClose={onClose}
        title="API token created"
        description="Copy it now: it is shown once, and the server keeps no readable copy."
      >
        <TokenSecret secret={secret} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <EditDialog
      title={account === undefined ? "Create API token" : `Create API token of ${account.name}`}
      submitLabel="Create token"
      pendingLabel="Creating…"
      failure="Couldn't create the token"
      table={toTokenForm(maxDays)}
      save={(token) =>
        account === undefined
          ? client.tokens.create.mutate(token)
          : client.serviceAccounts.createToken.mutate({ id: account.id, ...token })
      }
      stale={[trpc.tokens.list, trpc.serviceAccounts.list]}
      done={({ token }) => `${token.name} created`}
      onSaved={({ text }) => {
        setSecret(text);
        onCreated?.(text);
      }}
      onClose={onClose}
    >
      {(form) => <TokenFields form={form} account={account} />}
    </EditDialog>
  );
}

/** A new token's text, as programs need it. Only in the browser, which knows the server's address. */
function TokenSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <SecretText label="Token" text={secret} />
      <SecretText label="Header" text={`Authorization: Bearer ${secret}`} />
      <SecretText label="mcp.json" text={formatClientConfiguration(getConsoleAddress(), secret)} />
      <Button size="md" variant="primary" onClick={onDone} className="self-end">
        Done
      </Button>
    </div>
  );
}

function formatClientConfiguration(origin: string, secret: string): string {
  const toolroom = { type: "http", url: `${origin}/mcp`, headers: { Authorization: `Bearer ${secret}` } };
  return JSON.stringify({ mcpServers: { toolroom } }, null, 2);
}

const EXPIRY_DAYS = [30, 90, 365];
const DEFAULT_DAYS = 90;

/** @param maxDays the greatest age of a token; null for no limit */
function listExpiries(maxDays: number | null) {
  const most = maxDays ?? Number.POSITIVE_INFINITY;
  const days = [...EXPIRY_DAYS.filter((each) => each < most), ...(maxDays === null ? [] : [maxDays])];
  const options = days.map((each) => ({ value: String(each), label: formatPlural(each, "day") }));
  return maxDays === null ? [...options, { value: "", label: "Never" }] : options;
}

/** A limited token runs what it is limited to and nothing else, so only the scope `run` can have limits. */
const limit = (label: string, none: null | undefined) =>
  custom<readonly string[]>(label, [], {
    write: (names, { scopes }: Values) => (scopes === "run" && names.length > 0 ? names : none),
  });

/** @param maxDays the greatest age of a token; null for no limit */
const toTokenForm = (maxDays: number | null) =>
  defineForm<ApiTokenInput>()({
    name: text("Name", { required: true, maxLength: 100, placeholder: "ci", hint: "The program it is for." }),
    scopes: choice<Scope>("Scope", "run", SCOPE_LABELS, { about: SCOPE_ABOUT, write: (scope) => [scope] }),
    tools: limit("Tools", null),
    servers: limit("Servers", null),
    toolsets: limit("Toolsets", undefined),
    validDays: select<string>(
      "Expires after",
      String(Math.min(DEFAULT_DAYS, maxDays ?? DEFAULT_DAYS)),
      listExpiries(maxDays),
      { write: (days) => (days === "" ? null : Number(days)) },
    ),
  });

type TokenForm = FormState<DraftOf<ReturnType<typeof toTokenForm>["fields"]>>;

function TokenFields({ form, account }: { form: TokenForm; account: ServiceAccount | undefined }) {
  const { role: own } = usePrincipal();
  const most = account === undefined ? `your role (${own})` : `the role of the account (${account.role})`;
  return (
    <>
      <Field form={form} at="name" />
      <Field form={form} at="scopes" hint={`${SCOPE_ABOUT[form.draft.scopes]} It can do no more than ${most}.`} />
      {form.draft.scopes === "run" && <Limits form={form} />}
      <Field form={form} at="validDays" />
    </>
  );
}

const LIMITS = ["tools", "servers", "toolsets"] as const;

function Limits({ form: { draft, change, findProblems } }: { form: TokenForm }) {
  const servers = useQuery(trpc.servers.names.queryOptions()).data;
  const toolsets = useQuery(trpc.toolsets.list.queryOptions()).data?.map(({ name }) => name);
  const limits = [
    { at: "servers", label: "Servers", names: servers },
    { at: "toolsets", label: "Toolsets", names: toolsets },
  ] as const;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Limit to (optional)</legend>
      <div className="flex flex-wrap gap-2">
        <ToolMultiSelect label="Tools" value={draft.tools} onChange={(tools) => change({ tools })} />
        {limits.map(({ at, label, names = [] }) => (
          <MultiSelect
            key={at}
            label={label}
            options={names.map((name) => ({ value: name, label: name, mono: true }))}
            value={draft[at]}
            onChange={(chosen) => change({ [at]: chosen })}
          />
        ))}
      </div>
      <p className="mt-1 text-mute text-xs">
        {LIMITS.every((at) => draft[at].length === 0)
          ? "Without a limit it can run every tool."
          : "It can run these tools, everything of these servers, and these toolsets at their addresses, and nothing else."}
      </p>
      <FieldProblems id="token-limits" problems={LIMITS.flatMap((at) => findProblems(at))} />
    </fieldset>
  );
}
