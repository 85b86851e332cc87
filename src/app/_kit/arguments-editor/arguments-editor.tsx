import { AlignLeft, ArrowDown, ClipboardPaste, Sparkle, Undo2 } from "lucide-react";
import { useRef, useState } from "react";
import { NoticeBar } from "@/app/_kit/notice-bar";
import { Menu, MenuButton } from "@/app/_ui/menu";
import type { MenuItem } from "@/app/_ui/menu-props";
import { onDemand } from "@/app/_ui/on-demand";
import { Segmented } from "@/app/_ui/segmented";
import { Skeleton } from "@/app/_ui/skeleton";
import type { Fault } from "@/lib/contract/envelope";
import type { JsonSchema } from "@/lib/contract/json";
import { describeField } from "@/lib/schema/describe/describe-field";
import { sampleArguments } from "@/lib/schema/describe/initial-values";
import { ArgumentsForm } from "./arguments-form";
import type { ArgumentsDispatch } from "./arguments-reducer";
import type { ArgumentsMode, ArgumentsState, Replacement } from "./arguments-state";
import { isError } from "./fault-tree";
import { focusField, focusSoon } from "./focus-field";
import { fieldId } from "./form-context";

/** Loaded when JSON mode opens: CodeMirror is larger than the rest of the page. */
const JsonPane = onDemand(() => import("./json-pane"), "JsonPane", {
  fallback: <Skeleton className="m-3.5 h-40" />,
});

const FillDialog = onDemand(() => import("./fill-dialog"), "FillDialog");

interface ArgumentsEditorProps {
  schema: JsonSchema;
  state: ArgumentsState;
  dispatch: ArgumentsDispatch;
  /** The server's faults of the current arguments. */
  faults: readonly Fault[];
  disabled?: boolean;
  /** Distinguishes the ids of two editors on one page. */
  idPrefix?: string;
  /** Paths that the tool lists as sensitive. */
  sensitive?: readonly string[] | undefined;
}

const NO_FAULTS: readonly Fault[] = [];

const REPLACEMENTS: Record<Replacement, string> = {
  filled: "Replaced all arguments.",
  example: "Inserted an example.",
  reset: "Reset all arguments.",
  restored: "Restored your last arguments.",
  loaded: "Loaded the arguments of an earlier call.",
};

/** Form and JSON of the whole payload. Fills its column: header and tools stay, the fields scroll. */
export function ArgumentsEditor(props: ArgumentsEditorProps) {
  const { schema, state, dispatch, disabled = false, idPrefix = "arg", sensitive } = props;
  // The server's faults are about a text that has changed since.
  const faults = state.fault === null && state.drafts.size === 0 ? props.faults : NO_FAULTS;
  const [filling, setFilling] = useState(false);
  const [target, setTarget] = useState<{ pointer: string } | null>(null);
  const nextFault = useRef(0);

  const changeMode = (mode: ArgumentsMode) => {
    dispatch({ type: "mode", mode });
    setTarget(null);
    const [draft] = mode === "json" ? state.drafts.keys() : [];
    if (draft !== undefined) focusSoon(fieldId(idPrefix, draft));
  };
  const goToNextFault = () => {
    const fault = faults[nextFault.current % faults.length];
    nextFault.current = (nextFault.current + 1) % Math.max(faults.length, 1);
    if (fault === undefined) return;
    if (state.mode === "form") focusField(idPrefix, fault.pointer);
    else setTarget({ pointer: fault.pointer });
  };
  const { kind, properties } = describeField(schema, schema);
  const takesNothing = (kind === "object" || kind === "map") && properties.length === 0;
  const actions: MenuItem[] = [{ label: "Paste JSON", icon: ClipboardPaste, onSelect: () => setFilling(true) }];
  if (!takesNothing) {
    actions.push({
      label: "Insert example",
      icon: Sparkle,
      onSelect: () => dispatch({ type: "fill", value: sampleArguments(schema), example: true }),
    });
  }
  if (state.mode === "json") {
    actions.push({ label: "Format", icon: AlignLeft, onSelect: () => dispatch({ type: "format" }) });
  }
  actions.push({ label: "Reset", icon: Undo2, onSelect: () => dispatch({ type: "reset" }) });
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <EditorHeader
        mode={state.mode}
        formLimit={state.formLimit}
        faults={faults}
        onModeChange={changeMode}
        onNextFault={goToNextFault}
        actions={actions}
        disabled={disabled}
      />
      <div className="min-h-0 flex-1 overflow-auto">
        {state.mode === "form" ? (
          <ArgumentsForm {...{ schema, state, dispatch, faults, disabled, idPrefix, sensitive }} />
        ) : (
          <JsonPane {...{ state, dispatch, faults, disabled, idPrefix, target }} />
        )}
      </div>
      <output aria-label="Arguments notice" className="block px-1.5">
        {state.undo !== null && (
          <NoticeBar
            message={describeReplacement(state.undo.done, faults)}
            actionLabel="Undo"
            onAction={() => dispatch({ type: "undo" })}
            onDismiss={() => dispatch({ type: "dismiss" })}
          />
        )}
      </output>
      {filling && (
        <FillDialog onClose={() => setFilling(false)} onFill={(value) => dispatch({ type: "fill", value })} />
      )}
    </div>
  );
}

/** The reason why the schema refuses an example, such as one for a `pattern`. */
function describeReplacement(done: Replacement, faults: readonly Fault[]): string {
  const first = faults.find(isError);
  if (done !== "example" || first === undefined) return REPLACEMENTS[done];
  return `${REPLACEMENTS[done]} It does not satisfy the schema: ${[first.path, first.message].filter(Boolean).join(" ")}.`;
}

interface EditorHeaderProps {
  mode: ArgumentsMode;
  /** The reason why there is no form; null where there is one. */
  formLimit: string | null;
  faults: readonly Fault[];
  onModeChange: (mode: ArgumentsMode) => void;
  /** Goes to the next faulty place, around and around. */
  onNextFault: () => void;
  actions: readonly MenuItem[];
  disabled: boolean;
}

function EditorHeader(props: EditorHeaderProps) {
  const { mode, formLimit, faults, onModeChange, onNextFault, actions, disabled } = props;
  const modes = [
    { value: "form", label: "Form", disabled: formLimit !== null },
    { value: "json", label: "JSON" },
  ] as const;
  const errors = faults.filter(isError).length;
  const [number, word] = errors > 0 ? [errors, "problem"] : [faults.length, "warning"];
  return (
    <header className="flex min-h-11 flex-wrap items-center gap-2 border-line border-b px-3.5 py-2">
      <h2 className="font-medium text-sm">Arguments</h2>
      {faults.length > 0 && (
        <button
          type="button"
          onClick={onNextFault}
          className={`inline-flex h-6 items-center gap-1 rounded-md px-1.5 font-medium text-xs hover:underline ${errors > 0 ? "bg-bad-bg text-bad" : "bg-warn-bg text-warn"}`}
        >
          {`${number} ${word}${number === 1 ? "" : "s"}`}
          <ArrowDown size={15} />
          <span className="sr-only">, go to next</span>
        </button>
      )}
      <Segmented label="Edit as" value={mode} options={modes} onChange={onModeChange} className="ml-auto" />
      <Menu trigger={<MenuButton label="Argument actions" disabled={disabled} className="-mr-1.5" />} items={actions} />
      {formLimit !== null && <p className="w-full text-mute text-xs">{formLimit}</p>}
    </header>
  );
}
