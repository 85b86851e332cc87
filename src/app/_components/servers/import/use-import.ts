import { useRouter } from "next/navigation";
import { useCallback, useState } from "react";
import { SERVER_QUERIES } from "@/app/_components/servers/summary/use-live-servers";
import { useAction } from "@/app/_kit/use-action";
import { useVerdict } from "@/app/_kit/use-verdict";
import { client, trpc } from "@/app/_trpc/client";
import type { ServerSettingsInput } from "@/lib/contract/server";
import type { ServerImport } from "@/lib/contract/server-import";
import { permissionForServer } from "@/lib/contract/server-kind";
import { formatPlural } from "@/lib/format";

export interface Candidate {
  /** The name in the pasted text, which identifies the server. */
  original: string;
  /** The name for the import. */
  name: string;
  chosen: boolean;
  /** Null where there is nothing that could be added. */
  settings: ServerSettingsInput | null;
  /** False where it is switched off in the text; it is then added switched off. */
  enabled: boolean;
  problems: readonly string[];
  notes: readonly string[];
  warnings: readonly string[];
}

export interface ImportResultsData {
  created: readonly { name: string; enabled: boolean }[];
  rejected: readonly { name: string; error: string }[];
}

interface Edits {
  name?: string;
  chosen?: boolean;
}

const NOTHING: ServerImport = { servers: [], problems: [], notes: [] };
const NO_EDITS: ReadonlyMap<string, Edits> = new Map();

/** Reads a pasted configuration and imports the chosen servers. */
export function useImport(text: string) {
  const router = useRouter();
  const { parse, pending, failure } = useParsed(text);
  const [edits, setEdits] = useState(NO_EDITS);
  const [done, setDone] = useState<{ originals: ReadonlySet<string>; created: readonly string[] }>({
    originals: new Set(),
    created: [],
  });
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const [rejected, setRejected] = useState<ImportResultsData["rejected"]>([]);

  const candidates: Candidate[] = parse.servers
    .filter(({ name }) => !done.originals.has(name))
    .map(({ name: original, enabled, settings, problems, notes, warnings = [] }) => {
      const edit = edits.get(original);
      const name = edit?.name ?? settings?.name ?? original;
      const sound = settings !== null && problems.length === 0;
      const chosen = settings !== null && (edit?.chosen ?? sound);
      return { original, name, enabled, settings, problems, notes, warnings, chosen };
    });
  const chosen = candidates.filter((candidate) => candidate.chosen);

  const importing = useAction(trpc.servers.import, {
    stale: SERVER_QUERIES,
    failed: "Couldn't import",
    // The servers may still fail to connect.
    done: ({ created, rejected: failed }, { servers }) =>
      failed.length > 0
        ? { title: `${created.length} of ${formatPlural(servers.length, "server")} added`, tone: "warn" }
        : {
            title: `${formatPlural(created.length, "server")} added`,
            tone: servers.some(({ enabled }) => enabled) ? "neutral" : "ok",
          },
    onDone: (answer) => {
      if (answer.rejected.length === 0) return router.push("/servers");
      const created = new Set(answer.created);
      const originals = chosen.filter(({ name }) => created.has(name.trim())).map(({ original }) => original);
      setDone((before) => ({
        originals: new Set([...before.originals, ...originals]),
        created: [...new Set([...before.created, ...answer.created])],
      }));
      const switchedOff = chosen.filter(({ enabled }) => !enabled).map(({ name }) => name.trim());
      setOff((before) => new Set([...before, ...switchedOff]));
      setRejected(answer.rejected);
    },
  });
  const edit = (original: string, part: Edits) =>
    setEdits((before) => new Map(before).set(original, { ...before.get(original), ...part }));

  return {
    parse,
    pending,
    candidates,
    chosen: chosen.length,
    /** The permission to import the chosen servers. */
    needs: chosen.some(({ settings }) => permissionForServer(settings) === "administer")
      ? ("administer" as const)
      : ("edit" as const),
    results: { created: done.created.map((name) => ({ name, enabled: !off.has(name) })), rejected },
    failure: failure ?? importing.problem,
    /** Stays true while the list of servers opens: a second press must not import again. */
    importing: importing.isPending || importing.data?.rejected.length === 0,
    choose: (original: string, on: boolean) => edit(original, { chosen: on }),
    rename: (original: string, name: string) => edit(original, { name, chosen: true }),
    run: () => {
      const servers = chosen.flatMap(({ settings, name, enabled }) =>
        settings === null ? [] : [{ settings: { ...settings, name: name.trim() }, enabled }],
      );
      if (servers.length > 0 && !importing.isPending && importing.data?.rejected.length !== 0)
        importing.mutate({ servers });
    },
  };
}

/** The server's reading of the text, once the typing pauses. What was found before stays until then. */
function useParsed(text: string): { parse: ServerImport; pending: boolean; failure: string | null } {
  const isBlank = text.trim() === "";
  const ask = useCallback(
    (pasted: string, signal: AbortSignal) => client.servers.parseImport.mutate({ text: pasted }, { signal }),
    [],
  );
  const { checked, answer, failure } = useVerdict(isBlank ? null : text, ask);
  if (isBlank) return { parse: NOTHING, pending: false, failure: null };
  return {
    parse: answer ?? NOTHING,
    pending: checked !== text,
    failure: failure === null ? null : `Couldn't read the text: ${failure}`,
  };
}
