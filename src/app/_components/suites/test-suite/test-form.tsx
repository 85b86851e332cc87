import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import type { JsonValue } from "@/lib/contract/json";
import type { SuiteTest } from "@/lib/contract/suite";
import { getMessage } from "@/lib/get-message";
import { type AssertionDraft, readAssertion, readJson, toDraft } from "./assertion-draft";
import { AssertionList } from "./assertion-list";

interface TestTexts {
  name: string;
  tool: string;
  arguments: string;
  timeout: string;
  assertions: readonly AssertionDraft[];
}

interface TestForm {
  texts: TestTexts;
  change: (part: Partial<TestTexts>) => void;
  /** The problem, once `read` was called. */
  problems: TestProblems | null;
  /** The test; null where something is wrong, which is shown from then on. */
  read: () => SuiteTest | null;
}

interface TestProblems {
  name: readonly string[];
  tool: readonly string[];
  arguments: readonly string[];
  timeout: readonly string[];
  assertions: ReadonlyMap<number, string>;
}

/** The draft of a test. */
export function useTestForm(test: SuiteTest): TestForm {
  const [isChecked, setIsChecked] = useState(false);
  const [texts, setTexts] = useState<TestTexts>(() => ({
    name: test.name,
    tool: test.tool,
    arguments: JSON.stringify(test.arguments, null, 2),
    timeout: test.timeoutMs === undefined ? "" : String(test.timeoutMs),
    assertions: test.assertions.map(toDraft),
  }));
  const { problems, read } = readTexts(texts);
  return {
    texts,
    change: (part) => setTexts((before) => ({ ...before, ...part })),
    problems: isChecked ? problems : null,
    read() {
      setIsChecked(true);
      return read;
    },
  };
}

function readTexts(texts: TestTexts): { problems: TestProblems; read: SuiteTest | null } {
  const attempt = <Value,>(work: () => Value): { value?: Value; problems: string[] } => {
    try {
      return { value: work(), problems: [] };
    } catch (error) {
      return { problems: [getMessage(error)] };
    }
  };
  const args = attempt(() => readArguments(texts.arguments));
  const timeout = attempt(() => readTimeout(texts.timeout));
  const drafts = texts.assertions.map((draft) => ({ draft, ...attempt(() => readAssertion(draft)) }));
  const problems: TestProblems = {
    name: texts.name.trim() === "" ? ["Enter a name"] : [],
    tool: texts.tool.trim() === "" ? ["Enter the name of a tool"] : [],
    arguments: args.problems,
    timeout: timeout.problems,
    assertions: new Map(
      drafts.flatMap(({ draft, problems: [first] }) => (first === undefined ? [] : [[draft.id, first]])),
    ),
  };
  const { name, tool, arguments: ofArguments, timeout: ofTimeout, assertions } = problems;
  const isBroken = [name, tool, ofArguments, ofTimeout].some(({ length }) => length > 0) || assertions.size > 0;
  if (isBroken || args.value === undefined) return { problems, read: null };
  return {
    problems,
    read: {
      name: texts.name.trim(),
      tool: texts.tool.trim(),
      arguments: args.value,
      assertions: drafts.flatMap(({ value }) => value ?? []),
      ...(timeout.value === undefined ? {} : { timeoutMs: timeout.value }),
    },
  };
}

function readArguments(text: string): Record<string, JsonValue> {
  const value = readJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Error("must be a JSON object");
}

function readTimeout(text: string): number | undefined {
  if (text.trim() === "") return undefined;
  if (/^[1-9]\d{0,7}$/.test(text.trim())) return Number(text);
  throw new Error("must be an integer from 1 to 86400000");
}

export function TestFields({ form: { texts, change, problems } }: { form: TestForm }) {
  return (
    <>
      <DraftField
        label="Name"
        field="name"
        required
        value={texts.name}
        problems={problems?.name ?? []}
        onChange={(name) => change({ name })}
      />
      <DraftField
        label="Tool"
        field="tool"
        required
        mono
        value={texts.tool}
        problems={problems?.tool ?? []}
        onChange={(tool) => change({ tool })}
      />
      <DraftField
        label="Arguments"
        field="arguments"
        mono
        rows={2}
        value={texts.arguments}
        problems={problems?.arguments ?? []}
        onChange={(next) => change({ arguments: next })}
      />
      <AssertionList
        drafts={texts.assertions}
        problems={problems?.assertions ?? new Map()}
        onChange={(assertions) => change({ assertions })}
      />
      <DraftField
        label="Timeout (optional)"
        field="timeoutMs"
        inputMode="numeric"
        value={texts.timeout}
        problems={problems?.timeout ?? []}
        hint="Milliseconds. Leave empty for the tool's own."
        onChange={(timeout) => change({ timeout })}
      />
    </>
  );
}
