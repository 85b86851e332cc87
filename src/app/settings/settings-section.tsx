import { type ReactNode, useId } from "react";
import { CopyButton } from "@/app/_ui/copy-button";

export interface SettingsSectionProps {
  title: string;
  text?: string;
  children: ReactNode;
}

export function SettingsSection({ title, text, children }: SettingsSectionProps) {
  const id = useId();
  return (
    <section
      // For links to it.
      id={title.toLowerCase().replaceAll(" ", "-")}
      aria-labelledby={id}
      className="scroll-mt-4 rounded-lg border border-line bg-panel"
    >
      <div className="border-line border-b px-3.5 py-2">
        <h2 id={id} className="font-medium">
          {title}
        </h2>
        {text !== undefined && <p className="text-mute text-xs">{text}</p>}
      </div>
      <div className="px-3.5 py-3">{children}</div>
    </section>
  );
}

export interface Fact {
  label: string;
  value: string;
  /** Its name in the configuration, as data. */
  key?: string;
  /** The figure before rounding. */
  exact?: number | null;
  copy?: boolean;
}

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[18rem_minmax(0,1fr)]">
      {facts.map(({ label, value, key, exact, copy }) => (
        <div key={label} className="contents">
          <dt className="text-mute max-sm:mt-1">
            {label}
            {key !== undefined && <span className="ml-1.5 font-mono text-2xs text-faint">{key}</span>}
          </dt>
          <dd
            className="flex min-w-0 items-center gap-1 font-mono text-xs leading-5 [overflow-wrap:anywhere]"
            title={exact === undefined || exact === null ? undefined : formatExact(exact)}
          >
            {value}
            {copy && <CopyButton text={value} label={`Copy ${label.toLowerCase()}`} className="-my-1" />}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function formatExact(value: number): string {
  return value.toLocaleString("en-US");
}
