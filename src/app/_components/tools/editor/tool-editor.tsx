import { useQueryClient } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { type ClipboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { QualityList } from "@/app/_components/tools/summary/tool-badges";
import { CheckPanel } from "@/app/_kit/check-panel";
import { DraftNotice } from "@/app/_kit/draft-notice";
import { EditConflict } from "@/app/_kit/edit-conflict";
import { EditorForm } from "@/app/_kit/editor-form";
import { NoticeBar } from "@/app/_kit/notice-bar";
import { useLeaveGuard } from "@/app/_kit/use-leave-guard";
import { type EditedThing, type Save, toEdited, useSave } from "@/app/_kit/use-save";
import { useVerdict } from "@/app/_kit/use-verdict";
import { client, trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { JsonEditor } from "@/app/_ui/json-editor";
import { Link } from "@/app/_ui/link";
import { onDemand } from "@/app/_ui/on-demand";
import { Segmented } from "@/app/_ui/segmented";
import type { ApprovalMode } from "@/lib/contract/approval";
import { describeApprovers, findApproverRule } from "@/lib/contract/approver";
import type { HandlerCatalog, QualityNote } from "@/lib/contract/catalog-tool";
import type { LastEdit } from "@/lib/contract/last-edit";
import { describeProblem, type Problem } from "@/lib/contract/problem";
import { REVISION } from "@/lib/contract/revision";
import { hasField } from "./definition-fields";
import { DefinitionForm } from "./definition-form";
import { DEFINITION_FIELDS, type DefinitionDraft, useDefinitionDraft } from "./use-definition-draft";

const EditedRuns = onDemand(() => import("@/app/_components/suites/eval-suite/edited-runs"), "EditedRuns");

interface ToolEditorProps {
  initialText: string;
  handlers: HandlerCatalog;
  /** The name of the tool that is changed; null for a new one. */
  editing: string | null;
  /** Names the draft in this tab. */
  keptAs: string;
  /** Identifies the version of the tool that is changed or copied. */
  base?: string;
  lastEdit?: LastEdit | undefined;
}

function withoutDoubles(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [describeProblem(problem), problem])).values()];
}

const EDIT_VIEWS = { form: "Form", json: "JSON" } as const;

/** A definition as a form and as JSON. The JSON is the truth, the server's check decides. */
export function ToolEditor({ initialText, handlers, editing, keptAs, base = "", lastEdit }: ToolEditorProps) {
  const draft = useDefinitionDraft(initialText, { keptAs, base });
  const { shownView, show, switchProblem, setSwitchProblem } = useEditAs(draft);
  const check = useDefinitionCheck(draft.text, editing);
  const saving = useSaveDefinition(toEdited(editing, draft.held.base), () => draft.held.settle(draft.held.draft));
  const { save, pending, refusal } = saving;
  useLeaveGuard(draft.dirty && !pending);

  const [attempts, setAttempts] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  useFocusOnProblem(form, attempts, refusal?.message);

  // A refusal of an older text is outdated.
  const current = refusal?.input === draft.text;
  const refused = current ? saving.problems.filter(({ path }) => path !== "" && path !== REVISION) : [];
  const problems = withoutDoubles([...check.problems, ...refused]);
  const shown = attempts === 0 ? [] : problems;
  const isValid = check.current && problems.length === 0 && draft.brokenParts.length === 0;

  function submit() {
    if (pending) return;
    setAttempts((count) => count + 1);
    const known = draft.brokenParts.length > 0 || (check.current && check.problems.length > 0);
    if (!known) save(draft.text);
  }
  /** Converts pasted text before the focused field receives it. A mock response may be any JSON, including a tool. */
  function onPaste(event: ClipboardEvent) {
    const { target } = event;
    if (target instanceof Element && target.closest("[data-part=mockResponse]") !== null) return;
    if (!draft.convert(event.clipboardData.getData("text"))) return;
    event.preventDefault();
    event.stopPropagation();
    setSwitchProblem(null);
  }

  return (
    <EditorForm
      label={editing === null ? "New tool" : `Edit ${editing}`}
      onSubmit={submit}
      pending={pending}
      needs="edit"
      submitLabel={editing === null ? "Create tool" : "Save changes"}
      cancelPath={editing === null ? "/tools" : `/tools/${encodeURIComponent(editing)}`}
      refusal={current && refused.length === 0 ? refusal.message : null}
      ref={form}
      onPasteCapture={onPaste}
      notice={<EditorNotices {...{ draft, editing, lastEdit, pending }} />}
      check={
        <CheckPanel
          {...check}
          subject="definition"
          // Each problem is shown once: at its field, or here where no field has it.
          problems={shownView === "form" ? shown.filter((problem) => !hasField(problem)) : shown}
          total={problems.length + draft.brokenParts.length}
          untouched={attempts === 0}
        >
          {check.keptApproval !== null && <KeptApprovalNotice mode={check.keptApproval} />}
          {draft.dirty && <Warnings notes={check.quality} />}
          {draft.dirty && isValid && <EditedRuns definitionText={draft.text} editing={editing} />}
        </CheckPanel>
      }
    >
      <Segmented label="Edit as" value={shownView} options={EDIT_VIEWS} onChange={show} className="self-start" />
      {switchProblem !== null && (
        <Alert live tone="warn" title="Fix the JSON before switching">
          <p>{switchProblem}</p>
        </Alert>
      )}
      {draft.read.ok && shownView === "form" ? (
        <DefinitionForm
          draft={draft}
          value={draft.read.value}
          problems={shown}
          attempted={attempts > 0}
          handlers={handlers}
        />
      ) : (
        <JsonEditor
          label="Definition"
          value={draft.text}
          onChange={(text) => {
            setSwitchProblem(null);
            draft.setText(text);
          }}
          invalid={shown.length > 0}
          minLines={22}
        />
      )}
    </EditorForm>
  );
}

