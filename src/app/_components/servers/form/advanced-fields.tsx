"use client";

import { FieldProblems } from "@/app/_kit/form-field";
import { RemoveRow, RowList } from "@/app/_kit/row-list";
import { Input } from "@/app/_ui/field";
import { Segmented } from "@/app/_ui/segmented";
import type { FormState } from "./form-state";
import { SamplingFields } from "./sampling-fields";
import { SensitiveFields } from "./sensitive-fields";
import { rootRow, type ServerDraft } from "./server-draft";
import { SettingField } from "./setting-field";
import { ToolPolicyFields } from "./tool-policy-fields";

const ADVANCED = [
  ...["protocol", "timeoutMs", "maxTotalTimeoutMs", "connectTimeoutMs"],
  ...["roots", "approval", "changedTools", "toolFilter", "sensitive", "sampling", "askPeople"],
];

/** Whether a field stands in the part that is folded away. */
export function isAdvanced(field: string): boolean {
  return ADVANCED.some((name) => field === name || field.startsWith(`${name}[`) || field.startsWith(`${name}.`));
}

export function hasAdvanced(draft: ServerDraft): boolean {
  const { protocol, timeoutMs, maxTotalTimeoutMs, connectTimeoutMs, roots, approval, filterMode, sampling, askPeople } =
    draft;
  const { changedTools, sensitiveArguments, sensitiveResults } = draft;
  return (
    protocol !== "auto" ||
    approval !== "" ||
    changedTools !== "off" ||
    filterMode !== "all" ||
    sampling !== "ask" ||
    askPeople ||
    roots.length > 0 ||
    [timeoutMs, maxTotalTimeoutMs, connectTimeoutMs, sensitiveArguments, sensitiveResults].some((text) => text !== "")
  );
}

/** What has a good default. */
export function AdvancedFields({ form, open }: { form: FormState; open: boolean }) {
  const { draft, change } = form;
  const isMcp = draft.transport !== "openapi";
  return (
    <details open={open} className="rounded-lg border border-line bg-panel">
      <summary className="rounded-lg px-3 py-2 font-medium">
        {isMcp
          ? "Approval, tools, masked values, sampling, protocol, time limits, roots"
          : "Approval, tools, masked values, time limits"}
      </summary>
      <div className="flex flex-col gap-4 border-line border-t p-3">
        <ToolPolicyFields form={form} />
        <SensitiveFields form={form} />
        {isMcp && <SamplingFields form={form} />}
        <div hidden={!isMcp}>
          <p className="mb-1 flex items-baseline gap-1.5 font-medium">
            Protocol <span className="font-mono font-normal text-2xs text-faint">protocol</span>
          </p>
          <Segmented
            label="Protocol"
            value={draft.protocol}
            options={[
              { value: "auto", label: "Auto" },
              { value: "legacy", label: "Legacy" },
            ]}
            onChange={(protocol) => change({ protocol })}
          />
          <p className="mt-1 text-mute text-xs">
            {draft.protocol === "auto"
              ? "Asks for the stateless protocol first and falls back to sessions."
              : "Begins with initialize, for strict legacy servers."}
          </p>
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <SettingField
            form={form}
            part="timeoutMs"
            label="Call timeout"
            mono
            inputMode="numeric"
            hint="Milliseconds. Empty: the limit of this installation."
          />
          <SettingField
            form={form}
            part="maxTotalTimeoutMs"
            label="Limit with progress"
            mono
            inputMode="numeric"
            hint="Milliseconds. If set, each progress report restarts the time limit, up to this total."
          />
          <SettingField
            form={form}
            part="connectTimeoutMs"
            label="Connection timeout"
            mono
            inputMode="numeric"
            hint={
              isMcp ? "Milliseconds. The first start may include a download." : "Milliseconds to read the document in."
            }
          />
        </div>
        {isMcp && <RootRows form={form} />}
      </div>
    </details>
  );
}

function RootRows({ form }: { form: FormState }) {
  const { roots } = form.draft;
  const sent = roots.filter(({ uri, name }) => uri !== "" || name !== "");
  return (
    <RowList
      legend="Roots"
      dataKey="roots"
      hint="Folders that the server may work in. Toolroom cannot enforce this."
      problems={form.problemsOf("roots")}
      addLabel="Add root"
      rows={roots}
      newRow={rootRow}
      onChange={(next) => form.change({ roots: next })}
    >
      {({ row, at, edit, remove }) => {
        const field = `roots[${sent.indexOf(row)}]`;
        const problems = [...form.problemsOf(`${field}.uri`), ...form.problemsOf(`${field}.name`)];
        return (
          <>
            <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)_1.75rem] items-center gap-1.5">
              <Input
                aria-label={`Address of root ${at + 1}`}
                data-field={`${field}.uri`}
                value={row.uri}
                invalid={problems.length > 0}
                placeholder="file:///srv/data"
                spellCheck={false}
                className="font-mono text-xs!"
                onChange={(event) => edit({ uri: event.target.value })}
              />
              <Input
                aria-label={`Name of root ${at + 1}`}
                data-field={`${field}.name`}
                value={row.name}
                placeholder="name"
                onChange={(event) => edit({ name: event.target.value })}
              />
              <RemoveRow label={`Remove root ${at + 1}`} onRemove={remove} />
            </div>
            <FieldProblems id={`root-${row.key}`} problems={problems} />
          </>
        );
      }}
    </RowList>
  );
}
