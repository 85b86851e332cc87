"use client";

import { useId } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormField } from "@/app/_kit/form-field";
import type { FieldProblems } from "@/app/_kit/problems";
import { Input, NativeSelect } from "@/app/_ui/field";
import type { ToolsetTool } from "@/lib/contract/toolset";
import type { OverrideDraft, RuleDraft } from "./toolset-draft";

const NONE: readonly string[] = [];
const MODES = [
  ["", "As the tool has it"],
  ["fixed", "Fixed value"],
  ["default", "Default value"],
  ["hidden", "Hidden"],
] as const;
const APPROVALS = [
  ["", "As the tool has it"],
  ["always", "Always"],
  ["never", "Never (admins only)"],
] as const;

const LENSES = [
  ["", "As the tool has it"],
  ["none", "None: whole results"],
  ["own", "JMESPath expression"],
] as const;

/** What a problem of an override can be about, by its path. */
export const OVERRIDE_FIELDS = ["name", "title", "description", "timeoutMs", "approval", "lens"] as const;

export interface OverrideFieldsProps {
  tool: ToolsetTool;
  override: OverrideDraft;
  change: (part: Partial<OverrideDraft>) => void;
  problems: FieldProblems<(typeof OVERRIDE_FIELDS)[number]>;
}

/** How the set shows and runs one tool. */
export function OverrideFields({ tool, override, change, problems }: OverrideFieldsProps) {
  const id = useId();
  const text = (
    key: "name" | "title" | "timeoutMs" | "expression",
    label: string,
    more: { placeholder?: string; hint?: string } = {},
  ) => (
    <DraftField
      {...more}
      field={key === "expression" ? "lens" : key}
      label={label}
      mono={key === "name" || key === "expression"}
      value={override[key]}
      problems={problems[key === "expression" ? "lens" : key] ?? NONE}
      onChange={(value) => change({ [key]: value })}
    />
  );
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        {text("name", "Shown name", { placeholder: tool.tool })}
        {text("title", "Shown title", { placeholder: tool.title ?? "" })}
      </div>
      <DraftField
        field="description"
        label="Shown description"
        rows={2}
        placeholder={tool.description}
        value={override.description}
        problems={problems.description ?? NONE}
        onChange={(description) => change({ description })}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <FormField id={`${id}-approval`} label="Approval" problems={problems.approval ?? NONE}>
          <NativeSelect
            id={`${id}-approval`}
            value={override.approval}
            options={APPROVALS}
            onChange={({ target }) => {
              const approval = APPROVALS.find(([value]) => value === target.value)?.[0];
              if (approval !== undefined) change({ approval });
            }}
          />
        </FormField>
        {text("timeoutMs", "Timeout in ms", { hint: "Empty: as the tool has it." })}
        <FormField id={`${id}-lens`} label="Lens" problems={override.lens === "own" ? NONE : (problems.lens ?? NONE)}>
          <NativeSelect
            id={`${id}-lens`}
            value={override.lens}
            options={LENSES}
            onChange={({ target }) => {
              const lens = LENSES.find(([value]) => value === target.value)?.[0];
              if (lens !== undefined) change({ lens });
            }}
          />
        </FormField>
        {override.lens === "own" && text("expression", "Expression", { placeholder: "items[].{id: id, title: title}" })}
      </div>
      <ArgumentRules
        names={[...new Set([...tool.originalArguments, ...Object.keys(override.arguments)])]}
        rules={override.arguments}
        onChange={(rules) => change({ arguments: rules })}
      />
    </div>
  );
}

interface ArgumentRulesProps {
  names: readonly string[];
  rules: OverrideDraft["arguments"];
  onChange: (rules: OverrideDraft["arguments"]) => void;
}

/** One row an argument. Fixed and hidden ones are not in the schema that clients get. */
function ArgumentRules({ names, rules, onChange }: ArgumentRulesProps) {
  if (names.length === 0) return null;
  function set(name: string, rule: RuleDraft | null): void {
    const { [name]: _former, ...others } = rules;
    onChange(rule === null ? others : { ...others, [name]: rule });
  }
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Arguments</legend>
      <div className="flex flex-col gap-1.5">
        {names.map((name) => {
          const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
          return (
            <div key={name} className="grid items-center gap-1.5 sm:grid-cols-[10rem_11rem_minmax(0,1fr)]">
              <span className="font-mono text-xs [overflow-wrap:anywhere]">{name}</span>
              <NativeSelect
                aria-label={`Argument ${name}`}
                value={rule?.mode ?? ""}
                options={MODES}
                onChange={({ target }) => {
                  const mode = MODES.find(([value]) => value === target.value)?.[0];
                  set(name, mode ? { mode, valueText: rule?.valueText ?? "" } : null);
                }}
              />
              {rule !== undefined && rule.mode !== "hidden" && (
                <Input
                  aria-label={`Value of ${name}`}
                  placeholder="JSON, or text"
                  value={rule.valueText}
                  autoComplete="off"
                  spellCheck={false}
                  className="font-mono text-xs!"
                  onChange={({ target }) => set(name, { ...rule, valueText: target.value })}
                />
              )}
            </div>
          );
        })}
      </div>
      <p className="mt-1 text-mute text-xs">
        Clients do not see fixed and hidden arguments. Everyone who may read the toolset sees the values: enter no
        secrets.
      </p>
    </fieldset>
  );
}
