import { useRouter } from "next/navigation";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { choice, defineForm, flag, lines, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import type { CassetteInput, CassetteSummary } from "@/lib/contract/cassette";

const CASSETTE_FORM = defineForm<CassetteInput>()({
  name: text("Name", { required: true, mono: true }),
  notes: text("Notes (optional)", { rows: 2 }),
  "settings.ignore": lines("Ignored argument paths", {
    mono: true,
    hint: "One JSON pointer a line, such as /requestId or /items/*/at; tool:/path for one tool only.",
  }),
  "settings.repeats": choice("When recordings run out", "last", { last: "Last recording again", miss: "Miss" }),
  "settings.questions": choice("Questions of servers during a call", "recorded", {
    recorded: "Answer as recorded",
    ask: "Ask the client again",
  }),
  "settings.passthrough": flag("Run calls without a recording live"),
  "settings.faults": text("Faults (optional)", {
    mono: true,
    placeholder: "delay=200,error=0.1,rate-limit=0.05,retry-after=2,cut=0.1,drop=0.02,seed=1",
    hint: "Rates from 0 to 1, delays in milliseconds. ?faults= in the address replaces them.",
  }),
});

/** The parts of a cassette that can change: name, notes and matching. */
export function EditCassetteDialog({ cassette, onClose }: { cassette: CassetteSummary; onClose: () => void }) {
  const router = useRouter();
  const { name, lastEdit } = cassette;
  return (
    <EditDialog
      needs="edit"
      title="Edit cassette"
      description="Its tools and calls never change."
      table={CASSETTE_FORM}
      initial={cassette}
      root="cassette"
      edited={{ subject: "cassette", lastEdit }}
      save={(input, revision) => client.cassettes.update.mutate({ name, cassette: input, revision })}
      stale={[trpc.cassettes.list, trpc.cassettes.get.queryKey({ name })]}
      done="Cassette saved"
      onSaved={(saved) => {
        onClose();
        if (saved.name !== name) router.push(`/cassettes/${encodeURIComponent(saved.name)}`);
      }}
      onClose={onClose}
    />
  );
}
