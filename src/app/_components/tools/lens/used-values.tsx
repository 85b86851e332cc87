import { Alert } from "@/app/_ui/alert";
import { Link } from "@/app/_ui/link";
import type { UsedValue } from "@/lib/contract/lens";
import { formatCount, formatPlural } from "@/lib/format";

const MAX_SHOWN = 5;
const pathOf = (id: string): string => `/executions/${encodeURIComponent(id)}`;

/** Warns of fields that an expression removes although later calls used their values. */
export function UsedValues({ values }: { values: readonly UsedValue[] }) {
  const byPath = Map.groupBy(values, ({ path }) => path);
  const fields = [...byPath].sort(([, one], [, other]) => other.length - one.length);
  return (
    <Alert tone="warn" title="Later calls used values that this expression removes">
      <ul className="flex flex-col gap-0.5">
        {fields.slice(0, MAX_SHOWN).map(([path, uses]) => (
          <UsedField key={path} path={path} uses={uses} />
        ))}
        {fields.length > MAX_SHOWN && <li>{formatCount(fields.length - MAX_SHOWN)} more fields</li>}
      </ul>
      {values.some(({ by }) => by === "client") && (
        <p className="mt-1 text-mute text-xs">
          Sessions of MCP clients are not recorded: their later calls are those of the same client and person within 30
          minutes.
        </p>
      )}
    </Alert>
  );
}

function UsedField({ path, uses }: { path: string; uses: readonly UsedValue[] }) {
  const [use] = uses;
  if (use === undefined) return null;
  return (
    <li>
      <code>{path === "" ? "the text" : path}</code> was used {formatPlural(uses.length, "time")}:{" "}
      <Link href={pathOf(use.executionId)} className="underline">
        this result
      </Link>
      , then{" "}
      <Link href={pathOf(use.laterId)} className="underline">
        {use.laterTool}
      </Link>{" "}
      in <code>{use.argument === "" ? "its arguments" : use.argument}</code>
    </li>
  );
}
