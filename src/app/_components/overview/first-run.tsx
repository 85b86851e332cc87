import { Check } from "lucide-react";
import { buttonClass } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";
import type { FirstRunStep } from "./first-run-steps";

const STATE_WORD = { done: "done", next: "next", later: "later" } as const;

export function FirstRun({ steps }: { steps: readonly FirstRunStep[] }) {
  return (
    <section aria-label="First steps" className="rounded-lg border border-line bg-panel p-4">
      <h2 className="font-medium text-base">Get started</h2>
      <ol className="mt-3 grid gap-3 md:grid-cols-3">
        {steps.map((step, at) => (
          <Step key={step.id} step={step} number={at + 1} />
        ))}
      </ol>
      <p className="mt-3 text-mute">
        Or start with a server:{" "}
        <Link
          needs="edit"
          href="/servers/new?template=zwave"
          className="rounded-xs text-text underline underline-offset-2"
        >
          add the sample, a small Z-Wave house
        </Link>{" "}
        or{" "}
        <Link needs="edit" href="/servers/new?tab=paste" className="rounded-xs text-text underline underline-offset-2">
          paste an mcp.json
        </Link>
        .
      </p>
    </section>
  );
}

function Step({ step, number }: { step: FirstRunStep; number: number }) {
  const { state, link } = step;
  return (
    <li
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
      {link !== null && (
        <Link
          href={link.href}
          {...(link.needs !== undefined && { needs: link.needs })}
          className={cx("mt-auto self-start", buttonClass({ variant: state === "next" ? "primary" : "secondary" }))}
        >
          {link.label}
        </Link>
      )}
    </li>
  );
}
