import type { ReactNode } from "react";
import { DueIn } from "@/app/_kit/due-in";
import type { Suite } from "@/lib/contract/suite";
import { describeSchedule } from "./describe-schedule";

/** The description and the schedule of a suite, and how it runs. */
export function SuiteFacts({ suite, children }: { suite: Suite; children: ReactNode }) {
  const { description, schedule, nextRunAt, scheduledBy } = suite;
  return (
    <div className="flex flex-col gap-0.5 border-line border-b px-4 pt-1 pb-2 text-mute text-xs">
      {description !== "" && <p dir="auto">{description}</p>}
      <p>
        {schedule === null ? "No schedule" : describeSchedule(schedule)}
        {nextRunAt !== null && (
          <>
            {" "}
            · next <DueIn at={nextRunAt} /> for {scheduledBy?.name}
          </>
        )}{" "}
        · {children}
      </p>
    </div>
  );
}
