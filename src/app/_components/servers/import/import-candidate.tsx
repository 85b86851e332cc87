import { useId } from "react";
import { toPrefixedName } from "@/app/_components/servers/summary/server-words";
import { useSettingsCheck } from "@/app/_components/servers/summary/use-settings-check";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { Checkbox } from "@/app/_ui/checkbox";
import { Input } from "@/app/_ui/field";
import { describeProblem } from "@/lib/contract/problem";
import type { ServerSettingsInput } from "@/lib/contract/server";
import { SERVER_KINDS, type ValueList } from "@/lib/contract/server-kind";
import { hideAddressSecrets, hideSecretArguments, SECRET_MASK } from "@/lib/server-settings/hide-secrets";
import { readFields } from "@/lib/server-settings/setting-fields";
import type { Candidate } from "./use-import";

interface ImportCandidateProps {
  candidate: Candidate;
  onChosen: (chosen: boolean) => void;
  onRename: (name: string) => void;
  onOpenInForm: (settings: ServerSettingsInput, enabled: boolean) => void;
}

/** One server of a pasted configuration: its settings and its problems. */
export function ImportCandidate({ candidate, onChosen, onRename, onOpenInForm }: ImportCandidateProps) {
  const id = useId();
  const { original, name, enabled, settings, notes, warnings } = candidate;
  const renamed = settings !== null && name !== settings.name;
  const asNamed = settings === null ? null : { ...settings, name: name.trim() };
  // The problems that came with the paste are about the name that it had there.
  const check = useSettingsCheck(renamed ? asNamed : null, null);
  const problems = renamed ? check.problems.map((problem) => describeProblem(problem)) : candidate.problems;
  return (
    <li className="rounded-lg border border-line bg-panel p-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-2">
        <Checkbox
          id={`${id}-chosen`}
          aria-label={`Import ${original}`}
          checked={candidate.chosen}
          disabled={settings === null}
          onChange={onChosen}
        />
        {settings === null ? (
          <span className="min-w-0 flex-1 font-medium font-mono text-xs [overflow-wrap:anywhere]">{original}</span>
        ) : (
          <Input
            aria-label={`Name of ${original}`}
            value={name}
            invalid={problems.length > 0}
            spellCheck={false}
            autoComplete="off"
            aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
            className="min-w-40 max-w-60 flex-1 font-mono text-xs!"
            onChange={(event) => onRename(event.target.value)}
          />
        )}
        {settings !== null && <Badge>{SERVER_KINDS[settings.transport].label}</Badge>}
        {!enabled && <Badge tone="warn">disabled</Badge>}
        {asNamed !== null && (
          <Button className="ml-auto" onClick={() => onOpenInForm(asNamed, enabled)}>
            Open in the form
          </Button>
        )}
      </div>
      {settings !== null && (
        <p className="mt-1.5 font-mono text-mute text-xs [overflow-wrap:anywhere]">{describeTarget(settings)}</p>
      )}
      {settings !== null && (
        <p className="text-faint text-xs [overflow-wrap:anywhere]">
          {secretNames(settings)}
          Tools are named <span className="font-mono">{toPrefixedName(name.trim() || "…", "…")}</span>
        </p>
      )}
      {problems.length > 0 && (
        <ul id={`${id}-problems`} className="mt-1.5 flex flex-col gap-0.5 text-bad text-xs [overflow-wrap:anywhere]">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      {warnings.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-0.5 text-warn text-xs [overflow-wrap:anywhere]">
          {warnings.map((warning) => (
            <li key={warning}>Warning: {warning}</li>
          ))}
        </ul>
      )}
      {notes.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-0.5 text-mute text-xs [overflow-wrap:anywhere]">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </li>
  );
}

function describeTarget(settings: ServerSettingsInput): string {
  if ("url" in settings) return hideAddressSecrets(settings.url, SECRET_MASK);
  return [settings.command, ...hideSecretArguments(settings.args ?? [], SECRET_MASK)].join(" ");
}

const LIST_LABELS: Record<ValueList, string> = { env: "Environment", headers: "Headers", query: "Query parameters" };

/** The names only: values may be secrets. */
function secretNames(settings: ServerSettingsInput): string {
  const lists = readFields(settings, {
    values: (rows, list) =>
      rows.length === 0 ? [] : [`${LIST_LABELS[list]}: ${rows.map(({ name }) => name).join(", ")} · `],
  });
  return lists.join("");
}
