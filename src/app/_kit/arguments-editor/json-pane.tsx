"use client";

import { useEffect, useMemo, useRef } from "react";
import type { Fault } from "@/lib/contract/envelope";
import type { ArgumentsDispatch } from "./arguments-reducer";
import type { ArgumentsState } from "./arguments-state";
import { JsonCode, type JsonCodeHandle } from "./json-code";
import { findOffset, type JsonProblem, jsonProblems } from "./json-problems";

export interface JsonPaneProps {
  state: ArgumentsState;
  dispatch: ArgumentsDispatch;
  faults: readonly Fault[];
  disabled: boolean;
  idPrefix: string;
  /** The place to put the cursor at; a new object asks again. */
  target: { pointer: string } | null;
}

interface ProblemListProps {
  id: string;
  problems: readonly JsonProblem[];
  onGoTo: (problem: JsonProblem) => void;
}

function ProblemList({ id, problems, onGoTo }: ProblemListProps) {
  return (
    <ul id={id} aria-label="Problems in the JSON" className="mt-2 text-xs">
      {problems.map((problem) => (
        <li key={`${problem.from} ${problem.message}`}>
          <button
            type="button"
            onClick={() => onGoTo(problem)}
            className={`min-h-6 rounded-sm text-left [overflow-wrap:anywhere] hover:underline ${problem.severity === "error" ? "text-bad" : "text-warn"}`}
          >
            Line {problem.line}, column {problem.column}: {problem.message}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** JSON mode: the text as it is typed, what is wrong with it, and where. */
export function JsonPane({ state, dispatch, faults, disabled, idPrefix, target }: JsonPaneProps) {
  const code = useRef<JsonCodeHandle>(null);
  const { text, fault, refusal } = state;
  const problems = useMemo(() => jsonProblems(text, fault, faults), [text, fault, faults]);
  const listId = `${idPrefix}-json-problems`;

  // CodeMirror: its cursor goes where the change of mode was refused.
  useEffect(() => {
    if (refusal !== null) code.current?.goTo(refusal.fault.offset);
  }, [refusal]);

  // CodeMirror: its cursor goes to the fault that was asked for, in the text as it is by then.
  useEffect(() => {
    if (target !== null) code.current?.goTo(findOffset(code.current.text(), target.pointer));
  }, [target]);

  return (
    <div className="p-3.5">
      {refusal !== null && (
        <p role="alert" className="mb-2 rounded-md bg-bad-bg px-2.5 py-1.5 text-bad text-xs">
          Fix the JSON before switching.
          {fault === null && ` It ${refusal.fault.message}.`}
        </p>
      )}
      <JsonCode
        ref={code}
        text={text}
        revision={state.revision}
        problems={problems}
        disabled={disabled}
        describedBy={problems.length > 0 ? listId : undefined}
        onChange={(next) => dispatch({ type: "typed", text: next })}
      />
      {problems.length > 0 && (
        <ProblemList id={listId} problems={problems} onGoTo={({ from }) => code.current?.goTo(from)} />
      )}
    </div>
  );
}
