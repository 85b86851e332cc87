"use client";

import { useId } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { Field } from "@/app/_kit/form/field";
import type { FieldsState } from "@/app/_kit/form/fields";
import { FormField } from "@/app/_kit/form-field";
import { Input, NativeSelect } from "@/app/_ui/field";
import type { ToolsetTool } from "@/lib/contract/toolset";
import type { OverrideDraft, RuleDraft } from "./toolset-fields";

const MODES = [
  ["", "As the tool has it"],
  ["fixed", "Fixed value"],
  ["default", "Default value"],
  ["hidden", "Hidden"],
] as const;
const LENSES = [
  ["", "As the tool has it"],
  ["none", "None: whole results"],
  ["own", "JMESPath expression"],
] as const;

export interface OverrideFieldsProps {
  tool: ToolsetTool;
  form: FieldsState<OverrideDraft>;
}

/** How the set shows and runs one tool. */
export function OverrideFields({ tool, form }: OverrideFieldsProps) {
  const { draft, change } = form;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <Field form={form} at="name" placeholder={tool.tool} />
        <Field form={form} at="title" placeholder={tool.title ?? ""} />
      </div>
      <Field form={form} at="description" placeholder={tool.description} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field form={form} at="approval" />
        <Field form={form} at="timeoutMs" />
        <LensFields form={form} />
      </div>
      <ArgumentRules
        names={[...new Set([...tool.originalArguments, ...Object.keys(draft.arguments)])]}
        rules={draft.arguments}
        onChange={(rules) => change({ arguments: rules })}
      />
    </div>
  );
}

function LensFields({ form }: Pick<OverrideFieldsProps, "form">) {
  const id = useId();
  const { lens } = form.draft;
  const problems = form.findProblems("lens");
  const isOwn = lens.mode === "own";
  return (
    <>
      <FormField id={id} label="Lens" problems={isOwn ? [] : problems}>
        <NativeSelect
          id={id}
          value={lens.mode}
          options={LENSES}
          onChange={({ target }) => {
            const mode = LENSES.find(([value]) => value === target.value)?.[0];
            if (mode !== undefined) form.change({ lens: { ...lens, mode } });
          }}
        />
      </FormField>
      {isOwn && (
        <DraftField
          field="lens"
          label="Expression"
          mono
          placeholder="items[].{id: id, title: title}"
          value={lens.expression}
          problems={problems}
          onChange={(expression) => form.change({ lens: { ...lens, expression } })}
        />
      )}
    </>
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
