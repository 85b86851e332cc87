import { useQueries, useQuery } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Badge } from "@/app/_ui/badge";
import { cx } from "@/app/_ui/class-names";
import { Input } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import type { ModelChoice } from "@/lib/contract/model";
import { ModelButton, type PickedModel } from "./model-button";
import { buildModelOptions, type ModelOption, type ModelSource } from "./model-options";

const FRESH_MS = 60_000;

interface ModelPickerViewProps {
  value: PickedModel;
  onChange: (value: PickedModel) => void;
  choices: readonly ModelChoice[];
  choice: ModelChoice | null;
  field?: string | undefined;
  "aria-describedby"?: string | undefined;
}

/** The view of a pressed `ModelPicker`: open at first. */
export function ModelPickerView({ value, choices, choice, onChange, field, ...described }: ModelPickerViewProps) {
  const [open, setOpen] = useState(true);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <ModelButton value={value} choice={choice} data-field={field} {...described} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Choose a model"
          className="z-50 flex max-h-[min(28rem,var(--radix-popover-content-available-height))] w-[min(26rem,calc(100vw-1rem))] flex-col rounded-lg border border-line2 bg-panel shadow-pop"
        >
          <ModelSearch
            value={value}
            choices={choices}
            onPick={(picked) => {
              onChange(picked);
              setOpen(false);
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

interface ModelSearchProps {
  value: PickedModel;
  choices: readonly ModelChoice[];
  onPick: (picked: PickedModel) => void;
}

function ModelSearch({ value, choices, onPick }: ModelSearchProps) {
  const { sources, problems, loading } = useModelSources();
  const [search, setSearch] = useState("");
  const [activeKey, setActiveKey] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const baseId = useId();
  const options = buildModelOptions(choices, sources, search);
  const chosenKey = `${value.provider}/${value.model}`;
  const wanted = activeKey ?? (search === "" ? chosenKey : null);
  const at = Math.max(
    0,
    options.findIndex((option) => option.key === wanted),
  );
  const active = options[at];

  const go = (to: number): void => {
    const next = options[Math.min(options.length - 1, Math.max(0, to))];
    if (!next) return;
    setActiveKey(next.key);
    list.current?.querySelector(`[data-option="${CSS.escape(next.key)}"]`)?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8 };
    if (Object.hasOwn(moves, event.key)) {
      event.preventDefault();
      go(moves[event.key] ?? at);
    } else if (event.key === "Enter" && active && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onPick({ provider: active.provider, model: active.model });
    }
  };
  return (
    <>
      <div className="border-line border-b p-1.5">
        <Input
          role="combobox"
          aria-label="Search models"
          aria-expanded
          aria-controls={`${baseId}list`}
          aria-autocomplete="list"
          aria-activedescendant={active ? `${baseId}${at}` : undefined}
          placeholder="Search, or type a model's name"
          value={search}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setSearch(event.target.value);
            setActiveKey(null);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div
        ref={list}
        id={`${baseId}list`}
        role="listbox"
        aria-label="Models"
        className="min-h-0 flex-1 overflow-auto p-1"
      >
        {options.map((option, index) => (
          <Option
            key={option.key}
            id={`${baseId}${index}`}
            option={option}
            first={option.free || options[index - 1]?.provider !== option.provider}
            active={option === active}
            chosen={option.key === chosenKey}
            onPoint={() => setActiveKey(option.key)}
            onPick={() => onPick({ provider: option.provider, model: option.model })}
          />
        ))}
      </div>
      <div className="flex flex-col gap-1 border-line border-t px-2.5 py-1.5 text-mute text-xs">
        <p role="status" className="empty:hidden">
          {loading && "Loading models…"}
          {!loading && options.length === 0 && "No matching models"}
        </p>
        {problems.map(({ provider, problem }) => (
          <p key={provider} className="text-warn [overflow-wrap:anywhere]">
            <span className="font-mono">{provider}</span>: {problem}
          </p>
        ))}
        <Link href="/settings/models" className="w-fit rounded-xs underline hover:text-text">
          Providers and keys
        </Link>
      </div>
    </>
  );
}

interface OptionProps {
  id: string;
  option: ModelOption;
  /** Whether its provider is named above it. */
  first: boolean;
  active: boolean;
  chosen: boolean;
  onPoint: () => void;
  onPick: () => void;
}

/** The search field keeps the focus and handles the keys. */
function Option({ id, option, first, active, chosen, onPoint, onPick }: OptionProps) {
  const { provider, model, demo, free, key } = option;
  return (
    <>
      {first && (
        <div role="presentation" className="px-2 pt-1.5 pb-0.5 text-2xs text-mute">
          {free ? `Other model of ${provider}` : provider}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the combobox that owns the list has the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: reached through aria-activedescendant */}
      <div
        id={id}
        role="option"
        data-option={key}
        aria-selected={chosen}
        onPointerMove={onPoint}
        onPointerDown={(event) => event.preventDefault()}
        onClick={onPick}
        className={cx("flex cursor-pointer items-center gap-2 rounded-sm px-2 py-1", active && "bg-accent-bg")}
      >
        <span className="min-w-0 truncate font-mono text-xs">
          {free ? `Use “${model}”` : model}
          <span className="sr-only"> of {provider}</span>
        </span>
        {demo && <Badge>demo</Badge>}
        {chosen && <Check size={13} className="ml-auto shrink-0 text-accent" />}
      </div>
    </>
  );
}

/** Reads the models that settings and vendors offer when the picker opens. */
function useModelSources(): {
  sources: ModelSource[];
  problems: { provider: string; problem: string }[];
  loading: boolean;
} {
  const providers = useQuery(trpc.models.providers.queryOptions());
  const known = providers.data?.items ?? [];
  const usable = known.filter(({ problem }) => problem === null);
  const mayList = useDenial("run") === null;
  const answers = useQueries({
    queries: usable.map(({ name }) =>
      trpc.models.available.queryOptions({ provider: name }, { staleTime: FRESH_MS, retry: false, enabled: mayList }),
    ),
  });
  const sources = usable.map(({ name, kind, models }, position) => ({
    provider: name,
    demo: kind === "demo",
    models: [...models, ...(answers[position]?.data?.models ?? [])],
  }));
  const problems = usable.flatMap(({ name }, position) => {
    const answer = answers[position];
    const problem = answer?.error?.message ?? answer?.data?.problem ?? null;
    return problem === null ? [] : [{ provider: name, problem }];
  });
  return { sources, problems, loading: providers.isLoading || answers.some((answer) => answer.isLoading) };
}
