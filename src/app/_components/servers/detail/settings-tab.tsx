import type { ReactNode } from "react";
import { SERVER_FORM } from "@/app/_components/servers/form/server-fields";
import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { readInput } from "@/app/_kit/form/draft-input";
import { type FieldSpec, splitLines, type Values } from "@/app/_kit/form/fields";
import { isFilled, type Secret } from "@/app/_kit/form/secret";
import { ButtonLink } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import { CopyButton } from "@/app/_ui/copy-button";
import { FactList } from "@/app/_ui/fact-list";
import { PageBody } from "@/app/_ui/page-body";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ServerDetail } from "@/lib/contract/server";
import { permissionForServer } from "@/lib/contract/server-kind";
import { formatDuration } from "@/lib/format";

/** The fields of the server's form that hold a value; secrets are masked. */
export function SettingsTab({ server }: { server: ServerDetail }) {
  const values: Values = readInput(SERVER_FORM, server.settings);
  const facts = Object.entries(SERVER_FORM.fields).flatMap(([path, spec]): [string, ReactNode][] => {
    const lines =
      path !== "name" && SERVER_FORM.isShown(path, values)
        ? describeValue(spec as FieldSpec<unknown>, values[path], path.endsWith("Ms"))
        : [];
    return lines.length === 0 ? [] : [[spec.label, <Lines key={path} lines={lines} mono={!("options" in spec)} />]];
  });
  const edit = (
    <ButtonLink needs={permissionForServer(server.settings)} href={`${toServerPath(server.name)}/edit`}>
      Edit
    </ButtonLink>
  );
  return (
    <PageBody scrolls>
      <Card label="Settings" title="Connection" action={server.editable && edit}>
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
        <FactList
          className="gap-x-6! gap-y-2! px-3.5 py-3"
          valueClass=""
          facts={[...listStateFacts(server), ...facts]}
        />
      </Card>
    </PageBody>
  );
}

/** Facts of the current connection. */
function listStateFacts({ state, auth, credentials, signedIn }: ServerDetail): [string, ReactNode][] {
  const { peer, protocolVersion, pid, pingMs, connectedAt, status } = state;
  const isConnected = status === "connected" && connectedAt !== null;
  const isOAuth = auth === "oauth" && credentials === "shared";
  return [
    ["Connected", isConnected ? <RelativeTime key="connected" at={connectedAt} /> : null],
    ["Ping", pingMs === null ? null : formatDuration(pingMs)],
    ["Server", peer === null ? null : `${(peer.title ?? peer.name).slice(0, 80)} ${peer.version.slice(0, 40)}`],
    ["Spoken protocol", protocolVersion],
    ["Process id", pid],
    ["Signed in", isOAuth ? (signedIn ? "yes" : "no") : null],
  ];
}

/** The value of a field as lines; none for an empty one. */
function describeValue({ control, options }: FieldSpec<unknown>, value: unknown, isDuration: boolean): string[] {
  if (control === "choice" || control === "select")
    return [options?.find((option) => option.value === value)?.label ?? ""].filter(Boolean);
  if (control === "flag") return value === true ? ["yes"] : [];
  if (control === "lines") return splitLines(String(value));
  const items: unknown[] = Array.isArray(value) ? value : value === "" ? [] : [value];
  return items.flatMap((item) => {
    if (typeof item !== "object" || item === null) return [isDuration ? formatDuration(Number(item)) : String(item)];
    if ("value" in item) return isFilled(item as Secret) ? [describeSecret(item as Secret)] : [];
    // Rows of several texts: a root, a personal value, paths of masked values.
    return [Object.values(item).filter(Boolean).join(" · ").replaceAll("\n", ", ")].filter(Boolean);
  });
}

/** The server returns references to variables in plain text, and no other secret. */
function describeSecret({ name, value }: Secret): string {
  return [name, value ?? "•••••• stored"].filter(Boolean).join(" = ");
}

function Lines({ lines, mono }: { lines: readonly string[]; mono: boolean }) {
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: arguments are known by their place and may repeat
    <span key={at} className={mono ? "block whitespace-pre-wrap font-mono text-xs leading-5" : "block"}>
      {line}
    </span>
  ));
}
