import { VersionLink } from "@/app/_components/tools/summary/version-link";
import { Alert } from "@/app/_ui/alert";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import type { ExecutionDetail } from "@/lib/contract/execution";

/** The definition that this call ran, kept with it. */
export function DefinitionThen({ execution }: { execution: ExecutionDetail }) {
  const { definition, definitionHash, definitionChanged, toolName, version } = execution;
  if (!definition) {
    return <p className="text-mute">No tool had this name, so the call has no definition.</p>;
  }
  const text = JSON.stringify(definition, null, 2);
  return (
    <div className="flex flex-col gap-3">
      {definitionChanged ? (
        <Alert tone="warn" title="Changed since this call">
          The tool has changed or was deleted.{" "}
          <Link href={`/tools/${encodeURIComponent(toolName)}`} className="underline">
            Current tool
          </Link>
        </Alert>
      ) : (
        <p className="text-mute text-xs">The tool still has this definition.</p>
      )}
      <div className="flex items-center gap-2">
        {version !== null && <VersionLink version={version} />}
        <span className="font-mono text-mute text-xs">{definitionHash}</span>
        <CopyButton text={text} label="Copy definition" className="ml-auto" />
      </div>
      <div className="rounded-lg border border-line bg-panel p-2.5">
        <JsonText text={text} label="Definition snapshot" />
      </div>
    </div>
  );
}
