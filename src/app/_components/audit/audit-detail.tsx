import type { ReactNode } from "react";
import { DiffView } from "@/app/_components/executions/diff/diff-view";
import { AbsoluteTime } from "@/app/_ui/absolute-time";
import type { AuditEntry } from "@/lib/contract/audit";
import { formatCount } from "@/lib/format";
import { DOOR_LABELS } from "./audit-filters";

/** Everything that an entry says. */
export function AuditDetail({ entry }: { entry: AuditEntry }) {
  const { seq, at, actor, token, address, door, action, target, error, before, after, times, hash } = entry;
  const changed = before !== null && after !== null;
  return (
    <div className="flex min-w-0 flex-col gap-3 text-sm">
      {error !== null && (
        <p className="text-bad [overflow-wrap:anywhere]">
          <bdi>{error}</bdi>
        </p>
      )}
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 [overflow-wrap:anywhere]">
        <Fact label="Time">
          <AbsoluteTime at={at} />
        </Fact>
        <Fact label="Actor">
          <bdi>{actor.name}</bdi> <span className="font-mono text-mute text-xs">{actor.id}</span>
        </Fact>
        {token !== null && (
          <Fact label="Token">
            <bdi>{token}</bdi>
          </Fact>
        )}
        <Fact label="From">
          {DOOR_LABELS[door]} {address !== null && <span className="font-mono text-mute text-xs">{address}</span>}
        </Fact>
        <Fact label="Action">
          <span className="font-mono text-xs">{action}</span>
        </Fact>
        {target !== null && (
          <Fact label="Target">
            <bdi>{target.name}</bdi> <span className="text-mute text-xs">{target.kind}</span>
          </Fact>
        )}
        {times > 1 && <Fact label="Attempts">{formatCount(times)}</Fact>}
        <Fact label={`Entry ${seq}`}>
          <span className="font-mono text-mute text-xs">{hash}</span>
        </Fact>
      </dl>
      {changed ? (
        <DiffView left={before} right={after} label="Change" />
      ) : (
        <>
          {before !== null && <State label="Before" text={before} />}
          {after !== null && <State label="After" text={after} />}
        </>
      )}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-mute">{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

function State({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label} className="flex flex-col gap-1.5">
      <h2 className="font-medium">{label}</h2>
      <pre className="max-h-96 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-panel p-2.5 font-mono text-xs leading-5 [overflow-wrap:anywhere]">
        {indent(text)}
      </pre>
    </section>
  );
}

/** A long state was cut, and is no JSON then. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
