import { SquareArrowOutUpRight } from "lucide-react";
import { buttonClass } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import { useShell } from "@/app/_ui/shell-choice";
import { StatusBadge } from "@/app/_ui/status-badge";
import { type ClientConfiguration, TOKEN_PLACEHOLDER } from "@/lib/contract/client-configuration";
import type { FoundUse } from "./find-use";

const TRANSPORT_LABELS = { http: "HTTP", stdio: "stdio" } as const;

interface ClientCardProps {
  configuration: ClientConfiguration;
  /** An API token that was created on this page. */
  token: string | null;
  /** The client itself over the card's transport; null before it came, undefined while that is not known. */
  use: FoundUse | null | undefined;
}

/** The configuration of a client, and whether it has called. All cards have the same height. */
export function ClientCard({ configuration, token, use }: ClientCardProps) {
  const { label, transport, place, language, install, powershell } = configuration;
  const shell = useShell();
  const written = shell === "powershell" ? (powershell ?? configuration.text) : configuration.text;
  const text = token === null ? written : written.replaceAll(TOKEN_PLACEHOLDER, token);
  const name = `Configuration for ${label}`;
  return (
    <li className="flex min-w-0">
      <section aria-label={label} className="flex min-w-0 flex-1 flex-col rounded-lg border border-line bg-panel">
        <header className="flex min-h-10 items-center gap-2 border-line border-b py-1 pr-1 pl-3.5">
          <h3 className="min-w-0 truncate font-medium">{label}</h3>
          <span className="flex-1 text-mute text-xs">{TRANSPORT_LABELS[transport]}</span>
          {install !== null && (
            <a href={install} className={buttonClass()} aria-label={`Add to ${label}`}>
              <SquareArrowOutUpRight size={13} />
              Add
            </a>
          )}
          <CopyButton text={text} label={`Copy for ${label}`} />
        </header>
        <p title={place} className="truncate px-3.5 pt-2 text-mute text-xs">
          {place}
        </p>
        {language === "json" ? (
          <JsonText wrap text={text} label={name} className="h-48 px-3.5 py-1.5" />
        ) : (
          <ScrollRegion label={name} className="h-48 px-3.5 py-1.5">
            <pre className="whitespace-pre-wrap font-mono text-xs leading-5 [overflow-wrap:anywhere]">{text}</pre>
          </ScrollRegion>
        )}
        <Evidence use={use} />
      </section>
    </li>
  );
}

/** Green only by a call: a client that lists tools may still be refused each of them. */
function Evidence({ use }: Pick<ClientCardProps, "use">) {
  return (
    <div role="status" className="flex min-h-9 items-center gap-2 border-line border-t px-3.5 py-1.5 text-xs">
      {use === null && <span className="text-faint">Not seen yet</span>}
      {use != null && use.lastCall === null && <StatusBadge status="idle" label="No call yet" />}
      {use?.lastCall && (
        <>
          <StatusBadge status="succeeded" label="Connected" />
          <Link
            href={`/executions/${encodeURIComponent(use.lastCall.id)}`}
            className="min-w-0 truncate rounded-xs font-mono hover:underline max-sm:py-2.75"
          >
            {use.lastCall.tool}
          </Link>
        </>
      )}
      {use != null && (
        <Link
          href={`/clients/${encodeURIComponent(use.clientId)}`}
          className="ml-auto shrink-0 rounded-xs text-mute hover:underline max-sm:py-2.75"
        >
          {use.lastCall === null ? "seen " : "called "}
          <RelativeTime at={use.lastCall?.at ?? use.seenAt} />
        </Link>
      )}
    </div>
  );
}
