import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { ToolList } from "@/app/_components/playground/tool-list";
import { withTool } from "@/app/_components/playground/tool-selection";
import { CheckPanel } from "@/app/_kit/check-panel";
import { checkDraft, writeInput } from "@/app/_kit/form/draft-input";
import { Field } from "@/app/_kit/form/field";
import { splitLines } from "@/app/_kit/form/fields";
import { FormPage } from "@/app/_kit/form/form-page";
import { type FormState, useForm } from "@/app/_kit/form/use-form";
import { FieldProblems } from "@/app/_kit/form-field";
import { MultiSelect } from "@/app/_kit/multi-select";
import type { Refusal } from "@/app/_kit/problems";
import type { DraftState } from "@/app/_kit/use-draft";
import { type EditedThing, type Save, toEdited, useSave } from "@/app/_kit/use-save";
import { useVerdict } from "@/app/_kit/use-verdict";
import { client, trpc } from "@/app/_trpc/client";
import { Button } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";
import type { LastEdit } from "@/lib/contract/last-edit";
import type { Problem } from "@/lib/contract/problem";
import type { ToolsetInput, ToolsetPreview } from "@/lib/contract/toolset";
import { formatCount } from "@/lib/format";
import { OWN_SKILLS } from "@/lib/skill-files";
import { chooseTools, matchPatterns } from "./choose-tools";
import { ChosenTools } from "./chosen-tools";
import { ClientPreview } from "./client-preview";
import { NO_OVERRIDE, TOOLSET_FORM, type ToolsetDraft } from "./toolset-fields";

const ClientFits = onDemand(() => import("@/app/_components/clients/fit/client-fits"), "ClientFits");

const NONE: readonly Problem[] = [];
const ENABLED = { state: "enabled" } as const;

const FIRST_WARNINGS = 5;

interface ToolsetFormProps {
  held: DraftState<ToolsetDraft>;
  /** The name of the toolset that is changed; null for a new one. */
  editing: string | null;
  lastEdit?: LastEdit | undefined;
  /** Whether the toolset, as it is saved now, lets tools run without approval. */
  relaxed?: boolean;
}

