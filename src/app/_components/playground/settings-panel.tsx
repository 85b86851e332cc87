import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useId, useMemo } from "react";
import { ModelPicker } from "@/app/_components/models/picker/model-picker";
import { DraftField } from "@/app/_kit/form/draft-field";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Checkbox } from "@/app/_ui/checkbox";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { lazyPart } from "@/app/_ui/on-demand";
import { Segmented } from "@/app/_ui/segmented";
import { Skeleton } from "@/app/_ui/skeleton";
import type { Problem } from "@/lib/contract/problem";
import type { ToolSelection } from "@/lib/contract/run";
import { formatCount } from "@/lib/format";
import { isOffered, OFFERED, OFFERED_INPUT } from "./offered-tools";
import { NUMBER_RULES, type SettingsDraft, type ToolChoiceSetting } from "./settings-draft";
import { countChosen } from "./tool-selection";

const LOADING = <Skeleton className="h-40" />;
const ToolList = lazyPart(() => import("./tool-list"), "ToolList");

interface SettingsPanelProps {
  draft: SettingsDraft;
  problems: readonly Problem[];
  onChange: (part: Partial<SettingsDraft>) => void;
  demo: boolean;
}

/** The settings of the next message: model, tools, system prompt and others. */
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
    draft.runTextCalls,
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
        <label className="flex items-start gap-2">
          <Checkbox checked={draft.runTextCalls} onChange={(checked) => onChange({ runTextCalls: checked })} />
          <span>
            Run calls written as text
            <span className="block text-mute text-xs">
              For local models whose server does not recognize their calls.
            </span>
          </span>
        </label>
      </div>
    </details>
  );
}

interface ToolPickerProps {
  value: ToolSelection;
  /** Name of the model provider. */
  provider: string;
  onChange: (value: ToolSelection) => void;
}

/** Chooses the tools that the model is offered: all, none, some of them, or those of a toolset. */
function ToolPicker({ value, provider, onChange }: ToolPickerProps) {
  const choices = useQuery(trpc.models.choices.queryOptions());
  const maxTools = choices.data?.items.find((choice) => choice.provider === provider)?.maxTools ?? null;
  const { data, error } = useQuery(trpc.tools.list.queryOptions(OFFERED_INPUT));
  const all = data?.matching ?? 0;
  const names = useQuery({ ...trpc.tools.names.queryOptions(), enabled: value.mode === "some" });
  const tools = useMemo(() => names.data?.filter(isOffered), [names.data]);
  const toolsets = useQuery(trpc.toolsets.list.queryOptions());
  const set = value.mode === "toolset" ? toolsets.data?.find(({ name }) => name === value.toolset) : undefined;
  const chosen = value.mode === "toolset" ? (set?.toolCount ?? 0) : countChosen(value, { all, tools });
  // With discovery, a request has two definitions and the pinned tools.
  const sent = set?.discovery === true ? 0 : chosen;
  const failure = error ?? (value.mode === "some" ? names.error : null);
  const choose = (mode: ToolSelection["mode"]): void => {
    const [first] = toolsets.data ?? [];
    if (mode === value.mode) return;
    if (mode === "some") onChange({ mode, tools: [], servers: [] });
    else if (mode !== "toolset") onChange({ mode });
    else if (first !== undefined) onChange({ mode, toolset: first.name });
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label="Tools"
          value={value.mode}
          options={[
            { value: "all", label: "All" },
            { value: "some", label: "Some" },
            { value: "toolset", label: "Toolset", disabled: toolsets.data === undefined || toolsets.data.length === 0 },
            { value: "none", label: "None" },
          ]}
          onChange={choose}
        />
        {data && (
          <span className="whitespace-nowrap text-mute text-xs tabular-nums">
            {chosen === null ? "…" : formatCount(chosen)} of {formatCount(all)}
          </span>
        )}
      </div>
      {value.mode === "toolset" && (
        <NativeSelect
          aria-label="Toolset"
          value={value.toolset}
          onChange={({ target }) => onChange({ mode: "toolset", toolset: target.value })}
          options={[...new Set([...(toolsets.data ?? []).map(({ name }) => name), value.toolset])].map((name) => [
            name,
            name,
          ])}
        />
      )}
      {value.mode === "toolset" && toolsets.data !== undefined && set === undefined && (
        <Alert tone="warn" title={`Toolset ${value.toolset} not found`}>
          It was renamed or deleted. Choose other tools.
        </Alert>
      )}
      {maxTools !== null && sent !== null && sent > maxTools && (
        <Alert tone="warn" title={`${formatCount(sent)} tools selected`}>
          Provider {provider} accepts at most {formatCount(maxTools)} tools per request and may reject this one. Choose
          fewer tools.
        </Alert>
      )}
      {failure !== null && <p className="text-bad text-xs">Couldn't load tools: {failure.message}</p>}
      {value.mode === "some" && failure === null && (
        <Suspense fallback={LOADING}>
          {tools === undefined ? (
            LOADING
          ) : (
            <ToolList tools={tools} value={value} onChange={onChange} filter={OFFERED} />
          )}
        </Suspense>
      )}
    </div>
  );
}
