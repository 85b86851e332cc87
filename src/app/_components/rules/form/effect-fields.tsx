import { Field } from "@/app/_kit/form/field";
import type { FormState } from "@/app/_kit/form/use-form";
import type { RuleDraft } from "./rule-fields";

/** Shows the fields of the chosen effect. Those of a limit form a sentence. */
export function EffectFields({ form }: { form: FormState<RuleDraft> }) {
  return (
    <section aria-label="Effect" className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field form={form} at="effect.kind" />
        <Field form={form} at="effect.reason" />
        {form.draft["effect.kind"] === "ask" && <Field form={form} at="effect.approver" />}
        <Field form={form} at="effect.price" />
        <Field form={form} at="effect.tool" />
      </div>
      {form.draft["effect.kind"] === "hook" && (
        <>
          <Field form={form} at="effect.url" />
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <Field form={form} at="effect.arguments" />
            <Field form={form} at="effect.onFailure" />
          </div>
        </>
      )}
      {form.draft["effect.kind"] === "limit" && (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field form={form} at="effect.most" />
          <Field form={form} at="effect.measure" />
          <Field form={form} at="effect.minutes" />
          <Field form={form} at="effect.per" />
          <Field form={form} at="effect.models" />
          <Field form={form} at="effect.action" />
          <Field form={form} at="effect.waitSeconds" />
          <Field form={form} at="effect.approver" />
        </div>
      )}
    </section>
  );
}
