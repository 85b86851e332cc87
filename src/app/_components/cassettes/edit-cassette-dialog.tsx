"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { DraftField } from "@/app/_kit/form/draft-field";
import { FormDialog } from "@/app/_kit/form-dialog";
import { useAction } from "@/app/_kit/use-action";
import { useTRPC } from "@/app/_trpc/client";
import { Checkbox } from "@/app/_ui/checkbox";
import { Segmented } from "@/app/_ui/segmented";
import type { CassetteSummary } from "@/lib/contract/cassette";

/** The parts of a cassette that can change: name, notes and matching. */
export function EditCassetteDialog({ cassette, onClose }: { cassette: CassetteSummary; onClose: () => void }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [name, setName] = useState(cassette.name);
  const [notes, setNotes] = useState(cassette.notes);
  const [settings, setSettings] = useState(cassette.settings);
  const [ignore, setIgnore] = useState(cassette.settings.ignore.join("\n"));
  const saving = useAction(trpc.cassettes.update.mutationOptions(), {
    stale: [trpc.cassettes.list.queryKey(), trpc.cassettes.get.queryKey({ name: cassette.name })],
    done: () => "Cassette saved",
    onDone: (saved) => {
      onClose();
      if (saved.name !== cassette.name) router.push(`/cassettes/${encodeURIComponent(saved.name)}`);
    },
  });
  const save = (): void => {
    const paths = ignore.split(/\s+/).filter(Boolean);
    const input = { name: name.trim(), notes, settings: { ...settings, ignore: paths } };
    saving.mutate({ name: cassette.name, cassette: input, revision: cassette.lastEdit.revision });
  };
  return (
    <FormDialog
      needs="edit"
      title="Edit cassette"
      description="Its tools and calls never change."
      action={saving}
      onSubmit={save}
      onClose={onClose}
    >
      <DraftField label="Name" field="name" required mono value={name} onChange={setName} />
      <DraftField label="Notes (optional)" field="notes" rows={2} value={notes} onChange={setNotes} />
      <DraftField
        label="Ignored argument paths"
        field="settings.ignore"
        mono
        rows={2}
        value={ignore}
        hint="One JSON pointer a line, such as /requestId or /items/*/at; tool:/path for one tool only."
        onChange={setIgnore}
      />
      <div className="flex flex-col gap-1">
        <span className="font-medium">When recordings run out</span>
        <Segmented
          label="When recordings run out"
          value={settings.repeats}
          options={[
            { value: "last", label: "Last recording again" },
            { value: "miss", label: "Miss" },
          ]}
          onChange={(repeats) => setSettings({ ...settings, repeats })}
          className="self-start"
        />
      </div>
      <div className="flex flex-col gap-1">
        <span className="font-medium">Questions of servers during a call</span>
        <Segmented
          label="Questions of servers during a call"
          value={settings.questions}
          options={[
            { value: "recorded", label: "Answer as recorded" },
            { value: "ask", label: "Ask the client again" },
          ]}
          onChange={(questions) => setSettings({ ...settings, questions })}
          className="self-start"
        />
      </div>
      <label className="flex items-center gap-1.5">
        <Checkbox
          checked={settings.passthrough}
          onChange={(passthrough) => setSettings({ ...settings, passthrough })}
        />
        Run calls without a recording live
      </label>
      <DraftField
        label="Faults (optional)"
        field="settings.faults"
        mono
        value={settings.faults}
        placeholder="delay=200,error=0.1,rate-limit=0.05,retry-after=2,cut=0.1,drop=0.02,seed=1"
        hint="Rates from 0 to 1, delays in milliseconds. ?faults= in the address replaces them."
        onChange={(faults) => setSettings({ ...settings, faults })}
      />
    </FormDialog>
  );
}
