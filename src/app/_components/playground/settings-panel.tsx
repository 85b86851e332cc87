"use client";

import Link from "next/link";
import { type ReactNode, useId } from "react";
import { Input, NativeSelect, Textarea } from "@/app/_ui/field";
import { ModelPicker } from "./model-picker";
import {
  NUMBER_RULES,
  type NumberRule,
  type SettingsDraft,
  type SettingsProblem,
  type ToolChoiceSetting,
} from "./settings-draft";
import { ToolPicker } from "./tool-picker";

export interface SettingsPanelProps {
  draft: SettingsDraft;
  problems: readonly SettingsProblem[];
  onChange: (part: Partial<SettingsDraft>) => void;
  demo: boolean;
}

/** Model, tools, system prompt and the rest: what the next message is sent with. */
export function SettingsPanel({ draft, problems, onChange, demo }: SettingsPanelProps) {
  const promptId = useId();
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Section title="Model" action={<ModelsLink />}>
        <ModelPicker value={{ provider: draft.provider, model: draft.model }} onChange={onChange} />
        {demo && (
          <p className="text-mute text-xs">
            Rules in the server, not a language model: for a first look without a key.
          </p>
        )}
      </Section>
      <Section title="Tools">
        <ToolPicker value={draft.tools} onChange={(tools) => onChange({ tools })} />
      </Section>
      <div className="flex min-w-0 flex-col gap-1.5">
        <label htmlFor={promptId} className="font-medium">
          System prompt
        </label>
        <Textarea
          id={promptId}
          rows={4}
          maxLength={200_000}
          placeholder="None"
          value={draft.instructions}
          onChange={(event) => onChange({ instructions: event.target.value })}
          className="max-h-96 field-sizing-content"
        />
      </div>
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

const ADVANCED = new Set<string>([...NUMBER_RULES.map(({ field }) => field), "customArgsText"]);

function Advanced({ draft, problems, onChange }: AdvancedProps) {
  const id = useId();
  const wrong = problems.some(({ field }) => ADVANCED.has(field));
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
        {NUMBER_RULES.map((rule) => (
          <NumberSetting key={rule.field} rule={rule} draft={draft} problems={problems} onChange={onChange} />
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
        <CustomArguments draft={draft} problems={problems} onChange={onChange} />
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            className="mt-1 accent-accent"
            checked={draft.storeConversation}
            onChange={(event) => onChange({ storeConversation: event.target.checked })}
          />
          <span>
            Conversation held by the provider
            <span className="block text-mute text-xs">Where it can: only what is new is sent.</span>
          </span>
        </label>
      </div>
    </details>
  );
}

function NumberSetting({ rule, draft, problems, onChange }: AdvancedProps & { rule: NumberRule }) {
  const id = useId();
  const problem = problems.find(({ field }) => field === rule.field);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center justify-between gap-3">
        <label htmlFor={id} className="min-w-0">
          {rule.label}
          <span className="block text-mute text-xs">{rule.hint}</span>
        </label>
        <Input
          id={id}
          inputMode="decimal"
          placeholder="default"
          invalid={problem !== undefined}
          aria-describedby={problem ? `${id}problem` : undefined}
          value={draft[rule.field]}
          onChange={(event) => onChange({ [rule.field]: event.target.value })}
          className="w-24! shrink-0 font-mono"
        />
      </div>
      {problem && (
        <p id={`${id}problem`} className="text-bad text-xs">
          {problem.message}
        </p>
      )}
    </div>
  );
}

function CustomArguments({ draft, problems, onChange }: AdvancedProps) {
  const id = useId();
  const problem = problems.find(({ field }) => field === "customArgsText");
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id}>
        Custom arguments
        <span className="block text-mute text-xs">JSON object, put beneath the arguments of every call</span>
      </label>
      <Textarea
        id={id}
        rows={2}
        spellCheck={false}
        placeholder='{ "user": "ada" }'
        invalid={problem !== undefined}
        aria-describedby={problem ? `${id}problem` : undefined}
        value={draft.customArgsText}
        onChange={(event) => onChange({ customArgsText: event.target.value })}
        className="field-sizing-content max-h-60 font-mono text-xs!"
      />
      {problem && (
        <p id={`${id}problem`} className="text-bad text-xs [overflow-wrap:anywhere]">
          {problem.message}
        </p>
      )}
    </div>
  );
}
