import { Plus } from "lucide-react";
import { useId } from "react";
import { Field } from "@/app/_kit/form/field";
import { describedBy, FieldProblems, FormField, hintId } from "@/app/_kit/form-field";
import { Button } from "@/app/_ui/button";
import { NativeSelect } from "@/app/_ui/field";
import { JsonEditor } from "@/app/_ui/json-editor";
import { Segmented } from "@/app/_ui/segmented";
import type { HandlerCatalog } from "@/lib/contract/catalog-tool";
import {
  asText,
  type DefinitionFormProps,
  type FieldProps,
  findProblems,
  useDefinitionTexts,
} from "./definition-fields";
import { setValue, valueAt } from "./definition-text";
import {
  isTemplateType,
  switchType,
  TEMPLATE_TEXT,
  TEMPLATE_TYPES,
  type TemplateType,
  templateDefinition,
  withHandlerParameters,
} from "./templates";
import type { DefinitionDraft, JsonPart } from "./use-definition-draft";

export function DefinitionForm(props: DefinitionFormProps) {
  const { draft, problems, attempted } = props;
  const form = useDefinitionTexts(props);
  return (
    <div className="flex flex-col gap-4">
      <Field form={form} at="name" />
      <Field form={form} at="description" />
      <ImplementationFields {...props} />
      <JsonPartField
        draft={draft}
        part="parameters"
        attempted={attempted}
        label="Parameters"
        hint="JSON Schema of the arguments. The root type must be “object”."
        problems={findProblems(problems, "parameters")}
        minLines={10}
      />
      <details className="rounded-lg border border-line bg-panel">
        <summary className="rounded-lg px-3 py-2 font-medium">Hints, masked values, tags, timeout, labels</summary>
        <div className="flex flex-col gap-4 border-line border-t p-3">
          <HintFields {...props} />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field form={form} at="sensitive.arguments" />
            <Field form={form} at="sensitive.results" />
          </div>
          <Field form={form} at="tags" />
          <Field form={form} at="timeout_ms" />
          <Field form={form} at="title" />
          <Field form={form} at="handler" />
        </div>
      </details>
    </div>
  );
}

const HINTS = [
  ["readOnlyHint", "Read-only"],
  ["destructiveHint", "Destructive"],
  ["idempotentHint", "Idempotent"],
  ["openWorldHint", "Open world"],
] as const;

/** Unspecified, yes and no are three different claims. */
function HintFields({ draft, value, problems }: FieldProps) {
  const id = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">Hints</legend>
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {HINTS.map(([key, label]) => {
          const held = valueAt(value, ["annotations", key]);
          return (
            <label key={key} htmlFor={`${id}-${key}`} className="flex items-center justify-between gap-2 text-mute">
              {label}
              <NativeSelect
                id={`${id}-${key}`}
                value={typeof held === "boolean" ? String(held) : ""}
                onChange={({ target }) =>
                  draft.set(["annotations", key], target.value === "" ? undefined : target.value === "true")
                }
                className="max-w-32"
              >
                <option value="">Unspecified</option>
                <option value="true">Yes</option>
                <option value="false">No</option>
              </NativeSelect>
            </label>
          );
        })}
      </div>
      <FieldProblems id={id} problems={findProblems(problems, "annotations")} />
    </fieldset>
  );
}

/** The implementation that runs when the tool is called. */
function ImplementationFields({ draft, value, problems, handlers, attempted }: DefinitionFormProps) {
  const id = useId();
  const type = valueAt(value, ["implementation", "type"]);
  const known = isTemplateType(type) ? type : null;

  function choose(next: TemplateType) {
    const untouched = known !== null && draft.text === templateDefinition(known, handlers);
    if (untouched) draft.replaceText(templateDefinition(next, handlers));
    else draft.takeHandler(withHandlerParameters(switchType(draft.text, next, handlers), next, handlers));
  }

  return (
    <>
      <div>
        <p className="mb-1 font-medium">Type</p>
        <Segmented
          label="Type"
          value={known ?? ""}
          options={TEMPLATE_TYPES.map((each) => ({ value: each, label: TEMPLATE_TEXT[each].label }))}
          onChange={(next) => isTemplateType(next) && choose(next)}
        />
        <p className="mt-1 text-mute text-xs">
          {known === null ? `Type “${asText(type)}” cannot be edited here. Choose a type.` : TEMPLATE_TEXT[known].text}
        </p>
        <FieldProblems id={id} problems={findProblems(problems, "implementation")} />
      </div>
      {known === "mock" && <MockFields {...{ draft, value, problems, attempted }} />}
      {(known === "builtin" || known === "internal") && (
        <HandlerSelect {...{ draft, value, problems, handlers }} type={known} />
      )}
    </>
  );
}

