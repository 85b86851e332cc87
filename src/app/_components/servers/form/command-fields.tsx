"use client";

import { type ClipboardEvent, useState } from "react";
import { FieldProblems } from "@/app/_kit/form-field";
import { RemoveRow, RowList } from "@/app/_kit/row-list";
import { Button } from "@/app/_ui/button";
import { Input } from "@/app/_ui/field";
import { formatPlural } from "@/lib/format";
import { hasMask } from "@/lib/masked-value";
import { splitCommandLine } from "@/lib/server-settings/split-command-line";
import type { FormState } from "./form-state";
import { SecretRows } from "./secret-rows";
import { type ServerDraft, secretRow, textRow } from "./server-draft";
import { MASK_HINT, SettingField } from "./setting-field";

/** What starts a local server. */
export function CommandFields({ form }: { form: FormState }) {
  const { draft, change } = form;
  const [undo, setUndo] = useState<Pick<ServerDraft, "command" | "args" | "env"> | null>(null);

  /** Takes a whole command line apart. @returns whether there was anything to take apart */
  function split(text: string): boolean {
    const line = splitCommandLine(text);
    if (line === null || (line.args.length === 0 && line.env.length === 0)) return false;
    setUndo({ command: text.trim(), args: draft.args, env: draft.env });
    change({
      command: line.command,
      args: [...line.args.map(textRow), ...draft.args],
      env: [...draft.env, ...line.env.map(({ name, value }) => secretRow(name, value))],
    });
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
        <SettingField
          form={form}
          part="command"
          label="Command"
          required
          mono
          placeholder="npx"
          hint="The program to start. Paste a command and it is split for you."
          onPaste={onPaste}
        />
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
              Now the whole text is the program's name.
              <Button onClick={() => split(draft.command)}>Split it</Button>
            </span>
          )}
        </p>
      </div>
      <ArgumentRows form={form} />
      <SecretRows form={form} list="env" />
      <SettingField
        form={form}
        part="cwd"
        label="Working directory"
        mono
        placeholder="/path/to/folder"
        hint="Empty: a folder of its own beside the database. A relative path starts at Toolroom's folder."
      />
    </>
  );
}

function ArgumentRows({ form }: { form: FormState }) {
  const { args } = form.draft;
  const set = (next: ServerDraft["args"]) => form.change({ args: next });
  function onPaste(event: ClipboardEvent<HTMLInputElement>, at: number) {
    const lines = event.clipboardData
      .getData("text")
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "");
    if (lines.length < 2 || event.currentTarget.value !== "") return;
    event.preventDefault();
    set([...args.slice(0, at), ...lines.map((line) => textRow(line.trim())), ...args.slice(at + 1)]);
  }
  return (
    <RowList
      legend="Arguments"
      dataKey="args"
      hint={args.some(({ text }) => hasMask(text)) ? MASK_HINT : "One argument per row, without quotes."}
      problems={form.problemsOf("args")}
      addLabel="Add argument"
      rows={args}
      newRow={textRow}
      onChange={set}
    >
      {({ row, at, edit, remove }) => (
        <>
          <div className="flex items-center gap-1.5">
            <Input
              aria-label={`Argument ${at + 1}`}
              data-field={`args[${at}]`}
              value={row.text}
              invalid={form.problemsOf(`args[${at}]`).length > 0}
              placeholder="empty: sent as an empty argument"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="font-mono text-xs!"
              onPaste={(event) => onPaste(event, at)}
              onChange={(event) => edit({ text: event.target.value })}
            />
            <RemoveRow label={`Remove argument ${at + 1}`} onRemove={remove} />
          </div>
          <FieldProblems id={`args-${at}`} problems={form.problemsOf(`args[${at}]`)} />
        </>
      )}
    </RowList>
  );
}
