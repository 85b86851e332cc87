"use client";

import { useId, useState } from "react";
import { describedBy, FormField } from "@/app/_kit/form-field";
import { Textarea } from "@/app/_ui/field";
import { valueAt } from "./definition-text";
import { problemsOf } from "./problem-fields";
import { asText, type FieldProps } from "./text-field";

/** Which values the log of calls stores masked, beside those that the schemas mark. */
export function SensitiveFields(props: FieldProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <PathLines {...props} part="arguments" label="Masked arguments" placeholder="/password" />
      <PathLines {...props} part="results" label="Masked results" placeholder="/users/*/token" />
    </div>
  );
}

interface PathLinesProps extends FieldProps {
  part: "arguments" | "results";
  label: string;
  placeholder: string;
}

function PathLines({ draft, value, problems, part, label, placeholder }: PathLinesProps) {
  const id = useId();
  const held = valueAt(value, ["sensitive", part]);
  const paths = Array.isArray(held) ? held.map(asText) : [];
  // What is typed holds empty lines that the list does not; it is shown as long as it means the list.
  const [typed, setTyped] = useState(paths.join("\n"));
  const other = valueAt(value, ["sensitive", part === "arguments" ? "results" : "arguments"]);
  const shown = [
    ...problemsOf(problems, `sensitive.${part}`),
    ...(part === "arguments" ? problemsOf(problems, "sensitive") : []),
  ];
  const change = (text: string) => {
    const next = parseLines(text);
    setTyped(text);
    if (next.length === 0 && other === undefined) draft.set(["sensitive"], undefined);
    else draft.set(["sensitive", part], next.length === 0 ? undefined : next);
  };
  return (
    <FormField
      id={id}
      label={label}
      dataKey={`sensitive.${part}`}
      hint="One path per line; * matches any member or item."
      problems={shown}
    >
      <Textarea
        id={id}
        data-field={`sensitive.${part}`}
        value={JSON.stringify(parseLines(typed)) === JSON.stringify(paths) ? typed : paths.join("\n")}
        invalid={shown.length > 0}
        rows={2}
        placeholder={placeholder}
        spellCheck={false}
        autoComplete="off"
        className="font-mono text-xs!"
        aria-describedby={describedBy(id, { hint: true, problems: shown })}
        onChange={(event) => change(event.target.value)}
      />
    </FormField>
  );
}

function parseLines(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : line.trim()));
}