/** A toolset as a form: the catalog, what is chosen of it, and what its clients would get. */
export function ToolsetForm({ held, editing, lastEdit, relaxed = false }: ToolsetFormProps) {
  const { draft } = held;
  const unreadable = checkDraft(TOOLSET_FORM, draft);
  // The name has no part in the preview.
  const isReadable = unreadable.every(({ path }) => path === "name");
  const read = isReadable ? writeInput(TOOLSET_FORM, draft) : null;
  const { preview, problems: refused, current, failure } = useToolsetPreview(read);
  const saving = useSaveToolset(toEdited(editing, held.base), () => held.settle(draft));
  const form = useForm(TOOLSET_FORM, { held, saving, root: "toolset" });
  const isForAdmins = relaxed || Object.values(draft.overrides).some(({ approval }) => approval === "never");
  const shownProblems = preview?.problems ?? [];
  const found = [...refused, ...shownProblems.filter(({ severity }) => severity === "error")];
  const unread = form.attempted ? [...unreadable, ...refused] : refused;
  const warnings = shownProblems.filter(({ severity }) => severity === "warning");
  const { data, error } = useQuery(trpc.tools.names.queryOptions());
  const catalog = useMemo(() => data?.filter(({ enabled }) => enabled !== false) ?? null, [data]);
  const patterns = splitLines(draft.patterns);
  const tools = chooseTools({ ...draft, patterns }, catalog, preview);
  const { goTo } = form;
  const isNew = editing === null;
  const focusName = useEffectEvent(() => goTo("name"));
  // Outside system: the keyboard focus, when a new toolset is begun.
  useEffect(() => {
    if (isNew) focusName();
  }, [isNew]);

  function choose(next: Pick<ToolsetDraft, "tools" | "servers">): void {
    held.update((before) => {
      const left = new Set(chooseTools({ ...next, patterns }, catalog, null).map(({ name }) => name));
      const gone = new Set(tools.flatMap(({ name }) => (left.has(name) ? [] : [name])));
      const overrides = Object.entries(before.overrides).filter(([tool]) => !gone.has(tool));
      return { ...before, tools: next.tools, servers: next.servers, overrides: Object.fromEntries(overrides) };
    });
  }
  const selection = { mode: "some", tools: draft.tools, servers: draft.servers } as const;
  return (
    <FormPage
      form={form}
      label={isNew ? "New toolset" : `Edit ${editing}`}
      needs={isForAdmins ? "administer" : "edit"}
      submitLabel={isNew ? "Create toolset" : "Save"}
      cancelPath="/toolsets"
      subject="toolset"
      lastEdit={lastEdit}
      check={
        <CheckPanel
          subject="toolset"
          current={current || read === null}
          failure={failure}
          problems={form.attempted ? [...unreadable, ...found] : found}
          total={unreadable.length + found.length}
          untouched={!form.attempted && found.length === 0}
        >
          <Warnings warnings={warnings} />
          {preview !== null && <ClientPreview preview={preview} discovery={draft.discovery} />}
          {editing !== null && <ClientFits part={{ toolset: editing }} />}
        </CheckPanel>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          form={form}
          at="name"
          hint={
            <>
              Served at <code className="font-mono [overflow-wrap:anywhere]">/mcp/sets/{draft.name.trim() || "…"}</code>
            </>
          }
        />
        <Field form={form} at="title" />
      </div>
      <Field form={form} at="description" />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,18rem)_minmax(0,1fr)]">
        <section aria-label="Catalog" className="min-w-0 lg:sticky lg:top-0">
          <h2 className="mb-1 font-medium">Catalog</h2>
          {catalog !== null && (
            <ToolList
              tools={catalog}
              filter={ENABLED}
              value={selection}
              fixed={matchPatterns(patterns, catalog)}
              className="max-h-80 lg:max-h-[max(20rem,calc(100dvh-19rem))]"
              onChange={choose}
            />
          )}
          {error !== null && <p className="text-bad text-xs">Couldn't load tools: {error.message}</p>}
          <FieldProblems
            id="toolset-selection"
            problems={[...form.findProblems("tools"), ...form.findProblems("servers")]}
          />
        </section>
        <ChosenTools
          tools={tools}
          overrides={draft.overrides}
          tokens={preview?.cost.find(({ format }) => format === "mcp")?.tokens ?? null}
          problems={unread.length > 0 ? unread : saving.problems}
          onChange={(tool, part) =>
            held.update((before) => ({
              ...before,
              overrides: { ...before.overrides, [tool]: { ...(before.overrides[tool] ?? NO_OVERRIDE), ...part } },
            }))
          }
          onRemove={({ name, server }) => choose(withTool(selection, { name, server }, false, catalog ?? []))}
        />
      </div>
      <AdvancedFields form={form} tools={tools.map(({ name }) => name)} />
    </FormPage>
  );
}

/** Creates a toolset, or changes the one that is edited, then opens its page. */
function useSaveToolset(editing: EditedThing | null, onSaved: () => void): Save<ToolsetInput> {
  const queryClient = useQueryClient();
  return useSave({
    send: (input: ToolsetInput) =>
      editing === null
        ? client.toolsets.create.mutate(input)
        : client.toolsets.update.mutate({ ...editing, toolset: input }),
    onSaved: (toolset) => {
      onSaved();
      queryClient.setQueryData(trpc.toolsets.get.queryKey({ name: toolset.name }), toolset);
      void queryClient.invalidateQueries({ queryKey: trpc.toolsets.list.queryKey() });
    },
    onConflict: () => void queryClient.invalidateQueries({ queryKey: trpc.toolsets.pathKey() }),
    toast: ({ name }) => (editing === null ? `${name} created` : `${name} saved`),
    openPath: ({ name }) => `/toolsets/${encodeURIComponent(name)}`,
  });
}

