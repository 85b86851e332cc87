"use client";

import { FileArchive, FolderUp } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { FilesChoice } from "@/app/_kit/file-choice";
import { FormDialog } from "@/app/_kit/form-dialog";
import { type Refusal, readProblems } from "@/app/_kit/problems";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { useDenial } from "@/app/_ui/access";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import type { SkillFileInput } from "@/lib/contract/own-skill";
import { readFolder, toBase64 } from "./read-files";

type Source = { archive: string } | { files: SkillFileInput[] };

interface Refused {
  message: string;
  /** What to send again as the next version; null where another skill's name is not the reason. */
  source: Source | null;
}

/** Imports a skill from a folder or an archive, and opens it. */
export function ImportSkill() {
  const [refused, setRefused] = useState<Refused | null>(null);
  const router = useRouter();
  const open = ({ name }: { name: string }) => router.push(`/skills/${encodeURIComponent(name)}`);
  const importing = useAction(
    {
      mutationFn: async (read: () => Promise<Source>) => {
        const source = await read();
        return await client.ownSkills.import.mutate(source).catch((error: Refusal) => {
          const isTaken = readProblems(error).some(({ path }) => path === "name");
          setRefused({ message: error.message, source: isTaken ? source : null });
          return null;
        });
      },
      onError: ({ message }: Error) => setRefused({ message, source: null }),
    },
    {
      stale: [trpc.ownSkills],
      done: (made) => (made === null ? null : `Imported ${made.name}`),
      onDone: (made) => made !== null && open(made),
      report: (message) => message !== null && setRefused({ message, source: null }),
    },
  );
  if (useDenial("edit") !== null) return null;
  return (
    <>
      <FilesChoice
        label="Import folder"
        icon={FolderUp}
        of="folder"
        onFiles={(files) => importing.mutate(async () => ({ files: await readFolder(files) }))}
      />
      <FilesChoice
        label="Import .zip"
        icon={FileArchive}
        accept=".zip,application/zip"
        onFiles={([file]) =>
          importing.mutate(async () => ({ archive: toBase64(new Uint8Array((await file?.arrayBuffer()) ?? [])) }))
        }
      />
      {refused !== null && refused.source === null && (
        <Dialog title="Nothing was imported" onClose={() => setRefused(null)}>
          <Alert live tone="bad" title={refused.message} />
          <Button className="mt-4" onClick={() => setRefused(null)}>
            Close
          </Button>
        </Dialog>
      )}
      {refused !== null && refused.source !== null && (
        <ReplaceDialog
          message={refused.message}
          source={refused.source}
          onClose={() => setRefused(null)}
          onDone={open}
        />
      )}
    </>
  );
}

interface ReplaceDialogProps {
  message: string;
  source: Source;
  onClose: () => void;
  onDone: (made: { name: string }) => void;
}

/** Asks whether files become the next version of the skill that has their name. */
function ReplaceDialog({ message, source, onClose, onDone }: ReplaceDialogProps) {
  const replacing = useAction(
    { mutationFn: () => client.ownSkills.import.mutate({ ...source, replace: true }) },
    {
      stale: [trpc.ownSkills],
      done: ({ name, version }) => `Imported ${name}, version ${version}`,
      onDone: (made) => {
        onClose();
        onDone(made);
      },
    },
  );
  return (
    <FormDialog
      title="A skill has this name"
      description={`${message}. Import the files as its next version? Earlier versions stay.`}
      submitLabel="Import as next version"
      pendingLabel="Importing…"
      failure="Nothing was imported"
      needs="edit"
      action={replacing}
      onSubmit={() => replacing.mutate()}
      onClose={onClose}
    />
  );
}
