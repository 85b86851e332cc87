import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { choice, defineForm, flag, number, optional, text, type Values } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import type { EvalOffering, EvalRunInput } from "@/lib/contract/eval";
import type { Suite, SuiteInput, SuiteSchedule } from "@/lib/contract/suite";
import { parseCron } from "@/lib/schedule/cron";
import { OFFERING_LABELS, toSuitePath } from "./run-words";
import { toSuiteInput } from "./suite-input";

type Repeats = "none" | "every" | "cron";

interface SuiteSettings extends Pick<SuiteInput, "name" | "description" | "approvals" | "concurrency"> {
  repeats: Repeats;
  schedule: { everyMs: number; cron: string; timeZone: string };
  runWith: Omit<EvalRunInput, "provider"> & { provider: string | null };
}

const ABOUT = "Runs in your name, with your rights. A failed run is the webhook event suite.failed.";
const MINUTE_MS = 60_000;
const isEvery = ({ repeats }: Values): boolean => repeats === "every";
const isCron = ({ repeats }: Values): boolean => repeats === "cron";
const hasModel = (draft: Values): boolean => draft["runWith.provider"] !== "";

function checkCron(expression: string): string[] {
  const read = parseCron(expression);
  return "problem" in read ? [`The expression ${read.problem}`] : [];
}

/** @param providers the models of a suite of evals can be of these */
const toForm = (kind: Suite["kind"], providers: readonly string[]) =>
  defineForm<SuiteSettings>()(
    {
      name: text("Name", { required: true, mono: true }),
      description: text("Description (optional)"),
      "runWith.provider": optional(
        "Provider",
        "As in the last run",
        providers.map((value) => ({ value, label: value })),
      ),
      "runWith.model": text("Model", { required: true, mono: true, when: hasModel }),
      "runWith.rounds": number("Rounds", { hint: "How often each question is asked: 1 to 20.", when: hasModel }),
      "runWith.offering": choice<EvalOffering>("Tools are offered as", "direct", OFFERING_LABELS, { when: hasModel }),
      concurrency: number("Calls at once", { hint: "1 to 10." }),
      approvals: flag("Ask for approval", {
        sends: "ask",
        hint: "Tests of tools that need approval wait in Approvals. Otherwise they are not run, and the suite fails.",
      }),
      repeats: choice<Repeats>(
        "Schedule",
        "none",
        { none: "None", every: "Interval", cron: "Cron" },
        { about: { none: "Runs when someone starts it.", every: ABOUT, cron: ABOUT } },
      ),
      "schedule.everyMs": number("Minutes between runs", {
        read: (ms) => String(Number(ms) / MINUTE_MS),
        write: (typed) => Number(typed) * MINUTE_MS,
        check: (typed) => (/^[1-9]\d{0,4}$/.test(typed) ? [] : ["Enter minutes from 1 to 44640"]),
        when: isEvery,
      }),
      "schedule.cron": text("Cron expression", {
        mono: true,
        hint: "Minute, hour, day of the month, month, day of the week.",
        check: checkCron,
        when: isCron,
      }),
      "schedule.timeZone": text("Time zone", { when: isCron }),
    },
    (path) =>
      path === "concurrency" || path === "approvals"
        ? kind === "tests"
        : !path.startsWith("runWith.") || kind === "evals",
  );

function toSettings({ schedule, runWith, ...suite }: Suite) {
  const repeats = schedule === null ? "none" : "cron" in schedule ? "cron" : "every";
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const usual = { everyMs: 60 * MINUTE_MS, cron: "0 6 * * mon-fri", timeZone };
  return { ...suite, repeats, schedule: { ...usual, ...schedule }, runWith: runWith ?? { rounds: 3 } };
}

/** The name, the schedule, and how a suite runs. */
export function SuiteDialog({ suite, onClose }: { suite: Suite; onClose: () => void }) {
  const router = useRouter();
  const { data } = useQuery(trpc.models.providers.queryOptions());
  const own = suite.runWith === null ? [] : [suite.runWith.provider];
  const providers = new Set([...own, ...(data?.items.map(({ name }) => name) ?? [])]);
  return (
    <EditDialog
      needs="edit"
      title="Suite settings"
      table={toForm(suite.kind, [...providers])}
      initial={toSettings(suite)}
      root="suite"
      edited={{ subject: "suite", lastEdit: suite.lastEdit }}
      save={({ repeats: _repeats, schedule, runWith, description = "", approvals = "refuse", ...more }, revision) =>
        client.suites.update.mutate({
          name: suite.name,
          suite: {
            ...toSuiteInput(suite),
            ...more,
            description,
            approvals,
            schedule: (schedule as SuiteSchedule | undefined) ?? null,
            runWith: runWith?.provider ? (runWith as EvalRunInput) : null,
          },
          revision,
        })
      }
      stale={[trpc.suites.get.queryKey({ name: suite.name }), trpc.suites.list]}
      done="Suite saved"
      onSaved={({ name }) => {
        onClose();
        if (name !== suite.name) router.replace(toSuitePath(name));
      }}
      onClose={onClose}
    />
  );
}