/** Shown below the costs: a large toolset may have hundreds. */
function Warnings({ warnings }: { warnings: readonly Problem[] }) {
  const [whole, setWhole] = useState(false);
  if (warnings.length === 0) return null;
  const shown = whole ? warnings : warnings.slice(0, FIRST_WARNINGS);
  return (
    <div className="border-line border-t pt-3">
      <h3 className="mb-1 font-medium text-mute text-xs">Warnings</h3>
      <ul aria-label="Warnings" className="flex list-disc flex-col gap-1 pl-4 text-mute [overflow-wrap:anywhere]">
        {shown.map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            <span className="font-mono text-xs">{path}</span> {message}
          </li>
        ))}
      </ul>
      {warnings.length > FIRST_WARNINGS && (
        <Button className="mt-2" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show fewer" : `Show all ${formatCount(warnings.length)}`}
        </Button>
      )}
    </div>
  );
}

/** Selected names stay in the list when they have left the catalog, so that they can be removed. */
function toOptions(names: readonly string[], chosen: readonly string[]) {
  return [...new Set([...names, ...chosen])].map((name) => ({ value: name, label: name, mono: true }));
}

interface AdvancedFieldsProps {
  form: FormState<ToolsetDraft>;
  tools: readonly string[];
}

/** Patterns, offers beside the tools, and the way in which clients receive the tools. */
function AdvancedFields({ form, tools }: AdvancedFieldsProps) {
  const { draft, change, findProblems } = form;
  const servers = useQuery(trpc.servers.names.queryOptions());
  const [isOpen] = useState(draft.patterns !== "" || draft.contents.length > 0 || draft.discovery || draft.askReason);
  return (
    <details open={isOpen} className="rounded-lg border border-line bg-panel">
      <summary className="rounded-lg px-3 py-2 font-medium">
        Advanced <span className="font-normal text-mute text-xs">patterns, resources, discovery, reasons</span>
      </summary>
      <div className="flex flex-col gap-4 border-line border-t p-3">
        <Field form={form} at="patterns" />
        <div>
          <p className="mb-1 font-medium">Resources and prompts</p>
          <div className="flex flex-wrap items-center gap-2">
            <MultiSelect
              label="Of servers and skills"
              options={toOptions([...(servers.data ?? []), OWN_SKILLS], draft.contents)}
              value={draft.contents}
              onChange={(contents) => change({ contents })}
            />
            <span className="text-mute text-xs">
              {draft.contents.length === 0 ? "Clients get tools only." : "Clients also get what these offer."}
            </span>
          </div>
        </div>
        <div className="flex flex-col gap-2">
          <Field form={form} at="discovery" />
          {draft.discovery && (
            <div className="pl-7.5">
              <MultiSelect
                label="Pinned"
                options={toOptions(tools, draft.pinned)}
                value={draft.pinned}
                onChange={(pinned) => change({ pinned })}
              />
              <FieldProblems id="toolset-pinned" problems={findProblems("pinned")} />
            </div>
          )}
        </div>
        <Field form={form} at="askReason" />
      </div>
    </details>
  );
}

interface ShownPreview {
  /** The preview of the last valid draft; null until the first response. */
  preview: ToolsetPreview | null;
  /** Why the newest draft is refused. */
  problems: readonly Problem[];
  /** False while the newest draft has not been checked. */
  current: boolean;
  failure: string | null;
}

/** Previews the toolset while it is being written. @param input null: it cannot be read yet */
function useToolsetPreview(input: ToolsetInput | null): ShownPreview {
  // The name has no part in it, and is often not valid yet.
  const text = input === null ? null : JSON.stringify({ ...input, name: "draft" });
  const valid = useRef<ToolsetPreview | null>(null);
  const ask = useCallback(async (draftText: string, signal: AbortSignal) => {
    try {
      valid.current = await client.toolsets.preview.mutate(JSON.parse(draftText) as ToolsetInput, { signal });
      return { preview: valid.current, problems: NONE };
    } catch (error) {
      const { data } = error as Refusal;
      if (!data?.problems.length) throw error;
      return { preview: valid.current, problems: data.problems };
    }
  }, []);
  const { checked, answer, failure } = useVerdict(text, ask);
  return { preview: null, problems: NONE, ...answer, current: checked === text, failure };
}
