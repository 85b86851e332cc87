import type { ReactNode } from "react";
import { cx } from "./class-names";

interface FactListProps {
  /** Names with their values, each name once; those without a value are left out. */
  facts: readonly (readonly [name: string, value: ReactNode])[];
  className?: string;
  /** The class of the values. */
  valueClass?: string;
}

/** Lists the facts of a thing: names beside values. */
export function FactList({ facts, className, valueClass = "font-mono" }: FactListProps) {
  return (
    <dl className={cx("grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1", className)}>
      {facts
        .filter(([, value]) => value !== null && value !== false)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-mute">{name}</dt>
            <dd className={cx("[overflow-wrap:anywhere]", valueClass)}>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
