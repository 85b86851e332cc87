import { Check } from "lucide-react";
import { ButtonLink } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import type { FirstRunStep } from "./first-run-steps";

const STATE_WORD = { done: "done", next: "next", later: "" } as const;
const DATA_STATUS = { done: "succeeded", next: "waiting", later: "idle" } as const;

export function FirstRun({ steps }: { steps: readonly FirstRunStep[] }) {
  return (
    <section aria-label="First steps" className="rounded-lg border border-line bg-panel p-4">
      <h2 className="font-medium text-base">Get started</h2>
      <ol className="mt-3 grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {steps.map((step, at) => (
          <Step key={step.id} step={step} number={at + 1} />
        ))}
      </ol>
    </section>
  );
}

function Step({ step, number }: { step: FirstRunStep; number: number }) {
  const { state, links } = step;
  return (
    <li
      data-status={DATA_STATUS[state]}
      aria-current={state === "next" ? "step" : undefined}
      className={cx(
        "flex flex-col gap-1.5 rounded-lg border p-3",
        state === "next" ? "border-accent" : "border-line",
        state === "later" && "border-dashed",
      )}
    >
      <div className="flex items-center gap-2">
        <span
          aria-hidden
          className={cx(
            "grid size-5 shrink-0 place-items-center rounded-full font-mono text-2xs",
            state === "done" ? "bg-ok-bg text-ok" : state === "next" ? "bg-accent-bg text-accent" : "bg-line text-mute",
          )}
        >
          {state === "done" ? <Check size={12} strokeWidth={2} /> : number}
        </span>
        <h3 className="font-medium">{step.title}</h3>
        <span className="ml-auto text-2xs text-mute">{STATE_WORD[state]}</span>
      </div>
      <p className="text-mute [overflow-wrap:anywhere]">{step.text}</p>
      <div className="mt-auto flex flex-wrap items-center gap-2 pt-1 empty:hidden">
        {links.map(({ label, ...link }, at) => (
          <ButtonLink
            key={link.href}
            {...link}
            variant={state === "done" ? "ghost" : state === "next" && at === 0 ? "primary" : "secondary"}
          >
            {label}
          </ButtonLink>
        ))}
      </div>
    </li>
  );
}
