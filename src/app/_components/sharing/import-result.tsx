import { toServerPath } from "@/app/_components/servers/summary/server-words";
import { Link } from "@/app/_ui/link";
import type { ImportOutcome } from "@/lib/contract/catalogue-file";
import { formatPlural } from "@/lib/format";

type Imported = ImportOutcome["imported"][number];

/** What was imported, with what is left to do. */
export function ImportResult({ outcome: { imported, skipped } }: { outcome: ImportOutcome }) {
  return (
    <section aria-label="Import result" className="flex flex-col gap-2">
      <p role="status" className="font-medium">
        {formatPlural(imported.length, "entry", "entries")} imported
        {skipped > 0 && <span className="font-normal text-mute"> · {skipped} skipped</span>}
      </p>
      <ul className="flex flex-col gap-1">
        {imported.map((entry) => (
          <li key={`${entry.kind}:${entry.name}`} className="[overflow-wrap:anywhere]">
            <Link href={toPath(entry)} className="font-mono text-xs underline">
              {entry.name}
            </Link>{" "}
            <span className="text-mute text-xs">
              {entry.kind} {entry.action}
              {!entry.enabled && ", disabled"}
            </span>
            {entry.secrets.length > 0 && (
              <span className="text-warn text-xs">
                {" "}
                · enter {entry.secrets.join(", ")} in{" "}
                <Link href={`${toServerPath(entry.name)}/edit`} className="underline">
                  its settings
                </Link>
                , then enable it
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function toPath({ kind, name }: Imported): string {
  return kind === "server" ? toServerPath(name) : `/${kind}s/${encodeURIComponent(name)}`;
}
