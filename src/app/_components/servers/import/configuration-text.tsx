"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { FileChoice } from "@/app/_kit/file-choice";
import { Button } from "@/app/_ui/button";
import { Textarea } from "@/app/_ui/field";
import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { ServerImport } from "@/lib/contract/server-import";
import { hideTextSecrets } from "./hide-text-secrets";

const PLACEHOLDER = `{
  "mcpServers": {
    "files": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv"]
    }
  }
}`;

export interface ConfigurationTextProps {
  id: string;
  text: string;
  onText: (text: string) => void;
  parse: ServerImport;
  /** The newest text has not been read yet. */
  pending: boolean;
}

/** The text to import. A pasted one is shown without its secrets once servers are found in it, until it is edited. */
export function ConfigurationText({ id, text, onText, parse, pending }: ConfigurationTextProps) {
  // A text that is there when the view opens was pasted on an earlier visit of the tab.
  const [pasted, setPasted] = useState(text !== "");
  const edit = useRef<HTMLButtonElement>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const focusNext = useRef<"edit" | "area" | null>(null);
  const hidden = pasted && text !== "" && (pending || parse.servers.length > 0);
  const masked = useMemo(
    () => (hidden && !pending ? hideTextSecrets(text, parse) : ""),
    [hidden, pending, text, parse],
  );

  // Outside system: the keyboard focus, when the element that had it is replaced.
  useEffect(() => {
    if (focusNext.current === "edit" && hidden) edit.current?.focus();
    else if (focusNext.current === "area" && !hidden) area.current?.focus();
    else return;
    focusNext.current = null;
  }, [hidden]);

  return (
    <>
      <div className="mb-1 flex items-end gap-2">
        {hidden ? (
          <span className="flex-1 font-medium">
            Configuration <span className="font-normal text-mute text-xs">secrets hidden</span>
          </span>
        ) : (
          <label htmlFor={id} className="flex-1 font-medium">
            Configuration
          </label>
        )}
        {hidden && (
          <Button
            ref={edit}
            onClick={() => {
              focusNext.current = "area";
              setPasted(false);
            }}
          >
            Show and edit
          </Button>
        )}
        <FileChoice
          accept=".json,.jsonc,.yaml,.yml,.toml,.txt,application/json"
          onText={(read) => {
            setPasted(true);
            onText(read);
          }}
        />
      </div>
      {hidden ? (
        <ScrollRegion
          label="Configuration without secrets"
          className="max-h-[60dvh] min-h-40 rounded-md border border-line bg-panel px-2.5 py-2"
        >
          <pre className="whitespace-pre font-mono text-xs leading-5">{pending ? "Reading…" : masked}</pre>
        </ScrollRegion>
      ) : (
        <Textarea
          ref={area}
          id={id}
          value={text}
          rows={18}
          spellCheck={false}
          autoComplete="off"
          invalid={parse.problems.length > 0}
          placeholder={PLACEHOLDER}
          aria-describedby={`${id}-hint`}
          className="max-h-[60dvh] resize-y whitespace-pre font-mono text-xs! leading-5"
          onPaste={() => {
            focusNext.current = "edit";
            setPasted(true);
          }}
          onChange={(event) => onText(event.target.value)}
        />
      )}
    </>
  );
}
