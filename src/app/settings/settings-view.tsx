"use client";

import { useSuspenseQuery } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { ThemeChoice } from "@/app/_components/frame/theme-switch";
import { LoadProblems } from "@/app/_components/tools/summary/load-problems";
import { usePreferences } from "@/app/_kit/preferences-provider";
import { useTRPC } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { CopyButton } from "@/app/_ui/copy-button";
import { Link } from "@/app/_ui/link";
import { Segmented } from "@/app/_ui/segmented";
import { formatBytes, formatCount, formatDuration } from "@/lib/format";

export function SettingsView() {
  const trpc = useTRPC();
  const { data: info } = useSuspenseQuery(trpc.system.info.queryOptions());
  const { limits, handlers } = info;

  const limitFacts: Fact[] = [
    {
      label: "Call timeout",
      key: "default_timeout_ms",
      value: formatDuration(limits.timeoutMs),
      exact: limits.timeoutMs,
    },
    {
      label: "Max stored result",
      key: "max_stored_bytes",
      value: formatBytes(limits.maxStoredBytes),
      exact: limits.maxStoredBytes,
    },
    {
      label: "Model view limit",
      key: "max_model_chars",
      value: `${formatCount(limits.maxModelChars)} characters`,
      exact: limits.maxModelChars,
    },
    {
      label: "Arguments size",
      key: "max_argument_bytes",
      value: formatBytes(limits.maxArgumentBytes),
      exact: limits.maxArgumentBytes,
    },
    {
      label: "Arguments depth",
      key: "max_argument_depth",
      value: `${formatCount(limits.maxArgumentDepth)} levels`,
      exact: limits.maxArgumentDepth,
    },
    {
      label: "Model response",
      key: "max_response_bytes",
      value: formatBytes(limits.maxResponseBytes),
      exact: limits.maxResponseBytes,
    },
    {
      label: "Calls per model response",
      key: "max_response_calls",
      value: formatCount(limits.maxResponseCalls),
      exact: limits.maxResponseCalls,
    },
  ];

  return (
    <div className="flex max-w-4xl flex-col gap-4 p-4">
      {info.disk.warning !== null && <DiskWarning warning={info.disk.warning} />}
      <LoadProblems problems={info.problems} />
      <Appearance />
      <SettingsSection title="Installation">
        <Facts
          facts={[
            { label: "Toolroom", value: info.version },
            { label: "Node", value: info.node },
            { label: "Database", value: info.databaseUrl, copy: true },
            { label: "Database status", value: info.databaseProblem === null ? "OK" : "Unavailable" },
            { label: "Database size", value: formatBytes(info.databaseBytes), exact: info.databaseBytes },
            {
              label: "Reclaimable",
              value: formatBytes(info.databaseParts.unusedBytes),
              exact: info.databaseParts.unusedBytes,
            },
            {
              label: "Write-ahead log",
              value: formatBytes(info.databaseParts.walBytes),
              exact: info.databaseParts.walBytes,
            },
            { label: "Free disk space", value: formatBytes(info.disk.freeBytes), exact: info.disk.freeBytes },
            { label: "Executions", value: formatCount(info.counts.executions) },
          ]}
        />
      </SettingsSection>
      <SettingsSection title="Configuration">
        <Facts facts={[{ label: "File", value: info.configPath, copy: true }]} />
        <ConfigurationState exists={info.configExists} usingExample={info.usingExample} path={info.configPath} />
      </SettingsSection>
      <SettingsSection
        title="Limits in force"
        text="Defaults for tools without their own limit. A call that reaches a limit names it and its source."
      >
        <Facts facts={limitFacts} />
      </SettingsSection>
      <SettingsSection title="Handlers" text="Handlers that builtin and internal tools can run.">
        <HandlerNames label="Builtin" names={handlers.builtin} />
        <HandlerNames label="Internal" names={handlers.internal} />
        <Modules modules={handlers.modules} />
      </SettingsSection>
    </div>
  );
}