/** Form or JSON; broken JSON keeps the view until it is fixed. */
function useEditAs(draft: DefinitionDraft) {
  const [view, setView] = useQueryState("view", parseAsStringLiteral(["form", "json"]).withDefault("form"));
  const [switchProblem, setSwitchProblem] = useState<string | null>(null);
  function show(next: "form" | "json") {
    if (next === "form" && !draft.read.ok) return setSwitchProblem(draft.read.message);
    if (next === "json" && draft.brokenParts.length > 0)
      return setSwitchProblem(draft.brokenParts.map(({ message }) => message).join("; "));
    setSwitchProblem(null);
    void setView(next);
  }
  return { shownView: draft.read.ok ? view : "json", show, switchProblem, setSwitchProblem };
}

/** A notice that the chosen name keeps an approval setting. */
function KeptApprovalNotice({ mode }: { mode: ApprovalMode }) {
  const rule = findApproverRule(mode);
  return (
    <Alert tone="accent" title="This name carries an approval setting">
      Calls of the tool will require approval{rule !== null && ` by ${describeApprovers(rule, null)}`}.{" "}
      {rule !== null && "Only an admin can remove the setting. "}
      <Link href="/approvals" className="rounded-xs underline">
        Approvals
      </Link>
    </Alert>
  );
}

function Warnings({ notes }: { notes: readonly QualityNote[] }) {
  if (notes.length === 0) return null;
  return (
    <div>
      <h3 className="mb-1 font-medium text-mute text-xs">Warnings (you can still save)</h3>
      <QualityList notes={notes} />
    </div>
  );
}

interface EditorNoticesProps extends Pick<ToolEditorProps, "editing" | "lastEdit"> {
  draft: DefinitionDraft;
  pending: boolean;
}

/** Notices: values that were converted or replaced, a restored draft, and another edit of the tool. */
function EditorNotices({ draft, editing, lastEdit, pending }: EditorNoticesProps) {
  const { replaced, held } = draft;
  return (
    <>
      <output aria-label="Definition notice" className="block px-4 empty:hidden">
        {replaced !== null && (
          <NoticeBar
            message={replaced.message}
            actionLabel="Undo"
            onAction={replaced.undo}
            onDismiss={replaced.dismiss}
          />
        )}
      </output>
      <DraftNotice held={held} />
      {editing !== null && <EditConflict {...{ held, lastEdit, pending }} fields={DEFINITION_FIELDS} subject="tool" />}
    </>
  );
}

/** Creates a tool, or changes the one that is edited; afterwards its page opens. */
function useSaveDefinition(editing: EditedThing | null, onSaved: () => void): Save<string> {
  const queryClient = useQueryClient();
  return useSave({
    send: (definition: string) =>
      editing === null
        ? client.tools.create.mutate({ definition })
        : client.tools.update.mutate({ ...editing, definition }),
    onSaved: (tool) => {
      onSaved();
      queryClient.setQueryData(trpc.tools.get.queryKey({ name: tool.name }), tool);
      void queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() });
    },
    onConflict: () => void queryClient.invalidateQueries({ queryKey: trpc.tools.pathKey() }),
    toast: ({ name }) => (editing === null ? `${name} created` : `${name} saved`),
    openPath: ({ name }) => `/tools/${encodeURIComponent(name)}`,
  });
}

interface DefinitionCheck {
  /** False while the newest text has not been checked. */
  current: boolean;
  problems: readonly Problem[];
  quality: readonly QualityNote[];
  /** The approval setting that the name carries without a tool, and that the tool will have. */
  keptApproval: ApprovalMode | null;
  /** The check itself did not work: the server is away. */
  failure: string | null;
}

/** The server's own verdict on a definition while it is being written: there is one checker, and this asks it. */
function useDefinitionCheck(text: string, editing: string | null): DefinitionCheck {
  const ask = useCallback(
    (definition: string, signal: AbortSignal) =>
      client.tools.checkDefinition.mutate({ definition, editing: editing ?? undefined }, { signal }),
    [editing],
  );
  const { checked, answer, failure } = useVerdict(text, ask);
  const { problems = [], quality = [], keptApproval = null } = answer ?? {};
  return { problems, quality, keptApproval, failure, current: checked === text };
}

/**
 * After an attempt that was refused, focuses the first field with a problem, or the control that opens it
 * (`data-wrong`).
 */
function useFocusOnProblem(form: RefObject<HTMLFormElement | null>, attempts: number, refusal: string | undefined) {
  // Outside system: the keyboard focus, once problems are marked.
  useEffect(() => {
    if (attempts === 0 && refusal === undefined) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]');
    const details = field?.closest("details");
    if (details) details.open = true;
    field?.focus();
  }, [form, attempts, refusal]);
}
