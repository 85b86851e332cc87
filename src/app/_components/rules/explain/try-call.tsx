import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { SOURCE_LABELS } from "@/app/_components/executions/summary/execution-labels";
import { useCallerNames } from "@/app/_components/rules/summary/use-caller-names";
import { useSuggestedTools } from "@/app/_components/tools/summary/use-suggested-tools";
import { ArgumentsEditor } from "@/app/_kit/arguments-editor/arguments-editor";
import { describeBlock } from "@/app/_kit/arguments-editor/fault-tree";
import { useToolVerdict } from "@/app/_kit/arguments-editor/use-argument-verdict";
import { useArgumentsEditor } from "@/app/_kit/arguments-editor/use-arguments-editor";
import { FormField } from "@/app/_kit/form-field";
import { QueryState } from "@/app/_kit/query-state";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { Input, NativeSelect } from "@/app/_ui/field";
import { ROLES, type Role } from "@/lib/contract/access";
import { PROGRAM_SOURCES } from "@/lib/contract/call-class";
import type { JsonSchema } from "@/lib/contract/json";
import type { CaseCall } from "@/lib/contract/rule-case";
import type { ToolDefinition } from "@/lib/contract/tool-definition";
import { parseWithDigits } from "@/lib/json/number-digits";
import { CallExplanation } from "./call-explanation";

/** The caller as the form has it. An empty field is not sent. */
interface Caller {
  user: string;
  role: string;
  token: string;
  client: string;
  source: string;
  toolset: string;
}

const NO_CALLER: Caller = { user: "", role: "", token: "", client: "", source: "gateway", toolset: "" };
const SOURCES = ["console", ...PROGRAM_SOURCES] as const;
const BARS = ["h-24", "h-9"];

/** A call that is not made: shows which rule or setting would decide it. */
export function TryCall({ onClose }: { onClose: () => void }) {
  const [tool, setTool] = useState("");
  const names = useSuggestedTools(tool).map(({ name }) => name);
  const id = useId();
  return (
    <Dialog title="Try a call" description="Nothing is run, counted or recorded." side="right" onClose={onClose}>
      <div className="flex min-w-0 flex-col gap-4">
        <FormField id={id} label="Tool" required>
          <Input
            id={id}
            value={tool}
            list={`${id}-tools`}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-xs!"
            onChange={({ target }) => setTool(target.value.trim())}
          />
          <datalist id={`${id}-tools`}>
            {names.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </FormField>
        {names.includes(tool) && <ChosenTool key={tool} name={tool} />}
      </div>
    </Dialog>
  );
}

function ChosenTool({ name }: { name: string }) {
  const query = useQuery(trpc.tools.get.queryOptions({ name }));
  return (
    <QueryState query={query} what="the tool" bars={BARS}>
      {({ definition }) => <CallForm definition={definition} />}
    </QueryState>
  );
}

function CallForm({ definition }: { definition: ToolDefinition }) {
  const idPrefix = useId();
  const schema: JsonSchema = definition.parameters;
  const editor = useArgumentsEditor("{}", schema);
  const verdict = useToolVerdict(definition.name, "explained call", editor.text);
  const [caller, setCaller] = useState(NO_CALLER);
  const [asked, setAsked] = useState<string | null>(null);
  const explaining = useAction(trpc.rules.explain.mutationOptions(), { stale: [] });
  const typed = JSON.stringify([caller, editor.text]);
  const blocked = editor.text === null ? describeBlock(editor.broken, []) : null;

  function explain(): void {
    if (editor.text === null || explaining.isPending) return;
    setAsked(typed);
    explaining.mutate({ call: toCall(definition.name, editor.text, caller) });
  }

  return (
    <form
      noValidate
      className="flex min-w-0 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        explain();
      }}
    >
      <CallerFields caller={caller} onChange={setCaller} />
      <div className="flex max-h-[min(24rem,50dvh)] min-h-0 min-w-0 flex-col overflow-hidden rounded-lg border border-line bg-bg">
        <ArgumentsEditor
          schema={schema}
          state={editor.state}
          dispatch={editor.dispatch}
          faults={[...verdict.faults, ...verdict.warnings]}
          idPrefix={idPrefix}
          sensitive={definition.sensitive?.arguments}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          variant="primary"
          aria-disabled={blocked !== null || explaining.isPending}
          title={blocked ?? undefined}
        >
          {explaining.isPending ? "Explaining…" : "Explain"}
        </Button>
        {blocked !== null && <span className="text-mute text-xs">{blocked}</span>}
      </div>
      <ActionProblem problem={explaining.problem} onDismiss={explaining.reset} />
      {explaining.data !== undefined && <CallExplanation explanation={explaining.data} isOutdated={asked !== typed} />}
    </form>
  );
}

function toCall(tool: string, text: string, { user, role, token, client, source, toolset }: Caller): CaseCall {
  return {
    tool,
    arguments: parseWithDigits(text) as CaseCall["arguments"],
    caller: {
      ...(user !== "" && (JSON.parse(user) as { id: string; name: string })),
      ...(role !== "" && { role: role as Role }),
      ...(token !== "" && { token }),
    },
    source: source as NonNullable<CaseCall["source"]>,
    ...(client !== "" && { client }),
    ...(toolset !== "" && { toolset }),
  };
}

function CallerFields({ caller, onChange }: { caller: Caller; onChange: (caller: Caller) => void }) {
  const names = useCallerNames();
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const users = [...names].map(([id, name]) => [JSON.stringify({ id, name }), name] as const);
  const set = (field: keyof Caller) => (value: string) => onChange({ ...caller, [field]: value });
  return (
    <section aria-label="Caller" className="grid items-start gap-4 sm:grid-cols-2">
      <Choice label="User" value={caller.user} onChange={set("user")} options={[["", "You"], ...users]} />
      <Choice
        label="Role"
        value={caller.role}
        onChange={set("role")}
        options={[["", "The user's own"], ...ROLES.map((role) => [role, role] as const)]}
      />
      <Typed label="Client" value={caller.client} placeholder="claude-code/1.2.3" onChange={set("client")} />
      <Choice
        label="Source"
        value={caller.source}
        onChange={set("source")}
        options={SOURCES.map((source) => [source, SOURCE_LABELS[source]] as const)}
      />
      <Choice
        label="Toolset"
        value={caller.toolset}
        onChange={set("toolset")}
        options={[["", "None"], ...(toolsets.data ?? []).map(({ name }) => [name, name] as const)]}
      />
      <Typed label="API token" value={caller.token} placeholder="its id; empty: none" onChange={set("token")} />
    </section>
  );
}

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

function Choice({ label, value, onChange, options }: FieldProps & { options: readonly (readonly [string, string])[] }) {
  const id = useId();
  return (
    <FormField id={id} label={label}>
      <NativeSelect id={id} value={value} options={options} onChange={({ target }) => onChange(target.value)} />
    </FormField>
  );
}

function Typed({ label, value, placeholder, onChange }: FieldProps & { placeholder: string }) {
  const id = useId();
  return (
    <FormField id={id} label={label}>
      <Input
        id={id}
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-xs!"
        onChange={({ target }) => onChange(target.value.trim())}
      />
    </FormField>
  );
}
