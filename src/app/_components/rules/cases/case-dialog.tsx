import { useQuery } from "@tanstack/react-query";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { Field } from "@/app/_kit/form/field";
import { choices, defineForm, optional, select, text } from "@/app/_kit/form/fields";
import { QueryState } from "@/app/_kit/query-state";
import { client, trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Dialog } from "@/app/_ui/dialog";
import { CASE_EFFECTS, type CaseEffect } from "@/lib/contract/call-rule-words";
import { isPlainObject } from "@/lib/contract/json";
import type { CaseCall, ProposedCase, RuleCase, RuleCaseInput } from "@/lib/contract/rule-case";
import { CASE_OUTCOMES, type CaseOutcome } from "@/lib/contract/rule-case-words";
import { parseWithDigits, stringifyWithDigits } from "@/lib/json/number-digits";
import { EFFECT_LABELS, OUTCOME_LABELS } from "@/lib/rules/rule-words";

/** The call is edited as JSON. */
interface CaseForm {
  name: string;
  call: string;
  expect: { outcome: CaseOutcome; rule: string | null; effects: readonly CaseEffect[] };
}

const CALL_HINT =
  "tool and arguments; where rules depend on them also caller (id, name, role, token), client, source, server, toolset, tags, time and count.";

const CASE_FORM = defineForm<CaseForm>()({
  name: text("Name", {
    required: true,
    maxLength: 120,
    placeholder: "Small refunds run without approval",
    check: (typed) => (typed.trim() === "" ? ["Enter a name"] : []),
  }),
  call: text("Call", {
    required: true,
    mono: true,
    rows: 10,
    hint: CALL_HINT,
    check: (typed) =>
      isPlainObject(parseCall(typed)) ? [] : ['Enter a JSON object: {"tool": "pay", "arguments": {}}'],
  }),
  "expect.outcome": select<CaseOutcome>(
    "Expected",
    "none",
    CASE_OUTCOMES.map((value) => ({ value, label: value === "none" ? "No rule decides" : OUTCOME_LABELS[value] })),
  ),
  "expect.rule": optional("By rule", "Any rule", [], { when: (draft) => draft["expect.outcome"] !== "none" }),
  "expect.effects": choices<CaseEffect>(
    "And also",
    [],
    CASE_EFFECTS.map((value) => ({ value, label: EFFECT_LABELS[value] })),
    { hint: "Hooks are not called.", when: (draft) => draft["expect.outcome"] !== "deny" },
  ),
});

function parseCall(typed: string): unknown {
  try {
    return parseWithDigits(typed);
  } catch {
    return undefined;
  }
}

function toForm({ name, call, expect }: RuleCaseInput): CaseForm {
  return {
    name,
    call: stringifyWithDigits(call, 2),
    expect: { outcome: expect.outcome, rule: expect.rule ?? null, effects: expect.effects ?? [] },
  };
}

/** The server checks the call. */
function toInput({ name, call, expect: { outcome, rule, effects = [] } }: CaseForm): RuleCaseInput {
  const isNamed = outcome !== "none" && typeof rule === "string";
  const expected = {
    outcome,
    ...(isNamed && { rule }),
    ...(effects.length > 0 && { effects: [...effects] }),
  };
  return { name, call: parseCall(call) as CaseCall, expect: expected };
}

interface CaseDialogProps {
  /** The recorded call that a new case is made of; or the case that is edited; a new one without both. */
  executionId?: string;
  edited?: RuleCase;
  onClose: () => void;
}

const BARS = ["h-9", "h-40", "h-9"];
const EMPTY: RuleCaseInput = { name: "", call: { tool: "", arguments: {} }, expect: { outcome: "ask" } };

/** Saves a call with what the rules must do with it. */
export function CaseDialog({ executionId, edited, onClose }: CaseDialogProps) {
  if (executionId === undefined) return <CaseFields edited={edited} initial={edited ?? EMPTY} onClose={onClose} />;
  return <ProposedDialog executionId={executionId} onClose={onClose} />;
}

function ProposedDialog({ executionId, onClose }: { executionId: string; onClose: () => void }) {
  const query = useQuery({
    ...trpc.ruleCases.propose.queryOptions({ executionId }),
    // A newer proposal must not replace an edited one.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { data } = query;
  if (data !== undefined) return <CaseFields initial={data.case} proposed={data} onClose={onClose} />;
  return (
    <Dialog title="Save as case" size="lg" onClose={onClose}>
      <QueryState query={query} what="the case" bars={BARS}>
        {() => null}
      </QueryState>
    </Dialog>
  );
}

interface CaseFieldsProps extends Pick<CaseDialogProps, "edited" | "onClose"> {
  initial: RuleCaseInput;
  proposed?: ProposedCase;
}

function CaseFields({ edited, initial, proposed, onClose }: CaseFieldsProps) {
  const { data: rules = [] } = useQuery(trpc.rules.list.queryOptions());
  const title = edited !== undefined ? "Edit case" : proposed !== undefined ? "Save as case" : "Add case";
  const chosen = initial.expect.rule;
  const names = new Set([...rules.map(({ name }) => name), ...(chosen === undefined ? [] : [chosen])]);
  return (
    <EditDialog
      needs="edit"
      size="lg"
      title={title}
      description="A call and what the rules must do with it. toolroom rules test checks all cases."
      table={CASE_FORM}
      initial={toForm(initial)}
      root="case"
      {...(edited && { edited: { subject: "case", lastEdit: edited.lastEdit } })}
      save={(form: CaseForm, revision) =>
        edited === undefined
          ? client.ruleCases.create.mutate({ case: toInput(form) })
          : client.ruleCases.update.mutate({ id: edited.id, case: toInput(form), revision })
      }
      stale={[trpc.ruleCases]}
      done={({ name, result }) => `${name} saved: ${result.status === "passed" ? "passes" : "does not pass"} now`}
      onClose={onClose}
    >
      {(form) => (
        <>
          {proposed !== undefined && <ProposalNotes proposed={proposed} />}
          <Field form={form} at="name" />
          <div className="grid gap-4 sm:grid-cols-2">
            <Field form={form} at="expect.outcome" />
            <Field
              form={form}
              at="expect.rule"
              options={[{ value: "", label: "Any rule" }, ...[...names].map((name) => ({ value: name, label: name }))]}
            />
          </div>
          <Field form={form} at="expect.effects" />
          <Field form={form} at="call" />
        </>
      )}
    </EditDialog>
  );
}

function ProposalNotes({ proposed: { left, notes } }: { proposed: ProposedCase }) {
  return (
    <>
      {left.length > 0 && (
        <Alert tone="warn" title="Masked values were left out">
          <p className="text-xs">
            <span className="font-mono">{left.join(", ")}</span>: a case holds no secrets. What is expected below is
            what the rules do with the call without them.
          </p>
        </Alert>
      )}
      {notes.map((note) => (
        <p key={note} className="text-mute text-xs [overflow-wrap:anywhere]">
          {note}
        </p>
      ))}
    </>
  );
}
