import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import type { ImportDecision, ImportEntry, ImportPreview, ImportProgress } from "@/lib/contract/catalog-file";

export interface ImportSource {
  text: string;
  /** The name of a file, or "Pasted text". */
  label: string;
}

export type ImportAction = ImportDecision["action"];

/** A user's decision about an entry; without an action it is still open. */
interface Choice {
  action: ImportAction | null;
  name: string;
}

export const toKey = ({ kind, position }: Pick<ImportEntry, "kind" | "position">): string => `${kind}:${position}`;

/** Lists the possible actions for an entry, the default first. */
export function listActions({ status, denied }: ImportEntry): readonly ImportAction[] {
  if (denied !== null || status === "invalid" || status === "same") return ["skip"];
  if (status === "add") return ["add", "skip"];
  return status === "change" ? ["replace", "rename", "skip"] : ["rename", "skip"];
}

/** Additions are selected; for an entry that conflicts with an existing one, the user decides. */
function defaultChoice(entry: ImportEntry): Choice {
  const [first = "skip", ...others] = listActions(entry);
  return { action: others.length === 0 || entry.status === "add" ? first : null, name: entry.freeName };
}

/** A file on its way into the catalog: read, compared, decided, imported. */
export function useImportFile() {
  const [source, setSource] = useState<ImportSource | null>(null);
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  const comparing = useRef<AbortController | null>(null);
  const stopComparing = (): void => {
    comparing.current?.abort();
    setProgress(null);
  };
  // The server ends a comparison once its page is gone.
  useEffect(() => () => comparing.current?.abort(), []);
  // A text may hold secrets: it is not kept once the page is gone.
  const preview = useMutation({
    gcTime: 0,
    onSuccess: () => setChoices(new Map()),
    async mutationFn(text: string) {
      stopComparing();
      comparing.current = new AbortController();
      const { signal } = comparing.current;
      for await (const part of await client.sharing.preview.mutate({ text }, { signal })) {
        if ("result" in part) return part.result;
        if (!signal.aborted) setProgress(part.progress);
      }
      throw new Error("The connection was lost: compare again");
    },
  });
  const importing = useAction(trpc.sharing.import.mutationOptions({ gcTime: 0 }), {
    stale: [trpc.tools, trpc.servers, trpc.toolsets, trpc.ownSkills, trpc.rules],
  });
  const found: ImportPreview | null = preview.data ?? null;
  const getChoice = (entry: ImportEntry): Choice => choices.get(toKey(entry)) ?? defaultChoice(entry);
  const entries = found?.entries ?? [];
  const undecided = entries.filter((entry) => getChoice(entry).action === null).length;
  const chosen = entries.filter((entry) => !["skip", null].includes(getChoice(entry).action));

  function read(next: ImportSource): void {
    setSource(next);
    importing.reset();
    preview.mutate(next.text);
  }

  return {
    source,
    preview: found,
    reading: preview.isPending,
    progress: preview.isPending ? progress : null,
    failure: preview.error?.message ?? importing.problem,
    outcome: importing.data ?? null,
    importing: importing.isPending,
    undecided,
    chosen: chosen.length,
    getChoice,
    choose: (entry: ImportEntry, part: Partial<Choice>) =>
      setChoices((before) => new Map(before).set(toKey(entry), { ...getChoice(entry), ...part })),
    chooseAll: (action: "replace" | "skip") =>
      setChoices((before) => {
        const next = new Map(before);
        for (const entry of entries) {
          if (listActions(entry).length > 1 && listActions(entry).includes(action) && entry.status !== "add") {
            next.set(toKey(entry), { ...getChoice(entry), action });
          }
        }
        return next;
      }),
    read,
    readAgain: () => source !== null && read(source),
    reset: () => {
      stopComparing();
      setSource(null);
      preview.reset();
      importing.reset();
    },
    run: () => {
      if (source === null || found === null) return;
      const decisions = entries.map((entry): ImportDecision => {
        const { action, name } = getChoice(entry);
        const { kind, position } = entry;
        return { kind, position, action: action ?? "skip", ...(action === "rename" ? { name } : {}) };
      });
      importing.mutate({ text: source.text, digest: found.digest, decisions });
    },
  };
}