/** A first response for the arguments that the tool requires. */
function writeFirstRule(value: Record<string, unknown>): string {
  const required = valueAt(value, ["parameters", "required"]);
  const [name] = Array.isArray(required) ? required : [];
  const subset = typeof name === "string" ? { [name]: "…" } : {};
  return JSON.stringify([{ when: { subset }, response: { ok: true } }], null, 2);
}

/** The responses of a mock: by arguments, and the default. */
function MockFields(props: FieldProps & Pick<DefinitionFormProps, "attempted">) {
  const { draft, value, problems, attempted } = props;
  const form = useDefinitionTexts(props);
  const hasRules = valueAt(value, ["implementation", "mock_responses"]) !== undefined;
  return (
    <>
      <JsonPartField
        draft={draft}
        part="mockResponse"
        attempted={attempted}
        label="Mock response"
        hint={hasRules ? "The response of calls that match no rule below." : "The response of every call."}
        problems={findProblems(problems, "implementation.mock_response")}
      />
      {hasRules ? (
        <JsonPartField
          draft={draft}
          part="mockResponses"
          attempted={attempted}
          label="Responses by arguments"
          hint="The first whose “when” matches decides: { equals }, { subset } or { path, value }. Each has a response or an error, and may have a delay_ms."
          problems={findProblems(problems, "implementation.mock_responses")}
        />
      ) : (
        <Button
          icon={Plus}
          className="self-start"
          onClick={() => draft.setPart("mockResponses", writeFirstRule(value))}
        >
          Add responses by arguments
        </Button>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field form={form} at="implementation.mock_delay_ms" />
        <Field form={form} at="implementation.mock_error_rate" />
      </div>
    </>
  );
}

interface HandlerSelectProps extends FieldProps {
  handlers: HandlerCatalog;
  type: "builtin" | "internal";
}

/** A handler that is written but not registered stays chosen, and is marked. */
function HandlerSelect({ draft, value, problems, handlers, type }: HandlerSelectProps) {
  const names = handlers[type];
  const id = useId();
  const mine = findProblems(problems, "implementation.handler");
  const chosen = asText(valueAt(value, ["implementation", "handler"]));
  const label = asText(valueAt(value, ["handler"]));

  function choose(next: string) {
    const named = setValue(draft.text, ["implementation", "handler"], next);
    // The label equals the handler so far, so it follows the handler's name.
    const labeled = label === "" || label === chosen ? setValue(named, ["handler"], next) : named;
    draft.takeHandler(withHandlerParameters(labeled, type, handlers));
  }

  return (
    <FormField id={id} label="Handler" required problems={mine}>
      <NativeSelect
        id={id}
        value={chosen}
        invalid={mine.length > 0}
        aria-describedby={describedBy(id, { hint: false, problems: mine })}
        onChange={(event) => choose(event.target.value)}
      >
        {!names.includes(chosen) && (
          <option value={chosen}>{chosen === "" ? "Choose a handler" : `${chosen} (not registered)`}</option>
        )}
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </NativeSelect>
    </FormField>
  );
}

interface JsonPartFieldProps {
  draft: DefinitionDraft;
  part: JsonPart;
  label: string;
  hint: string;
  problems: readonly string[];
  /** A user has tried to save, so problems of the JSON are shown. */
  attempted: boolean;
  minLines?: number;
}

/** A part of the definition that is edited as separate JSON. */
function JsonPartField({ draft, part, label, hint, problems, attempted, minLines }: JsonPartFieldProps) {
  const id = useId();
  const { text, fault } = draft.part(part);
  const broken = fault === null || !attempted ? [] : [fault, "Fix the JSON to update the definition."];
  const shown = fault === null ? problems : broken;
  return (
    <div className="min-w-0" data-part={part}>
      <p className="mb-1 font-medium">{label}</p>
      <JsonEditor
        label={label}
        value={text}
        onChange={(next) => draft.setPart(part, next)}
        invalid={shown.length > 0}
        minLines={minLines}
        describedBy={describedBy(id, { hint: true, problems: shown })}
      />
      <p id={hintId(id)} className="mt-1 text-mute text-xs">
        {hint}
      </p>
      <FieldProblems id={id} problems={shown} />
    </div>
  );
}
