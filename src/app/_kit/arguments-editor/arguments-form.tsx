import { type ClipboardEvent, useMemo, useState } from "react";
import { NoticeBar } from "@/app/_kit/notice-bar";
import type { Fault } from "@/lib/contract/envelope";
import type { JsonObject, JsonSchema } from "@/lib/contract/json";
import { describeField } from "@/lib/schema/describe/describe-field";
import { isJsonObject } from "@/lib/schema/value-at";
import { Field } from "./argument-field";
import type { ArgumentsDispatch } from "./arguments-reducer";
import type { ArgumentsState } from "./arguments-state";
import { type FaultNode, faultTree, isError } from "./fault-tree";
import { FieldBody } from "./field-body";
import type { FieldControl } from "./field-control";
import { FaultList } from "./field-hints";
import {
  ArgumentsFormContext,
  type ArgumentsForm as ArgumentsFormValue,
  fieldId,
  RawDraftsContext,
} from "./form-context";
import { ObjectField } from "./object-field";
import { readObject } from "./payload-text";

interface ArgumentsFormProps {
  schema: JsonSchema;
  state: ArgumentsState;
  dispatch: ArgumentsDispatch;
  faults: readonly Fault[];
  disabled: boolean;
  idPrefix: string;
  sensitive?: readonly string[] | undefined;
}

interface RootFieldProps extends Pick<ArgumentsFormProps, "schema" | "state" | "dispatch" | "disabled" | "idPrefix"> {
  faults: FaultNode;
}

/** The payload as a whole: an object in all but odd schemas, which are edited as a choice or as JSON. */
function RootField({ schema, state, dispatch, faults, disabled, idPrefix }: RootFieldProps) {
  const field = describeField(schema, schema);
  const { value } = state;
  if ((field.kind === "object" || field.kind === "map") && isJsonObject(value)) {
    return <ObjectField field={field} pointer="" value={value} faults={faults} depth={0} />;
  }
  const control: FieldControl = {
    id: fieldId(idPrefix, ""),
    "aria-label": "Arguments",
    "aria-describedby": undefined,
    "aria-required": undefined,
    invalid: faults.own.some(isError),
    disabled,
  };
  return (
    <FieldBody
      {...{ field, control, value, faults }}
      pointer=""
      name="arguments"
      depth={0}
      raw={field.kind !== "union"}
      clearable={false}
      onChange={(next) => dispatch({ type: "set", pointer: "", value: next ?? {} })}
      onEditingRaw={() => undefined}
    />
  );
}

const NO_PATHS: readonly string[] = [];

/** The fields without the JSON mode. */
export function FormFields(props: ArgumentsFormProps & Pick<ArgumentsFormValue, "purpose">) {
  const { schema, state, dispatch, faults, disabled, idPrefix, purpose, sensitive = NO_PATHS } = props;
  const form = useMemo(
    () => ({ root: schema, dispatch, disabled, idPrefix, purpose, sensitive, Field, FieldBody }),
    [schema, dispatch, disabled, idPrefix, purpose, sensitive],
  );
  const tree = useMemo(() => faultTree(faults), [faults]);
  return (
    <ArgumentsFormContext value={form}>
      <RawDraftsContext value={state.drafts}>
        <FaultList faults={tree.own} withPath={false} />
        <RootField key={state.revision} {...{ schema, state, dispatch, disabled, idPrefix }} faults={tree} />
      </RawDraftsContext>
    </ArgumentsFormContext>
  );
}

export function ArgumentsForm(props: ArgumentsFormProps) {
  const { state, dispatch, disabled } = props;
  const [offer, setOffer] = useState<JsonObject | null>(null);
  const fill = (value: JsonObject) => {
    setOffer(null);
    dispatch({ type: "fill", value });
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = disabled ? null : pastedObject(event);
    if (pasted === null) return;
    if (pasted.intoText) setOffer(pasted.value);
    else {
      event.preventDefault();
      fill(pasted.value);
    }
  };
  return (
    // Focusable by a click on its empty parts, so that a paste there reaches it.
    <section
      aria-label="Arguments form"
      tabIndex={-1}
      onPaste={paste}
      className="group/form min-h-full p-3.5 outline-none"
    >
      <FormFields {...props} purpose="arguments" />
      {state.refusal !== null && (
        <p role="alert" className="mt-3 text-bad text-xs">
          Fix the JSON before switching.
        </p>
      )}
      {offer !== null && (
        <NoticeBar
          message="You pasted a JSON object."
          actionLabel="Use as arguments"
          onAction={() => fill(offer)}
          onDismiss={() => setOffer(null)}
        />
      )}
    </section>
  );
}

/** Returns the pasted text if it is a JSON object, and whether the focused element takes text itself. */
function pastedObject(event: ClipboardEvent): { value: JsonObject; intoText: boolean } | null {
  const value = readObject(event.clipboardData.getData("text/plain"));
  if (value === null) return null;
  const { target } = event;
  const takesText =
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== "radio");
  return { value, intoText: takesText };
}
