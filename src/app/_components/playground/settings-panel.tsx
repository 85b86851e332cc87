"use client";

import { type ReactNode, useId } from "react";
import { ModelPicker } from "@/app/_components/models/picker/model-picker";
import { DraftField } from "@/app/_kit/form/draft-field";
import { Checkbox } from "@/app/_ui/checkbox";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import type { Problem } from "@/lib/contract/problem";
import { NUMBER_RULES, type SettingsDraft, type ToolChoiceSetting } from "./settings-draft";
import { ToolPicker } from "./tool-picker";

export interface SettingsPanelProps {
  draft: SettingsDraft;
  problems: readonly Problem[];
  onChange: (part: Partial<SettingsDraft>) => void;
  demo: boolean;
}

const NO_PROBLEMS: readonly string[] = [];

/** Model, tools, system prompt and the rest: what the next message is sent with. */
export function SettingsPanel({ draft, problems, onChange, demo }: SettingsPanelProps) {
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Section title="Model" action={<ModelsLink />}>
        <ModelPicker value={{ provider: draft.provider, model: draft.model }} onChange={onChange} />
        {demo && <p className="text-mute text-xs">Rules, not a language model: try it without a key.</p>}
      </Section>
      <Section title="Tools">
        <ToolPicker value={draft.tools} provider={draft.provider} onChange={(tools) => onChange({ tools })} />
      </Section>
      <DraftField
        label="System prompt"
        field="instructions"
        rows={4}
        maxLength={200_000}
        placeholder="None"
        value={draft.instructions}
        problems={NO_PROBLEMS}
        onChange={(instructions) => onChange({ instructions })}
      />
      <Advanced draft={draft} problems={problems} onChange={onChange} />
    </div>
  );
}

function ModelsLink() {
  return (
    <Link href="/settings/models" className="rounded-xs text-mute text-xs underline hover:text-text">
      Manage
    </Link>
  );
}

function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex items-center justify-between">
        <h2 className="font-medium">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

type AdvancedProps = Pick<SettingsPanelProps, "draft" | "problems" | "onChange">;

const ADVANCED = new Set<string>([...NUMBER_RULES.map(({ field }) => field), "customArgs"]);

function Advanced({ draft, problems, onChange }: AdvancedProps) {
  const id = useId();
  const wrong = problems.some(({ path }) => ADVANCED.has(path));
  const messagesAt = (field: string) => problems.filter(({ path }) => path === field).map(({ message }) => message);
  const changed = [
    ...NUMBER_RULES.map(({ field }) => draft[field] !== ""),
    draft.toolChoice !== "auto",
    draft.customArgsText.trim() !== "",
    draft.storeConversation,
  ].filter(Boolean).length;
  return (
    <details className="min-w-0" {...(wrong ? { open: true } : {})}>
      <summary className="w-fit rounded-xs font-medium">
        Advanced {changed > 0 && <span className="font-normal text-mute text-xs">{changed} set</span>}
      </summary>
      <div className="mt-2.5 flex min-w-0 flex-col gap-3">
        {NUMBER_RULES.map(({ field, label, hint }) => (
          <DraftField
            key={field}
            {...{ label, field, hint }}
            mono
            inputMode="decimal"
            placeholder="Default"
            value={draft[field]}
            problems={messagesAt(field)}
            onChange={(text) => onChange({ [field]: text })}
          />
        ))}
        <div className="flex items-center justify-between gap-3">
          <label htmlFor={`${id}choice`}>Tool choice</label>
          <NativeSelect
            id={`${id}choice`}
            className="w-36!"
            value={draft.toolChoice}
            onChange={(event) => onChange({ toolChoice: event.target.value as ToolChoiceSetting })}
          >
            <option value="auto">auto</option>
            <option value="required">required</option>
            <option value="none">none</option>
          </NativeSelect>
        </div>
        <DraftField
          label="Custom arguments"
          field="customArgs"
          hint="JSON object merged under the arguments of every call"
          mono
          rows={2}
          placeholder='{ "user": "ada" }'
          value={draft.customArgsText}
          problems={messagesAt("customArgs")}
          onChange={(customArgsText) => onChange({ customArgsText })}
        />
        <label className="flex items-start gap-2">
          <Checkbox
            checked={draft.storeConversation}
            onChange={(checked) => onChange({ storeConversation: checked })}
          />
          <span>
            Store the conversation at the provider
            <span className="block text-mute text-xs">Where supported, only new messages are sent.</span>
          </span>
        </label>
      </div>
    </details>
  );
}