function Appearance() {
  const { preferences, change } = usePreferences();
  return (
    <SettingsSection title="Appearance and keys" text="Remembered by this browser.">
      <div className="flex flex-wrap items-center gap-x-8 gap-y-3">
        <div className="flex items-center gap-3">
          <span className="text-mute">Theme</span>
          <ThemeChoice />
        </div>
        <div className="flex items-center gap-3">
          <span className="text-mute">Single-key shortcuts</span>
          <Segmented
            label="Single-key shortcuts"
            value={preferences.keys}
            options={[
              { value: "on", label: "On" },
              { value: "off", label: "Off" },
            ]}
            onChange={(keys) => change({ keys })}
          />
        </div>
      </div>
    </SettingsSection>
  );
}

function ConfigurationState({ exists, usingExample, path }: { exists: boolean; usingExample: boolean; path: string }) {
  if (usingExample) {
    const command = "cp config/toolroom.example.json config/toolroom.json";
    return (
      <div className="mt-2 text-mute">
        <p>The example is in use. To make it your own, copy it, change the copy, and restart:</p>
        <p className="mt-1 flex items-center gap-1 text-text">
          <code className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{command}</code>
          <CopyButton text={command} label="Copy command" />
        </p>
      </div>
    );
  }
  if (exists) return <p className="mt-2 text-mute">Read at start: a change needs a restart.</p>;
  return (
    <p className="mt-2 text-mute">
      No file at this path, so nothing is configured. Create <span className="font-mono text-xs">{path}</span> with{" "}
      <code className="font-mono text-xs">{'{ "tools": { "registry": [] } }'}</code>, or point{" "}
      <code className="font-mono text-xs">TOOLROOM_CONFIG</code> at yours, and restart.
    </p>
  );
}

function HandlerNames({ label, names }: { label: string; names: readonly string[] }) {
  return (
    <div className="mt-2 flex flex-wrap items-baseline gap-1.5 first:mt-0">
      <h3 className="w-20 shrink-0 text-mute">{label}</h3>
      {names.length === 0 ? (
        <span className="text-faint">none</span>
      ) : (
        names.map((name) => (
          <Badge key={name} className="font-mono">
            {name}
          </Badge>
        ))
      )}
    </div>
  );
}

interface HandlerModule {
  path: string;
  builtins: string[];
  internals: string[];
}

function Modules({ modules }: { modules: readonly HandlerModule[] }) {
  return (
    <div className="mt-3 border-line border-t pt-3">
      <h3 className="text-mute">Modules of your own</h3>
      {modules.length === 0 ? (
        <p className="mt-1 text-mute">
          None. List module paths under <code className="font-mono text-xs">handlers</code> in the configuration; what
          they export as <code className="font-mono text-xs">builtins</code> and{" "}
          <code className="font-mono text-xs">internals</code> can be called by tools.
        </p>
      ) : (
        <ul className="mt-1 flex flex-col gap-1">
          {modules.map((module) => (
            <li key={module.path} className="[overflow-wrap:anywhere]">
              <span className="font-mono text-xs">{module.path}</span>
              <span className="text-mute">
                {" "}
                gives {[...module.builtins, ...module.internals].join(", ") || "nothing"}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** @param warning the state of the disk, then what to do */
export function DiskWarning({ warning }: { warning: string }) {
  const [state, wayOut = ""] = warning.split(/(?<=\.) /);
  return (
    <Alert tone="warn" title={state}>
      {wayOut.replace(/: Executions → Delete$/, " in ")}
      <Link href="/executions" className="underline">
        Executions
      </Link>
      .
    </Alert>
  );
}

interface SettingsSectionProps {
  title: string;
  text?: string;
  children: ReactNode;
}

function SettingsSection({ title, text, children }: SettingsSectionProps) {
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

interface Fact {
  label: string;
  value: string;
  /** Its name in the configuration, as data. */
  key?: string;
  /** The figure before rounding. */
  exact?: number | null;
  copy?: boolean;
}

function Facts({ facts }: { facts: readonly Fact[] }) {
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
