import { type ReactNode, useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-dialog";
import { ALL_QUERIES } from "@/app/_kit/use-action";
import { client } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Link } from "@/app/_ui/link";
import type { DamagedKind, LoadProblem, LoadProblems } from "@/lib/contract/catalog-tool";
import { formatCount, formatPlural } from "@/lib/format";

const WAY_OUT: Record<LoadProblem["origin"], string> = {
  config: "Fix it in this file, then restart Toolroom.",
  console: "The tool is stored but cannot run. Create a corrected tool with another name under New tool.",
  database: "It stays in the database, and a newer version of Toolroom may be able to read it.",
  code: "Fix it where it is registered in code, then restart Toolroom.",
  server: "Only its server can fix it. Other tools of that server are available.",
  handlers: "Fix the module or remove it from the configuration, then restart Toolroom.",
};

interface LoadProblemListProps extends LoadProblems {
  /** A link to the other problems; by default to the page that has all. */
  more?: ReactNode;
}

/** Lists what was not loaded, why, and how to fix it. */
export function LoadProblemList({ items, count, more }: LoadProblemListProps) {
  return (
    <section aria-label="Load problems">
      <Alert tone="bad" title={`${formatPlural(count, "entry", "entries")} could not be loaded`}>
        <ul className="mt-1 flex flex-col gap-2">
          {items.map((problem) => (
            <li key={`${problem.origin} ${problem.source} ${problem.name ?? ""} ${problem.error}`}>
              <p>
                {problem.name !== null && <span className="font-medium font-mono text-xs">{problem.name}</span>}
                {problem.name !== null && ": "}
                {problem.error}
              </p>
              <p className="text-mute text-xs">
                From <span className="font-mono">{problem.source}</span>.{" "}
                {problem.damaged !== undefined && "An admin can delete it. "}
                {WAY_OUT[problem.origin]}
              </p>
              {problem.damaged !== undefined && problem.name !== null && (
                <DeleteDamagedButton kind={problem.damaged} name={problem.name} />
              )}
            </li>
          ))}
        </ul>
        {more ??
          (count > items.length && (
            <Link href="/settings/installation" className="mt-2 inline-block underline max-sm:py-2.75">
              Show all {formatCount(count)}
            </Link>
          ))}
      </Alert>
    </section>
  );
}

/** Deletes a stored row that cannot be read, and so is in no other list. */
function DeleteDamagedButton({ kind, name }: { kind: DamagedKind; name: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button needs="administer" className="mt-1" aria-label={`Delete ${kind} ${name}`} onClick={() => setOpen(true)}>
        Delete…
      </Button>
      {open && (
        <ConfirmAction
          needs="administer"
          title={`Delete ${name}?`}
          description={`The stored ${kind} cannot be read by this version of Toolroom. It is deleted with all that is stored in it.`}
          run={() => client.system.deleteDamaged.mutate({ kind, name })}
          stale={ALL_QUERIES}
          done={`${name} deleted`}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
