import { type ClipboardEvent, useState } from "react";
import { Field, MASK_HINT } from "@/app/_kit/form/field";
import { RemoveRow, RowList } from "@/app/_kit/form/row-list";
import { FieldProblems } from "@/app/_kit/form-field";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import { formatPlural } from "@/lib/format";
import { hasMask } from "@/lib/masked-value";
import { splitCommandLine } from "@/lib/server-settings/split-command-line";
import type { KindFieldsProps, ServerFieldsProps } from "./advanced-fields";
import type { ServerDraft } from "./server-fields";

/** The fields of a local server's command. */
export function CommandFields({ form }: KindFieldsProps) {
  const { draft, change } = form;
  const [undo, setUndo] = useState<Pick<ServerDraft, "command" | "args" | "env"> | null>(null);

  /** Splits a whole command line. @returns whether the text could be split */
  function split(text: string): boolean {
    const line = splitCommandLine(text);
    if (line === null || (line.args.length === 0 && line.env.length === 0)) return false;
    setUndo({ command: text.trim(), args: draft.args, env: draft.env });
    change({ command: line.command, args: [...line.args, ...draft.args], env: [...draft.env, ...line.env] });
    return true;
  }
  function onPaste(event: ClipboardEvent<HTMLInputElement>) {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const replacesAll = value === "" || (selectionStart === 0 && selectionEnd === value.length);
    if (replacesAll && split(event.clipboardData.getData("text"))) event.preventDefault();
  }

  const splittable = undo === null && /\s/.test(draft.command.trim());
  return (
    <>
      <div>
        <Field form={form} at="command" onPaste={onPaste} />
        <p role="status" className="text-xs">
          {undo !== null && (
            <span className="mt-1 flex flex-wrap items-center gap-2 text-mute">
              Split into the program and {formatPlural(draft.args.length, "argument")}.
              <Button
                onClick={() => {
                  change(undo);
                  setUndo(null);
                }}
              >
                Undo
              </Button>
            </span>
          )}
          {splittable && (
            <span className="mt-1 flex flex-wrap items-center gap-2 text-mute">
              The whole text is used as the program's name.
              <Button onClick={() => split(draft.command)}>Split it</Button>
            </span>
          )}
        </p>
      </div>
      <ArgumentRows form={form} />
      <Field form={form} at="env" />
      <Field form={form} at="cwd" />
    </>
  );
}

function ArgumentRows({ form }: ServerFieldsProps) {
  const { args } = form.draft;
  const change = (next: readonly string[]) => form.change({ args: next });
  function onPaste(event: ClipboardEvent<HTMLInputElement>, at: number) {
    const pasted = event.clipboardData
      .getData("text")
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "");
    if (pasted.length < 2 || event.currentTarget.value !== "") return;
    event.preventDefault();
    change(args.toSpliced(at, 1, ...pasted.map((line) => line.trim())));
  }
  return (
    <RowList
      legend="Arguments"
      dataKey="args"
      hint={args.some(hasMask) ? MASK_HINT : "One argument per row, without quotes."}
      problems={form.findProblems("args")}
      addLabel="Add argument"
      rows={args}
      newRow={() => ""}
      onChange={change}
    >
      {({ row, at, set, remove }) => (
        <>
          <div className="flex items-center gap-1.5">
            <Input
              aria-label={`Argument ${at + 1}`}
              data-field={`args[${at}]`}
              value={row}
              invalid={form.findProblems(`args[${at}]`).length > 0}
              placeholder="empty: sent as an empty argument"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="font-mono text-xs!"
              onPaste={(event) => onPaste(event, at)}
              onChange={(event) => set(event.target.value)}
            />
            <RemoveRow label={`Remove argument ${at + 1}`} onRemove={remove} />
          </div>
          <FieldProblems id={`args-${at}`} problems={form.findProblems(`args[${at}]`)} />
        </>
      )}
    </RowList>
  );
}
