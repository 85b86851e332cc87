import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { DiffView } from "@/app/_components/executions/diff/diff-view";
import { ChangeBadge, ChangeDetails } from "@/app/_components/tools/summary/change-badge";
import { ConfirmAction } from "@/app/_kit/confirm-dialog";
import { QueryState } from "@/app/_kit/query-state";
import { client, trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { NativeSelect } from "@/app/_ui/field";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { DefinitionUse, ToolVersion, ToolVersionDetail } from "@/lib/contract/tool-version";
import { formatJson } from "@/lib/json/format-json";
import { describeCause } from "./version-words";

interface VersionDetailProps {
  toolName: string;
  number: number;
  /** The version to compare with; null for the previous one. */
  against: number | null;
  onCompare: (number: number) => void;
  onRestored: () => void;
  /** The loaded versions, as choices for the comparison. */
  versions: readonly ToolVersion[];
  current: number | null;
  readOnly: string | null;
  use: DefinitionUse | undefined;
}

/** One version: its author, its changes, and the whole definition. */
export function VersionDetail(props: VersionDetailProps) {
  const { toolName, number, against } = props;
  const query = useQuery(
    trpc.tools.version.queryOptions({ name: toolName, number, ...(against === null ? {} : { against }) }),
  );
  return (
    <ScrollRegion label={`Version ${number}`} className="min-h-0 p-3.5">
      <QueryState query={query} what="the version" bars={["h-64"]}>
        {(version) => <Loaded {...props} version={version} />}
      </QueryState>
    </ScrollRegion>
  );
}

function Loaded({ version, ...props }: VersionDetailProps & { version: ToolVersionDetail }) {
  const { toolName, current, readOnly, use } = props;
  const { number, name, at, definitionHash, definition, before } = version;
  const [restoring, setRestoring] = useState(false);
  const text = formatJson(definition);
  const isUsed = (use?.counts[definitionHash] ?? 0) > 0;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 max-sm:basis-full">
          <h2 className="font-medium text-base">Version {number}</h2>
          <p className="text-mute text-xs [overflow-wrap:anywhere]">
            {describeCause(version)} · <RelativeTime at={at} /> · <span className="font-mono">{definitionHash}</span>
          </p>
          {name !== toolName && <p className="text-mute text-xs">Named {name} then.</p>}
        </div>
        {isUsed && (
          <Link
            href={`/executions?tool=${encodeURIComponent(name)}&definition=${definitionHash}`}
            className="rounded-xs text-xs underline max-sm:py-2.75"
          >
            Calls of this version
          </Link>
        )}
        <CopyButton text={text} label="Copy definition" />
        <Button
          needs="edit"
          disabled={readOnly !== null || number === current}
          title={readOnly ?? (number === current ? "This is the current version" : undefined)}
          onClick={() => setRestoring(true)}
        >
          Restore
        </Button>
      </header>
      {readOnly !== null && number !== current && <p className="text-mute text-xs">{readOnly}.</p>}
      <Comparison {...props} version={version} />
      {before === null && (
        <div className="rounded-lg border border-line bg-panel p-2.5">
          <JsonText text={text} label="Definition" />
        </div>
      )}
      {restoring && (
        <RestoreDialog
          toolName={toolName}
          number={number}
          onClose={() => setRestoring(false)}
          onRestored={props.onRestored}
        />
      )}
    </div>
  );
}

function Comparison({ version, versions, onCompare }: VersionDetailProps & { version: ToolVersionDetail }) {
  const id = useId();
  const { number, definition, before, change } = version;
  const others = versions.filter((each) => each.number !== number);
  if (before === null) return <p className="text-mute">The oldest version: there is none to compare it with.</p>;
  const choices = others.some((each) => each.number === before.number)
    ? others.map((each) => each.number)
    : [before.number, ...others.map((each) => each.number)];
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <label htmlFor={id} className="text-mute">
          Compared with
        </label>
        <NativeSelect
          id={id}
          className="w-36!"
          value={String(before.number)}
          onChange={({ target }) => onCompare(Number(target.value))}
          options={choices.map((each) => [String(each), `Version ${each}`] as const)}
        />
        {change !== null && <ChangeBadge kind={change.kind} />}
      </div>
      {change === null ? (
        <p className="text-mute">Both versions are the same.</p>
      ) : (
        <ChangeDetails details={change.details} />
      )}
      {before.definition.description !== definition.description && (
        <DiffView label="Description" left={before.definition.description} right={definition.description} />
      )}
      {change !== null && (
        <DiffView label="Definition" left={formatJson(before.definition)} right={formatJson(definition)} />
      )}
    </>
  );
}

interface RestoreDialogProps {
  toolName: string;
  number: number;
  onClose: () => void;
  onRestored: () => void;
}

/** Asks before an earlier version becomes the tool's definition. */
function RestoreDialog({ toolName, number, onClose, onRestored }: RestoreDialogProps) {
  return (
    <ConfirmAction
      title={`Restore version ${number}?`}
      description={`The next call of ${toolName} runs this definition. It becomes a new version; the others stay in the history.`}
      action="Restore"
      running="Restoring…"
      variant="primary"
      needs="edit"
      failure="Couldn't restore the version"
      run={() => client.tools.restoreVersion.mutate({ name: toolName, number })}
      stale={[trpc.tools]}
      done={`${toolName}: version ${number} restored`}
      onDone={onRestored}
      onClose={onClose}
    />
  );
}
