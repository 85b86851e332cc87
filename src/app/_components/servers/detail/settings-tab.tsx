"use client";

import type { ReactNode } from "react";
import { POLICY_LABELS } from "@/app/_components/approvals/summary/approval-words";
import { CHANGED_TOOLS_LABELS, describeSampling, toServerPath } from "@/app/_components/servers/summary/server-words";
import { buttonClass } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { CopyButton } from "@/app/_ui/copy-button";
import { Link } from "@/app/_ui/link";
import type { SecretSetting, ServerDetail, ServerSettings } from "@/lib/contract/server";
import { permissionForServer, SERVER_KINDS } from "@/lib/contract/server-kind";
import { formatDuration } from "@/lib/format";

/** How the server is reached, with what is secret masked. */
export function SettingsTab({ server }: { server: ServerDetail }) {
  const { settings } = server;
  const kind = SERVER_KINDS[settings.transport];
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4">
      <section aria-label="Settings" className="max-w-4xl rounded-lg border border-line bg-panel">
        <header className="flex flex-wrap items-center gap-2 border-line border-b px-3.5 py-2">
          <h2 className="font-medium">Connection</h2>
          {server.editable && (
            <Link
              needs={permissionForServer(server.settings)}
              href={`${toServerPath(server.name)}/edit`}
              className={`${buttonClass()} ml-auto`}
            >
              Edit
            </Link>
          )}
        </header>
        {!server.editable && (
          <p className="border-line border-b bg-rail px-3.5 py-2 text-mute [overflow-wrap:anywhere]">
            Defined in the configuration. Change it under <code className="font-mono text-xs">mcpServers</code> in{" "}
            <span className="font-mono text-xs">{server.originPath}</span>
            {server.originPath !== null && (
              <CopyButton text={server.originPath} label="Copy path" className="-my-1.5" />
            )}
            , then restart Toolroom.
          </p>
        )}
        <dl className="grid gap-x-6 gap-y-2 px-3.5 py-3 sm:grid-cols-[14rem_minmax(0,1fr)]">
          <Fact words label="Transport">
            {kind.label}
          </Fact>
          {"command" in settings && <CommandFacts settings={settings} />}
          {"url" in settings && <RemoteFacts settings={settings} server={server} />}
          <Fact words label="Credentials">
            {settings.credentials?.mode === "personal" ? "personal" : "shared"}
            {settings.credentials?.mode === "personal" &&
              settings.credentials.slots.map(({ name, label }) => (
                <Line key={name}>
                  {name}
                  {label !== undefined && <span className="text-mute"> ({label})</span>}
                </Line>
              ))}
          </Fact>
          {kind.speaksMcp && (
            <Fact words label="Protocol">
              {settings.protocol}
            </Fact>
          )}
          <Fact words label="Call timeout">
            {limitText(settings.timeoutMs)}
          </Fact>
          {settings.maxTotalTimeoutMs !== undefined && (
            <Fact words label="Limit with progress">
              {formatDuration(settings.maxTotalTimeoutMs)} in all
            </Fact>
          )}
          <Fact words label="Connection timeout">
            {limitText(settings.connectTimeoutMs)}
          </Fact>
          <Fact words label="Approval policy">
            {POLICY_LABELS[settings.approval ?? ""]}
          </Fact>
          <Fact words label="Changed tools">
            {CHANGED_TOOLS_LABELS[settings.changedTools ?? "off"]}
          </Fact>
          {kind.speaksMcp && (
            <Fact words label="Sampling">
              {describeSampling(settings.sampling)}
            </Fact>
          )}
          {settings.askPeople === true && (
            <Fact words label="Requests of programs' calls">
              answered by people in the console
            </Fact>
          )}
          {settings.toolFilter !== undefined && (
            <Fact label={settings.toolFilter.mode === "only" ? "Only these tools" : "Excluded tools"}>
              {settings.toolFilter.names.length === 0 && <span className="text-faint">(none)</span>}
              {settings.toolFilter.names.map((name) => (
                <Line key={name}>{name}</Line>
              ))}
            </Fact>
          )}
          {settings.roots.length > 0 && (
            <Fact label="Roots">
              {settings.roots.map(({ uri, name }) => (
                <Line key={uri}>
                  {uri}
                  {name !== undefined && <span className="text-mute"> ({name})</span>}
                </Line>
              ))}
            </Fact>
          )}
        </dl>
      </section>
    </div>
  );
}

