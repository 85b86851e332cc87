import { useId } from "react";
import { Field } from "@/app/_kit/form/field";
import type { FieldsState } from "@/app/_kit/form/fields";
import { FieldProblems } from "@/app/_kit/form-field";
import { Checkbox } from "@/app/_ui/checkbox";
import { Input } from "@/app/_ui/field";
import type { OverrideDraft, RuleDraft } from "./toolset-fields";
import type { ToolTexts } from "./use-tool-texts";

interface OverrideProps {
  form: FieldsState<OverrideDraft>;
}

/** Called once, when the field appears on request. */
function focus(control: HTMLInputElement | null): void {
  control?.focus();
}

/** The expression that reduces the tool's results for the clients of the set. */
export function LensFields({ form }: OverrideProps) {
  const id = useId();
  const { lens } = form.draft;
  const problems = form.findProblems("lens");
  return (
    <>
      <Input
        ref={focus}
        aria-label="Lens"
        aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
        data-field="lens"
        placeholder="JMESPath: items[].{id: id, title: title}"
        value={lens.mode === "own" ? lens.expression : ""}
        disabled={lens.mode === "none"}
        invalid={problems.length > 0}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="font-mono text-xs!"
        onChange={({ target }) =>
          form.change({ lens: { mode: target.value === "" ? "" : "own", expression: target.value } })
        }
      />
      <FieldProblems id={id} problems={problems} />
      <label className="-ml-1 mt-0.5 flex items-center gap-1 text-mute text-xs">
        <Checkbox
          checked={lens.mode === "none"}
          onChange={(whole) => form.change({ lens: { mode: whole ? "none" : "", expression: "" } })}
        />
        Whole results, whatever the tool's own lens
      </label>
    </>
  );
}

/** Texts and rules that few sets change. */
export function MoreFields({ form, texts }: OverrideProps & { texts: ToolTexts }) {
  return (
    <div className="flex flex-col gap-3">
      <Field form={form} at="title" placeholder={texts.title ?? ""} />
      <Field form={form} at="description" placeholder={texts.description} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field form={form} at="approval" />
        <Field form={form} at="timeoutMs" />
      </div>
      <Field form={form} at="meta" />
    </div>
  );
}

interface ArgumentRulesProps {
  names: readonly string[];
  rules: OverrideDraft["arguments"];
  onChange: (rules: OverrideDraft["arguments"]) => void;
}

/** One row an argument: whether clients see it, and the value that a call gets: the default of one they see. */
export function ArgumentRules({ names, rules, onChange }: ArgumentRulesProps) {
  if (names.length === 0) return <p className="text-mute text-xs">No arguments.</p>;
  function set(name: string, isShown: boolean, valueText: string): void {
    const { [name]: _former, ...others } = rules;
    const hasValue = valueText.trim() !== "";
    const mode = isShown ? (hasValue ? "default" : null) : hasValue ? "fixed" : "hidden";
    onChange(mode === null ? others : { ...others, [name]: { mode, valueText } satisfies RuleDraft });
  }
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Arguments</legend>
      {names.map((name) => {
        const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
        const isShown = rule === undefined || rule.mode === "default";
        const valueText = rule?.valueText ?? "";
        return (
          <div key={name} className="flex flex-wrap items-center gap-x-2">
            <label className="-ml-1 flex min-w-0 grow basis-40 items-center gap-1">
              <Checkbox
                aria-label={`Show ${name}`}
                checked={isShown}
                onChange={(checked) => set(name, checked, valueText)}
              />
              <span className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{name}</span>
            </label>
            <Input
              aria-label={`Value of ${name}`}
              placeholder={isShown ? "Default: none" : "Hidden; sends nothing"}
              value={valueText}
              autoComplete="off"
              spellCheck={false}
              className="h-7! grow basis-40 font-mono text-xs!"
              onChange={({ target }) => set(name, isShown, target.value)}
            />
          </div>
        );
      })}
      <p className="mt-1 text-mute text-xs">
        Unchecked arguments are hidden from clients; a value is sent in each call. JSON, or text. Everyone who may read
        the toolset sees values: enter no secrets.
      </p>
    </fieldset>
  );
}
