import { DiffView } from "@/app/_components/executions/diff/diff-view";
import { FactList } from "@/app/_ui/fact-list";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { AuditEntry } from "@/lib/contract/audit-entry";
import { formatCount } from "@/lib/format";
import { indentJsonText } from "@/lib/json/format-json";
import { DOOR_LABELS } from "./audit-filters";
import { describeAction } from "./audit-words";

/** All fields of an entry. */
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
      <FactList
        valueClass=""
        facts={[
          ["Time", <RelativeTime key="time" at={at} />],
          ["Actor", <Noted key="actor" name={actor.name} note={actor.id} />],
          ["Token", token === null ? null : <bdi key="token">{token}</bdi>],
          ["From", <Noted key="from" name={DOOR_LABELS[door]} note={address} />],
          ["Action", describeAction(action)],
          ["Target", target === null ? null : <Noted key="target" name={target.name} note={target.kind} />],
          ["Attempts", times > 1 ? formatCount(times) : null],
          [
            `Entry ${seq}`,
            <span key="entry" className="font-mono text-mute text-xs">
              {hash}
            </span>,
          ],
        ]}
      />
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

function Noted({ name, note }: { name: string; note: string | null }) {
  return (
    <>
      <bdi>{name}</bdi> {note !== null && <span className="font-mono text-mute text-xs">{note}</span>}
    </>
  );
}

function State({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label} className="flex flex-col gap-1.5">
      <h2 className="font-medium">{label}</h2>
      <pre className="max-h-96 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-panel p-2.5 font-mono text-xs leading-5 [overflow-wrap:anywhere]">
        {indentJsonText(text)}
      </pre>
    </section>
  );
}