const limitText = (ms: number | undefined): string => (ms === undefined ? "default" : formatDuration(ms));

function CommandFacts({ settings }: { settings: Extract<ServerSettings, { transport: "stdio" }> }) {
  return (
    <>
      <Fact label="Command">{settings.command}</Fact>
      {settings.args.length > 0 && (
        <Fact label="Arguments">
          {settings.args.map((arg, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: arguments are known by their place and may repeat
            <Line key={at}>{arg === "" ? <span className="text-faint">(empty)</span> : arg}</Line>
          ))}
        </Fact>
      )}
      {settings.env.length > 0 && (
        <Fact label="Environment">
          <Secrets rows={settings.env} />
        </Fact>
      )}
      <Fact words={settings.cwd === null} label="Working directory">
        {settings.cwd ?? "where Toolroom was started"}
      </Fact>
    </>
  );
}

function RemoteFacts({
  settings,
  server,
}: {
  settings: Exclude<ServerSettings, { transport: "stdio" }>;
  server: ServerDetail;
}) {
  const { auth } = settings;
  return (
    <>
      {"document" in settings && <ApiFacts settings={settings} />}
      <Fact label={"document" in settings ? "Base URL" : "Address"}>{settings.url}</Fact>
      {settings.headers.length > 0 && (
        <Fact label="Headers">
          <Secrets rows={settings.headers} />
        </Fact>
      )}
      <Fact words label="Sign-in">
        {auth.type === "none" && "none"}
        {auth.type === "oauth" &&
          (server.credentials === "personal" ? "OAuth" : `OAuth, ${server.signedIn ? "signed in" : "not signed in"}`)}
        {auth.type === "client_credentials" && "client credentials"}
        {auth.type === "private_key_jwt" && `private key (${auth.algorithm})`}
      </Fact>
      {auth.type !== "none" && auth.clientId !== undefined && <Fact label="Client id">{auth.clientId}</Fact>}
      {(auth.type === "oauth" || auth.type === "client_credentials") && auth.clientSecret !== undefined && (
        <Fact label="Client secret">{masked(auth.clientSecret)}</Fact>
      )}
      {auth.type === "private_key_jwt" && <Fact label="Private key">{masked(auth.privateKey)}</Fact>}
      {auth.type !== "none" && auth.scope !== undefined && <Fact label="Scope">{auth.scope}</Fact>}
    </>
  );
}

function ApiFacts({ settings }: { settings: Extract<ServerSettings, { transport: "openapi" }> }) {
  const { document, query, operations, outputSchemas, auth } = settings;
  const selected = [...(operations?.tags ?? []).map((tag) => `tag ${tag}`), ...(operations?.paths ?? [])];
  return (
    <>
      <Fact label="Document">
        {document.from === "url" && document.url}
        {document.from === "file" && document.path}
        {document.from === "text" && "pasted"}
      </Fact>
      <Fact label="Operations">
        {selected.length === 0 ? "all" : selected.map((each) => <Line key={each}>{each}</Line>)}
      </Fact>
      {outputSchemas === false && <Fact label="Output schemas">left out</Fact>}
      {query.length > 0 && (
        <Fact label="Query parameters">
          <Secrets rows={query} />
        </Fact>
      )}
      {auth.type === "client_credentials" && <Fact label="Token URL">{auth.tokenUrl}</Fact>}
    </>
  );
}

/** Only references to variables come back from the server in plain text. */
function masked(value: string | null): ReactNode {
  if (value !== null) return value;
  return (
    <span className="text-mute">
      <span aria-hidden>•••••• </span>stored
    </span>
  );
}

function Secrets({ rows }: { rows: readonly SecretSetting[] }) {
  return rows.map(({ name, value }) => (
    <Line key={name}>
      {name} = {masked(value)}
    </Line>
  ));
}

function Line({ children }: { children: ReactNode }) {
  return <span className="block whitespace-pre-wrap font-mono text-xs leading-5">{children}</span>;
}

interface FactProps {
  label: string;
  /** The value is in words, and no text that a program reads. */
  words?: boolean;
  children: ReactNode;
}

function Fact({ label, words = false, children }: FactProps) {
  return (
    <>
      <dt className="text-mute max-sm:mt-1">{label}</dt>
      <dd className={cx("min-w-0 leading-5 [overflow-wrap:anywhere]", !words && "font-mono text-xs")}>{children}</dd>
    </>
  );
}
